// SPDX-License-Identifier: Apache-2.0
#include "custom.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <sstream>

#include <kube/base/ascii.hpp>

#include "names.hpp"

namespace kube::gen {
namespace {

using schema::Holder;
using schema::ValueType;

// Indexed by ValueType.
constexpr auto kTypeNames =
    std::to_array<std::string_view>({"bool", "int32", "int64", "double", "string", "bytes", "Time",
                                     "MicroTime", "Duration", "Quantity", "IntOrString", "any"});

bool is_identifier(std::string_view text) {
  return !text.empty() && !ascii::is_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) { return ascii::is_alnum(c) || c == '_'; });
}

// Like member_name(), also for text that begins with a digit or has no letter.
std::string identifier_of(std::string_view text) {
  std::string name = member_name(text);
  if (name.empty()) return "field";
  if (ascii::is_digit(name.front())) {
    name.insert(0, 1, '_');
    while (name.back() == '_') name.pop_back();
  }
  return name;
}

// Whether a character of a key has an escape in JSON: keys are written as they are.
bool is_escaped(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

// Whether a name would hide one that generated code uses, or be the folder of its other headers.
bool hides_ours(std::string_view name) {
  return name == "kube" || name == "kube_gen" || name == "std";
}

// Returns the part of a namespace, and the folder, for a group or version.
std::string namespace_part(std::string_view text) {
  std::string name = identifier_of(text);
  if (hides_ours(name)) name += '_';
  return name;
}

// Returns the name of the constant for a known value, unless another value has the same name.
std::string constant_name(std::string_view value) {
  return value.empty() ? "Empty" : enumerator_name(value);
}

// For comments: replaces characters that could end the line.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '\\' || c == 0x7f) c = '?';
  }
  return text;
}

Result<std::string> namespace_of(const schema::Package& package, const CustomOptions& options) {
  const std::string version = namespace_part(package.version);
  if (options.namespace_.empty()) {
    const std::string group = package.group.substr(0, package.group.find('.'));
    const std::string outermost = namespace_part(group.empty() ? "core" : group);
    return outermost + (is_global(outermost) ? "_::" : "::") + version;
  }
  std::size_t at = 0;
  for (std::size_t end = 0; end != std::string::npos; at = end + 2) {
    end = options.namespace_.find("::", at);
    const std::string part =
        options.namespace_.substr(at, end == std::string::npos ? end : end - at);
    if (!is_identifier(part) || is_reserved(part) || hides_ours(part) ||
        (at == 0 && is_global(part))) {
      return Error(ErrorCode::Config, "namespace \"" + options.namespace_ +
                                          "\": expected names separated by \"::\", such as "
                                          "acme::widgets; none may be \"kube\", "
                                          "\"kube_gen\", \"std\", or a keyword or system macro "
                                          "of C++, and the first may not be a global name of C");
    }
  }
  return options.namespace_ + "::" + version;
}

// Converts one package to the generator's types.
class Conversion {
 public:
  Conversion(const schema::Package& from, std::string in) : from_(from) {
    for (const schema::Type& type : from.types) types_.emplace(type.name, &type);
    package_.name = from.name();
    package_.group = from.group;
    package_.version = from.version;
    package_.namespace_ = std::move(in);
    // Without folders: the text must not depend on where it was built.
    const std::size_t file_end = std::min(from.source.find(": "), from.source.size());
    const std::size_t slash = from.source.rfind('/', file_end);
    package_.source =
        one_line(slash == std::string::npos ? from.source : from.source.substr(slash + 1));
  }

  Result<Package> run() {
    for (const schema::Type& type : from_.types) {
      if (!type.kind) continue;
      if (type.keeps_unknown)
        return bad(type,
                   "keeps unknown fields at the root, which a struct would lose; use "
                   "kube::Unstructured for it");
      if (!is_identifier(type.name) || type.name.front() < 'A' || type.name.front() > 'Z' ||
          type.name.find('_') != std::string::npos)
        return bad(type, "expected a kind of letters and digits that begins with a capital");
      use(type.name);
    }
    for (const schema::Type& type : from_.types) {
      if (!used_.contains(type.name)) continue;
      if (is_reserved(type.name))
        return bad(type, "is a macro of system headers, which no struct can have as its name");
      for (const schema::Field& field : type.fields) {
        if (field.key.empty() && !type.wraps)
          return bad(type, "has a property without a name, which a struct can't have");
        if (std::ranges::any_of(field.key, is_escaped))
          return bad(type, "property " + json::dump(field.key) +
                               ": quotes, backslashes and control characters in names are not "
                               "supported");
      }
      add(type);
    }
    return std::move(package_);
  }

