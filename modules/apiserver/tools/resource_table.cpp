// SPDX-License-Identifier: Apache-2.0
//
// resource_table IN.json OUT.cpp: turns the schema's resources.json into the constant table of
// built-in resources that the server starts with. Runs during the build; what it writes is not
// committed.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <kube/json/value.hpp>
#include <kube/json/writer.hpp>

namespace {

using kube::json::Object;
using kube::json::Value;

std::string_view text(const Object& object, std::string_view key) {
  const Value* value = object.find(key);
  return value != nullptr ? value->string_or_empty() : std::string_view{};
}

bool flag(const Object& object, std::string_view key) {
  const Value* value = object.find(key);
  return value != nullptr && value->if_bool() != nullptr && *value->if_bool();
}

const kube::json::Array& list(const Object& object, std::string_view key) {
  static const kube::json::Array empty;
  const Value* value = object.find(key);
  return value != nullptr && value->is_array() ? *value->if_array() : empty;
}

std::string quoted(std::string_view value) {
  std::string out;
  kube::json::write_string(value, out);
  return out;
}

/// Writes the array that holds the strings and returns the expression that names it.
std::string strings(std::ostream& out, const std::string& name, const kube::json::Array& values) {
  if (values.empty()) return "{}";
  out << "constexpr std::string_view " << name << "[] = {";
  for (const Value& value : values) out << quoted(value.string_or_empty()) << ", ";
  out << "};\n";
  return name;
}

std::string verbs(const kube::json::Array& values) {
  std::string out;
  for (const Value& value : values) {
    if (!out.empty()) out += " | ";
    out += "verb_bit(" + quoted(value.string_or_empty()) + ")";
  }
  return out.empty() ? "0" : out;
}

void write_resource(std::ostream& out, std::ostream& rows, const Object& resource,
                    const std::string& id) {
  std::ostringstream subresources;
  for (const Value& entry : list(resource, "subresources")) {
    const Object& sub = *entry.if_object();
    subresources << "    {" << quoted(text(sub, "name")) << ", " << quoted(text(sub, "group"))
                 << ", " << quoted(text(sub, "version")) << ", " << quoted(text(sub, "kind"))
                 << ", " << verbs(list(sub, "verbs")) << "},\n";
  }
  std::string subresource_name = "{}";
  if (!subresources.str().empty()) {
    subresource_name = id + "_subresources";
    out << "constexpr BuiltinSubresource " << subresource_name << "[] = {\n"
        << subresources.str() << "};\n";
  }
  std::string alias_name = "{}";
  if (const Value* aliases = resource.find("fieldSelectorAliases");
      aliases != nullptr && aliases->is_object() && !aliases->if_object()->empty()) {
    alias_name = id + "_aliases";
    out << "constexpr BuiltinAlias " << alias_name << "[] = {";
    for (const auto& [label, field] : *aliases->if_object()) {
      out << "{" << quoted(label) << ", " << quoted(field.string_or_empty()) << "}, ";
    }
    out << "};\n";
  }
  const std::string shorts = strings(out, id + "_short", list(resource, "shortNames"));
  const std::string categories = strings(out, id + "_categories", list(resource, "categories"));
  const std::string fields = strings(out, id + "_fields", list(resource, "fieldSelectors"));
  rows << "    {" << quoted(text(resource, "group")) << ", " << quoted(text(resource, "version"))
       << ", " << quoted(text(resource, "kind")) << ", " << quoted(text(resource, "listKind"))
       << ",\n     " << quoted(text(resource, "plural")) << ", "
       << quoted(text(resource, "singular")) << ", "
       << (flag(resource, "namespaced") ? "true" : "false") << ",\n     "
       << verbs(list(resource, "verbs")) << ",\n     " << shorts << ", " << categories << ", "
       << fields << ", " << alias_name << ", " << subresource_name << "},\n";
}

bool generate(const Object& document, std::ostream& out) {
  out << "// Made by resource_table from resources.json. Do not edit.\n"
         "#include \"builtin_resources.hpp\"\n\n"
         "namespace kube::apiserver {\nnamespace {\n\n";
  std::ostringstream rows;
  std::size_t count = 0;
  for (const Value& entry : list(document, "resources")) {
    if (!entry.is_object()) return false;
    const Object& resource = *entry.if_object();
    if (!flag(resource, "served")) continue;
    write_resource(out, rows, resource, "r" + std::to_string(count++));
  }
  if (count == 0) return false;
  out << "\nconstexpr BuiltinResource resources[] = {\n" << rows.str() << "};\n\n";

  std::ostringstream groups;
  std::size_t group_count = 0;
  for (const Value& entry : list(document, "groups")) {
    if (!entry.is_object()) return false;
    const Object& group = *entry.if_object();
    const auto& served = list(group, "served");
    if (served.empty()) continue;
    const std::string name = "g" + std::to_string(group_count++);
    groups << "    {" << quoted(text(group, "group")) << ", "
           << strings(out, name + "_versions", served) << "},\n";
  }
  out << "constexpr BuiltinGroup groups[] = {\n"
      << groups.str()
      << "};\n\n}  // namespace\n\n"
         "std::span<const BuiltinResource> builtin_resources() { return resources; }\n"
         "std::span<const BuiltinGroup> builtin_groups() { return groups; }\n\n"
         "}  // namespace kube::apiserver\n";
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: resource_table IN.json OUT.cpp\n";
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  std::stringstream content;
  content << in.rdbuf();
  if (!in) {
    std::cerr << "resource_table: can't read " << argv[1] << "\n";
    return 1;
  }
  const auto document = kube::json::parse(content.str());
  if (!document) {
    std::cerr << "resource_table: " << argv[1] << ": " << document.error().to_string() << "\n";
    return 1;
  }
  std::ostringstream table;
  if (!document->is_object() || !generate(*document->if_object(), table)) {
    std::cerr << "resource_table: " << argv[1]
              << ": expected an object with lists \"groups\" and \"resources\"\n";
    return 1;
  }
  std::ofstream out(argv[2], std::ios::binary);
  out << table.str();
  out.close();
  if (!out) {
    std::cerr << "resource_table: can't write " << argv[2] << "\n";
    return 1;
  }
  return 0;
}
