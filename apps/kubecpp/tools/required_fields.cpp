// SPDX-License-Identifier: Apache-2.0
//
// required-fields OUT SCHEMA...: the fields that the schema calls required, as a sorted list of C++
// string literals: "core.v1.Container.name",
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <kube/json/value.hpp>

namespace {

namespace json = kube::json;

std::string_view text(const json::Value& value, std::string_view key) {
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

// As the API's OpenAPI documents have it: what neither may be left out nor is optional.
bool is_required(const json::Value& field) {
  return flag(field, "required") || (!flag(field, "optional") && !flag(field, "omitempty"));
}

void collect(const json::Value& schema, std::set<std::string>& names) {
  const json::Array* types = array(schema, "types");
  if (types == nullptr) return;
  for (const json::Value& type : *types) {
    const json::Array* fields = array(type, "fields");
    if (fields == nullptr) continue;
    for (const json::Value& field : *fields) {
      if (text(field, "json").empty() || !is_required(field)) continue;
      names.insert(std::string(text(schema, "package")) + "." + std::string(text(type, "name")) +
                   "." + std::string(text(field, "json")));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::set<std::string> names;
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    const auto schema = json::parse(content);
    if (!file || !schema) {
      std::fprintf(stderr, "%s: %s\n", argv[i],
                   file ? schema.error().to_string().c_str() : "cannot be read");
      return 1;
    }
    collect(*schema, names);
  }
  std::ofstream out(argc > 1 ? argv[1] : "", std::ios::binary);
  for (const std::string& name : names) out << '"' << name << "\",\n";
  out.close();
  if (out && !names.empty()) return 0;
  std::fprintf(stderr, "required-fields: %s\n", names.empty() ? "no fields" : "cannot be written");
  return 1;
}