 private:
  static Error bad(const schema::Type& type, const std::string& what) {
    return Error(ErrorCode::Decode, type.where + ": type " + type.name + ": " + what);
  }

  const schema::Type* find(const std::string& name) const {
    const auto found = types_.find(name);
    return found == types_.end() ? nullptr : found->second;
  }

  // Objects that keep unknown fields are kept as raw JSON, so their parts are not needed.
  bool is_kept_whole(const schema::Field& field) const {
    if (field.type == ValueType::Any) return true;
    if (field.type != ValueType::Object || field.external) return false;
    const schema::Type* type = find(field.object);
    return type != nullptr && type->keeps_unknown;
  }

  // Whether a complete type of the package is needed.
  bool is_part(const schema::Field& field) const {
    return field.type == ValueType::Object && !field.external && field.holder == Holder::One &&
           field.required && !field.nullable && !is_kept_whole(field);
  }

  // Whether an object of type `name` would contain itself through required members alone, if
  // `field` were one of them.
  bool closes_circle(const std::string& name, const schema::Field& field) const {
    if (!is_part(field)) return false;
    std::set<std::string> seen = {field.object};
    std::vector<const schema::Type*> open = {find(field.object)};
    while (!open.empty()) {
      const schema::Type* type = open.back();
      open.pop_back();
      if (type == nullptr) continue;
      if (type->name == name) return true;
      for (const schema::Field& each : type->fields) {
        if (is_part(each) && seen.insert(each.object).second) open.push_back(find(each.object));
      }
    }
    return false;
  }

  void use(const std::string& name) {
    const schema::Type* type = find(name);
    if (type == nullptr || !used_.insert(name).second) return;
    for (const schema::Field& field : type->fields) {
      if (field.type == ValueType::Object && !field.external && !is_kept_whole(field))
        use(field.object);
    }
  }

  void add(const schema::Type& from) {
    Type type;
    type.package = package_.name;
    type.namespace_ = package_.namespace_;
    type.name = from.name;
    type.source = from.where;
    type.kind = from.kind;
    type.item = from.item;
    type.form = from.wraps ? Form::List : Form::Object;
    std::set<std::string> members;
    for (const schema::Field& field : from.fields) {
      type.fields.push_back(field_of(field, from));
      std::string& member = type.fields.back().member;
      member = from.wraps ? "items" : identifier_of(field.key);
      while (!members.insert(member).second) member += '_';
      add_constants(field);
    }
    package_.types.push_back(std::move(type));
  }

  Field field_of(const schema::Field& from, const schema::Type& owner) const {
    const bool wrapped = owner.wraps;
    Field field;
    if (!wrapped) field.json = from.key;
    field.name = wrapped ? "items" : from.key;
    const bool whole = is_kept_whole(from);
    if (whole) {
      field.type = "any";
    } else if (from.type == ValueType::Object) {
      field.type = from.external ? from.object : package_.name + "." + from.object;
    } else {
      field.type = kTypeNames[static_cast<std::size_t>(from.type)];
    }
    field.repeated = from.holder == Holder::List;
    field.map = from.holder == Holder::Map;
    // Go has a pointer somewhere in a circle, and writes null where the values end.
    const bool circle = closes_circle(owner.name, from);
    const bool always = from.required && !from.nullable && !circle;
    const bool null =
        from.required && (from.nullable || circle || (whole && !field.repeated && !field.map));
    field.zero_json = null ? Zero::Null : always ? Zero::Value : Zero::Omit;
    // Bytes that are null or empty keep the difference.
    const bool nullable_bytes = null && from.type == ValueType::Bytes;
    field.pointer = !always && !field.repeated && !field.map && !whole && !nullable_bytes;
    if (!from.enum_name.empty()) field.alias = package_.name + "." + from.enum_name;
    if (!wrapped)
      field.facts = FieldFacts{from.required,  from.nullable,      from.default_value, from.values,
                               from.list_type, from.list_map_keys, from.map_type};
    return field;
  }

