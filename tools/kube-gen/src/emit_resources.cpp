// SPDX-License-Identifier: Apache-2.0
//
// The facts of resources as constant tables of <kube/api/resources.hpp>.
#include <utility>

#include "emit.hpp"
#include "facts.hpp"

namespace kube::gen {
namespace {

using json::Value;

// The arrays to which tables refer; equal ones are written once.
class Arrays {
 public:
  /// Returns the name of an array with these elements, "{}" for none.
  std::string add(std::string_view type, const std::vector<std::string>& elements) {
    if (elements.empty()) return "{}";
    std::string body;
    for (const std::string& element : elements) body += (body.empty() ? "" : ", ") + element;
    const auto [entry, fresh] = names_.try_emplace(std::pair(std::string(type), body));
    if (fresh) {
      entry->second = "kArray" + std::to_string(names_.size());
      text_ += "constexpr " + std::string(type) + " " + entry->second + "[] = {" + body + "};\n";
    }
    return entry->second;
  }
  std::string add_names(const std::vector<std::string>& texts) {
    std::vector<std::string> literals;
    literals.reserve(texts.size());
    for (const std::string& text : texts) literals.push_back(literal(text));
    return add("std::string_view", literals);
  }
  const std::string& text() const { return text_; }

 private:
  std::map<std::pair<std::string, std::string>, std::string> names_;
  std::string text_;
};

// Writes the entries of one resources.json; keeps the first error.
class ResourceWriter {
 public:
  explicit ResourceWriter(std::string file) : file_(std::move(file)) {}

  Result<ResourceTables> write(const Value& document, bool has_groups) {
    Facts facts(document, file_);
    const json::Array& resources = facts.list("resources", true);
    const json::Array& groups = facts.list("groups", has_groups);
    keep(facts);
    if (const Value* columns = document.at_path({"printerColumns"})) write_columns(*columns);
    std::string resource_rows;
    for (const Value& each : resources) resource_rows += resource(each);
    std::string group_rows;
    for (const Value& each : groups) group_rows += group(each);
    if (error_) return *error_;
    ResourceTables tables;
    tables.resources =
        arrays_.text() + "\nconstexpr ResourceFacts kResources[] = {\n" + resource_rows + "};\n";
    tables.groups = "\nconstexpr GroupFacts kGroups[] = {\n" + group_rows + "};\n";
    return tables;
  }

 private:
  static std::string row(std::initializer_list<std::string> cells) {
    std::string out;
    for (const std::string& cell : cells) out += (out.empty() ? "{" : ", ") + cell;
    return out + "}";
  }
  void keep(const Facts& facts) {
    if (!error_) error_ = facts.error();
  }
  static std::string quoted(Facts& facts, std::string_view key, bool required = false) {
    return literal(facts.text(key, required));
  }
  std::string names(Facts& facts, std::string_view key) {
    return arrays_.add_names(facts.texts(key));
  }

  // Returns an array with the result of `make` for each entry of a list.
  template <class Make>
  std::string array(Facts& facts, std::string_view key, std::string_view type, Make make) {
    std::vector<std::string> elements;
    for (const Value& value : facts.list(key)) {
      Facts entry(value, facts.where() + ", " + std::string(key));
      elements.push_back(make(entry));
      keep(entry);
    }
    return arrays_.add(type, elements);
  }

  void write_columns(const Value& all) {
    if (all.if_object() == nullptr) return;
    for (const auto& [name, list] : *all.if_object()) {
      if (list.if_array() == nullptr) continue;
      std::vector<std::string> columns;
      for (const Value& value : *list.if_array()) {
        Facts entry(value, file_ + ": columns of " + name);
        columns.push_back(row({quoted(entry, "name", true), quoted(entry, "type"),
                               quoted(entry, "format"), std::to_string(entry.number("priority")),
                               quoted(entry, "path"), quoted(entry, "rule")}));
        keep(entry);
      }
      columns_[name] = std::move(columns);
    }
  }

