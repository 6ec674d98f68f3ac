// SPDX-License-Identifier: Apache-2.0
//
// field-facts OUT SCHEMA...: writes the fields that the schema requires, and the values of closed
// enumerations, as a sorted list of initialisers:
// {"core.v1.Container.imagePullPolicy", false, "Always, IfNotPresent, Never"},
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/json/value.hpp>

namespace {

namespace json = kube::json;

std::string_view text_of(const json::Value& value, std::string_view key) {
  const json::Value* member = value.at_path({key});
  return member == nullptr ? std::string_view{} : member->string_or_empty();
}

bool flag(const json::Value& value, std::string_view key) {
  const json::Value* member = value.at_path({key});
  return member != nullptr && member->if_bool() != nullptr && *member->if_bool();
}

const json::Array* array(const json::Value& value, std::string_view key) {
  const json::Value* member = value.at_path({key});
  return member == nullptr ? nullptr : member->if_array();
}

// The rule of the API's OpenAPI documents: a field that is neither optional nor left out when
// empty.
bool is_required(const json::Value& field) {
  return flag(field, "required") || (!flag(field, "optional") && !flag(field, "omitempty"));
}

using Enumerations = std::map<std::string, std::string>;  // values by "core.v1.PullPolicy"

void collect_enumerations(const json::Value& schema, Enumerations& enumerations) {
  const json::Array* types = array(schema, "stringTypes");
  if (types == nullptr) return;
  for (const json::Value& type : *types) {
    const json::Array* values = array(type, "values");
    if (!flag(type, "closed") || values == nullptr) continue;
    std::set<std::string> sorted;  // the order of the API's OpenAPI documents
    for (const json::Value& value : *values) {
      sorted.insert(value.string_or_empty().empty() ? "\\\"\\\""
                                                    : std::string(value.string_or_empty()));
    }
    std::string& text = enumerations[std::string(text_of(schema, "package")) + "." +
                                     std::string(text_of(type, "name"))];
    for (const std::string& value : sorted) text += (text.empty() ? "" : ", ") + value;
  }
}

void collect(const json::Value& schema, const Enumerations& enumerations,
             std::set<std::string>& lines) {
  const json::Array* types = array(schema, "types");
  if (types == nullptr) return;
  for (const json::Value& type : *types) {
    const json::Array* fields = array(type, "fields");
    if (fields == nullptr) continue;
    for (const json::Value& field : *fields) {
      const auto values = enumerations.find(std::string(text_of(field, "alias")));
      const bool is_closed = values != enumerations.end();
      if (text_of(field, "json").empty() || (!is_required(field) && !is_closed)) continue;
      lines.insert("{\"" + std::string(text_of(schema, "package")) + "." +
                   std::string(text_of(type, "name")) + "." + std::string(text_of(field, "json")) +
                   "\", " + (is_required(field) ? "true" : "false") + ", \"" +
                   (is_closed ? values->second : "") + "\"},");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<json::Value> schemas;
  Enumerations enumerations;
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    auto schema = json::parse(content);
    if (!file || !schema) {
      std::fprintf(stderr, "%s: %s\n", argv[i],
                   file ? schema.error().to_string().c_str() : "cannot be read");
      return 1;
    }
    collect_enumerations(*schema, enumerations);
    schemas.push_back(*std::move(schema));
  }
  std::set<std::string> lines;
  for (const json::Value& schema : schemas) collect(schema, enumerations, lines);
  std::ofstream out(argc > 1 ? argv[1] : "", std::ios::binary);
  for (const std::string& line : lines) out << line << "\n";
  out.close();
  if (out && !lines.empty() && !enumerations.empty()) return 0;
  std::fprintf(stderr, "field-facts: %s\n", out ? "no fields" : "cannot be written");
  return 1;
}