  void add_constants(const schema::Field& field) {
    if (field.enum_name.empty()) return;
    std::vector<std::string> values;
    std::map<std::string, int> wanted;  // names, and the number of values with each
    for (const std::string& text : field.values) {
      const auto parsed = json::parse(text);
      if (!parsed || !parsed->is_string()) continue;  // null
      std::string value(parsed->string_or_empty());
      if (std::ranges::find(values, value) != values.end()) continue;
      ++wanted[constant_name(value)];
      values.push_back(std::move(value));
    }
    StringType type{package_.name, field.enum_name, {}};
    for (std::string& value : values) {
      std::string name = constant_name(value);
      // Not numbered: a new value must not change the meaning of an old name.
      if (name.empty() || name == field.enum_name || is_reserved(name) || wanted[name] > 1)
        name = exact_enumerator_name(value);
      type.constants.push_back(
          {.name = field.enum_name + name, .value = std::move(value), .member = name});
    }
    package_.string_types.push_back(std::move(type));
  }

  const schema::Package& from_;
  std::map<std::string, const schema::Type*> types_;  // of from_
  Package package_;
  std::set<std::string> used_;
};

json::Array array_of(const std::vector<std::string>& texts) {
  json::Array out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

// Returns the resources of a package in the form of resources.json.
json::Value facts_of(const schema::Package& package) {
  static const std::vector<std::string> verbs = {"create", "delete", "deletecollection", "get",
                                                 "list",   "patch",  "update",           "watch"};
  json::Value document{json::Object{}};
  json::Array resources;
  for (const schema::Resource& resource : package.resources) {
    json::Array subresources;
    for (const std::string& name : resource.subresources) {
      const bool scale = name == "scale";
      subresources.emplace_back(json::Object{
          {"name", name},
          {"group", scale ? "autoscaling" : package.group},
          {"version", scale ? "v1" : package.version},
          {"kind", scale ? "Scale" : resource.kind},
          {"type", scale ? "autoscaling.v1.Scale" : package.name() + "." + resource.kind},
          {"verbs", array_of({"get", "patch", "update"})}});
    }
    std::vector<std::string> selectors = {"metadata.name"};
    if (resource.namespaced) selectors.emplace_back("metadata.namespace");
    for (const std::string& path : resource.selectable_fields)
      selectors.push_back(path.starts_with('.') ? path.substr(1) : path);
    json::Object facts{{"group", package.group},
                       {"version", package.version},
                       {"kind", resource.kind},
                       {"type", package.name() + "." + resource.kind},
                       {"listKind", resource.list_kind},
                       {"listType", package.name() + "." + resource.list_kind},
                       {"plural", resource.plural},
                       {"singular", resource.singular},
                       {"shortNames", array_of(resource.short_names)},
                       {"categories", array_of(resource.categories)},
                       {"namespaced", resource.namespaced},
                       {"served", resource.served},
                       {"verbs", array_of(verbs)},
                       {"subresources", std::move(subresources)},
                       {"fieldSelectors", array_of(selectors)}};
    if (!resource.columns.empty()) {
      json::Array columns;
      for (const schema::Column& column : resource.columns) {
        columns.emplace_back(json::Object{{"name", column.name},
                                          {"type", column.type},
                                          {"format", column.format},
                                          {"priority", column.priority},
                                          {"path", column.path}});
      }
      document.ensure_path({"printerColumns", resource.plural}) = std::move(columns);
      facts.set("columns", resource.plural);
    }
    resources.emplace_back(std::move(facts));
  }
  document.if_object()->set("resources", std::move(resources));
  return document;
}

Result<void> add_resource_files(const schema::Package& package, const Layout& layout,
                                std::vector<File>& headers, std::string& source) {
  if (package.resources.empty()) return {};
  const std::string path = layout.place.directory + "/resources.hpp";
  const std::string& in = layout.place.namespace_;
  const auto tables = emit_resource_tables(facts_of(package), package.source);
  if (!tables) return tables.error();
  headers.push_back(
      {path, banner(layout) +
                 "#pragma once\n\n#include <span>\n\n#include <kube/api/resources.hpp>\n\n"
                 "namespace " +
                 in +
                 " {\n\n/// The resources of this group and version.\n"
                 "std::span<const kube::api::ResourceFacts> all_resources();\n\n}  // namespace " +
                 in + "\n"});
  source += "\n#include <" + path + ">\n\nnamespace " + in +
            " {\nnamespace resource_tables {\nnamespace {\n\n"
            // Declared one by one: a kind may have the name of one of them.
            "using ::kube::api::ClientMethod;\nusing ::kube::api::FieldAlias;\n"
            "using ::kube::api::PrinterColumn;\nusing ::kube::api::ResourceFacts;\n"
            "using ::kube::api::SubresourceFacts;\n\n" +
            tables->resources +
            "\n}  // namespace\n}  // namespace resource_tables\n\n"
            "std::span<const kube::api::ResourceFacts> all_resources() { return "
            "resource_tables::kResources; }\n\n}  // namespace " +
            in + "\n";
  return {};
}

std::uint64_t fingerprint(const std::vector<File>& files) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const File& file : files) {
    for (const char c : file.path + '\n' + file.text)
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace

schema::KnownType known_types(Schema& schema, const Choices& choices) {
  const auto planner = std::make_shared<Planner>(schema, choices);
  return [&schema, planner](const std::string& reference) {
    const auto type = schema.find(reference);
    if (!type || *type == nullptr) return false;
    if ((*type)->form == Form::Raw) return true;
    const auto layout = planner->layout((*type)->package);
    return layout && (*layout)->header_of.contains(reference);
  };
}

Result<CustomFiles> emit_custom(const std::vector<schema::Package>& packages, Schema& schema,
                                const Choices& choices, const CustomOptions& options) {
  if (!is_identifier(options.name))
    return Error(ErrorCode::Config, "name \"" + options.name + "\": expected an identifier");
  std::map<std::string, const schema::Package*> owners;
  for (const schema::Package& package : packages) {
    auto in = namespace_of(package, options);
    if (!in) return in.error();
    const auto [owner, fresh] = owners.emplace(*in, &package);
    if (!fresh) {
      const schema::Package& other = *owner->second;
      const std::string names =
          other.group == package.group
              ? "versions " + other.version + " and " + package.version + " of " + package.group
              : "groups " + other.group + " and " + package.group;
      return Error(ErrorCode::Config, package.source + ": the " + names +
                                          " would share the namespace " + *in +
                                          ": generate them separately, with different namespaces");
    }
    auto converted = Conversion(package, *in).run();
    if (!converted) return converted.error();
    std::map<std::string, Resource> resources;
    for (const schema::Resource& resource : package.resources)
      resources[package.name() + "." + resource.kind] = {resource.plural, resource.singular,
                                                         resource.namespaced};
    schema.add(*std::move(converted), std::move(resources));
  }

  CustomFiles files;
  Planner planner(schema, choices);
  for (const auto& [in, package] : owners) {
    const auto layout = planner.layout(package->name());
    if (!layout) return layout.error();
    auto headers = emit_headers(**layout, planner);
    if (!headers) return headers.error();
    const auto sources = emit_sources(**layout, schema, choices, 1);
    if (!sources) return sources.error();
    files.source.text += (files.source.text.empty() ? "" : "\n") + sources->front().text;
    if (auto added = add_resource_files(*package, **layout, *headers, files.source.text); !added)
      return added.error();
    files.headers.insert(files.headers.end(), headers->begin(), headers->end());
  }
  const std::string stamp = "kube_gen/" + options.name + ".hpp";
  constexpr std::string_view kOnce = "#pragma once\n";
  for (File& header : files.headers) {
    const std::size_t after = header.text.find(kOnce) + kOnce.size();
    header.text.insert(after,
                       "\n#include <" + stamp + ">  // changes with every generated header\n");
  }
  std::ostringstream number;
  number << std::hex << fingerprint(files.headers);
  files.headers.push_back({stamp,
                           "// SPDX-License-Identifier: Apache-2.0\n//\n// Fingerprint of "
                           "the generated headers: " +
                               number.str() + "\n#pragma once\n"});
  files.source.path = options.name + ".cpp";
  return files;
}

}  // namespace kube::gen