  std::string resource(const Value& value) {
    Facts facts(value, file_ + ": resource");
    facts.rename(file_ + ": resource of " + facts.text("type", true));
    const std::string subresources =
        array(facts, "subresources", "SubresourceFacts", [&](Facts& entry) {
          return row({quoted(entry, "name", true), quoted(entry, "group"), quoted(entry, "version"),
                      quoted(entry, "kind"), quoted(entry, "type"), names(entry, "verbs")});
        });
    const std::string methods = array(facts, "clientMethods", "ClientMethod", [&](Facts& entry) {
      return row({quoted(entry, "method", true), quoted(entry, "verb"),
                  quoted(entry, "subresource"), quoted(entry, "input"),
                  std::string(boolean(entry.flag("inputIsApplyConfiguration"))),
                  quoted(entry, "result")});
    });
    std::vector<std::string> aliases;
    for (const auto& [label, field] : facts.dictionary("fieldSelectorAliases"))
      aliases.push_back(row({literal(label), literal(field)}));
    const std::string columns = facts.text("columns");
    if (!columns.empty() && !columns_.contains(columns))
      facts.fail("\"columns\" refers to \"" + columns + "\", which does not exist");
    static const Value none{json::Object{}};
    const Value* client_value = value.at_path({"client"});
    Facts client(client_value == nullptr ? none : *client_value, facts.where() + ", client");
    const Value* replacement_value = value.at_path({"replacement"});
    Facts replacement(replacement_value == nullptr ? none : *replacement_value,
                      facts.where() + ", replacement");
    const std::string text =
        row({quoted(facts, "group", true),
             quoted(facts, "version", true),
             quoted(facts, "kind", true),
             quoted(facts, "type"),
             quoted(facts, "listKind"),
             quoted(facts, "listType"),
             quoted(facts, "plural", true),
             quoted(facts, "singular"),
             names(facts, "shortNames"),
             names(facts, "categories"),
             std::string(boolean(facts.flag("namespaced"))),
             std::string(boolean(facts.flag("served"))),
             std::string(boolean(!facts.has("collection") || facts.flag("collection"))),
             names(facts, "verbs"),
             subresources,
             names(facts, "fieldSelectors"),
             arrays_.add("FieldAlias", aliases),
             arrays_.add("PrinterColumn", columns_[columns]),
             quoted(client, "clientset"),
             quoted(client, "accessor"),
             std::string(boolean(client.flag("protobuf"))),
             names(client, "methods"),
             names(client, "expansion"),
             methods,
             quoted(facts, "introduced"),
             quoted(facts, "deprecated"),
             quoted(facts, "removed"),
             row({quoted(replacement, "group"), quoted(replacement, "version"),
                  quoted(replacement, "kind")}),
             quoted(facts, "since")});
    keep(facts);
    keep(client);
    keep(replacement);
    return "    " + text + ",\n";
  }

  std::string group(const Value& value) {
    Facts facts(value, file_ + ": group");
    // A group that is not served has a null preferred version.
    const bool served = !facts.list("served").empty();
    const std::string text =
        row({quoted(facts, "group", true), names(facts, "versions"), names(facts, "served"),
             served ? quoted(facts, "preferred") : literal("")});
    keep(facts);
    return "    " + text + ",\n";
  }

  std::string file_;
  Arrays arrays_;
  std::map<std::string, std::vector<std::string>> columns_;
  std::optional<Error> error_;
};

}  // namespace

Result<ResourceTables> emit_resource_tables(const Value& document, const std::string& source) {
  return ResourceWriter(source).write(document, false);
}

Result<File> emit_resources(const std::filesystem::path& path) {
  const auto document = read_json_file(path);
  if (!document) return document.error();
  auto tables = ResourceWriter(path.filename().string()).write(*document, true);
  if (!tables) return tables.error();
  return File{
      "resources.cpp",
      "// SPDX-License-Identifier: Apache-2.0\n//\n// Made by kube-gen from " +
          path.filename().string() +
          " during the build; changes belong there.\n#include <kube/api/resources.hpp>\n\n"
          "namespace kube::api {\nnamespace {\n\n" +
          tables->resources + tables->groups +
          "\n}  // namespace\n\nstd::span<const ResourceFacts> all_resources() { return "
          "kResources; }\nstd::span<const GroupFacts> all_groups() { return kGroups; }\n\n}  "
          "// namespace kube::api\n"};
}

}  // namespace kube::gen
