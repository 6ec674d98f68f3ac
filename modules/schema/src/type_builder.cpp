// SPDX-License-Identifier: Apache-2.0
#include "type_builder.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <kube/base/ascii.hpp>

namespace kube::schema {
namespace {

using json::Value;

constexpr int kMaxDepth = 100;

// The pattern that controller-gen writes for a resource.Quantity.
constexpr std::string_view kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

Field of(ValueType type) {
  Field field;
  field.type = type;
  return field;
}

Field meta_object(std::string_view name) {
  Field field = of(ValueType::Object);
  field.object = "meta.v1." + std::string(name);
  field.external = true;
  return field;
}

// Returns the types in the parts of anyOf or oneOf.
std::set<std::string> alternative_types(const Node& node) {
  std::set<std::string> types;
  for (const std::string_view key : {"anyOf", "oneOf"}) {
    for (const Node& each : node.children(key)) types.insert(each.text("type"));
  }
  return types;
}

// Whether an object with properties may have others.
bool keeps_unknown(const Node& node) {
  const Value* more = node.find("additionalProperties");
  return node.flag("x-kubernetes-preserve-unknown-fields") ||
         (more != nullptr && !(more->is_bool() && !*more->if_bool()));
}

}  // namespace

std::string type_name_of(std::string_view key) {
  std::string out;
  bool begins = true;
  for (const char c : key) {
    if (!ascii::is_alnum(c)) {
      begins = true;
      continue;
    }
    out += begins ? ascii::to_upper(c) : c;
    begins = false;
  }
  return out.empty() ? "Field" : out;
}

bool TypeBuilder::take(const std::string& name) {
  return names_.emplace(ascii::to_lower(name), false).second;
}

std::string TypeBuilder::unique(const std::string& name) {
  std::string made = name;
  for (int i = 2; !take(made); ++i) made = name + std::to_string(i);
  return made;
}

bool TypeBuilder::take_kind(const std::string& name) {
  const std::string key = ascii::to_lower(name);
  const auto [taken, fresh] = names_.emplace(key, true);
  if (fresh) return true;
  if (std::exchange(taken->second, true)) return false;
  std::string made;
  const auto give_way = [&](std::string& part) {
    if (ascii::to_lower(part) != key) return;
    if (made.empty()) made = unique(part);
    part = made;
  };
  for (Type& type : package_.types) {
    give_way(type.name);
    for (Field& field : type.fields) {
      if (!field.external) give_way(field.object);
      give_way(field.enum_name);
    }
  }
  return true;
}

TypeBuilder::TypeBuilder(Package& package, References* references)
    : package_(package), references_(references) {
  for (const Type& type : package.types) {
    names_.emplace(ascii::to_lower(type.name), type.kind);
    for (const Field& field : type.fields) {
      if (!field.enum_name.empty()) take(field.enum_name);
    }
  }
}

void TypeBuilder::add_kind(const Node& node, const std::string& kind) {
  Type type;
  type.name = kind;
  type.where = node.where();
  type.kind = true;
  type.keeps_unknown = keeps_unknown(node);
  if (references_ == nullptr) {
    Field metadata = meta_object("ObjectMeta");
    metadata.key = "metadata";
    metadata.required = true;
    type.fields.push_back(std::move(metadata));
  }
  add_properties(node, type, 0);
  bool is_list = false;
  for (Field& field : type.fields) {
    if (field.key != "metadata" || !field.external) continue;
    field.required = true;
    is_list = field.object == "meta.v1.ListMeta";
  }
  for (const Field& field : type.fields) {
    if (is_list && field.key == "items") type.item = field.object;
  }
  package_.types.push_back(std::move(type));
}

void TypeBuilder::add_list(const std::string& kind, const std::string& list_kind,
                           const Node& names) {
  Type list;
  list.name = list_kind;
  list.where = names.where();
  list.kind = true;
  list.item = kind;
  Field metadata = meta_object("ListMeta");
  metadata.key = "metadata";
  metadata.required = true;
  Field items = of(ValueType::Object);
  items.key = "items";
  items.holder = Holder::List;
  items.object = kind;
  items.required = items.nullable = true;
  list.fields = {std::move(metadata), std::move(items)};
  package_.types.push_back(std::move(list));
}

void TypeBuilder::add_object(const Node& node, const std::string& name) {
  Type type;
  type.name = name;
  type.where = node.where();
  type.keeps_unknown = keeps_unknown(node);
  add_properties(node, type, 0);
  package_.types.push_back(std::move(type));
}

void TypeBuilder::add_properties(const Node& node, Type& type, int depth) {
  const std::vector<std::string> required = node.texts("required");
  const bool around = std::exchange(wrapping_, false);
  for (const auto& [key, property] : node.members("properties")) {
    if (type.kind &&
        (key == "kind" || key == "apiVersion" || (key == "metadata" && references_ == nullptr))) {
      continue;
    }
    Field field = shape(property, type.name + type_name_of(key), depth + 1);
    field.key = key;
    field.required = std::ranges::find(required, key) != required.end();
    if (const Value* fallback = property.find("default"))
      field.default_value = json::dump(*fallback);
    field.list_type = property.text("x-kubernetes-list-type");
    field.list_map_keys = property.texts("x-kubernetes-list-map-keys");
    field.map_type = property.text("x-kubernetes-map-type");
    type.fields.push_back(std::move(field));
  }
  wrapping_ = around;
}

Field TypeBuilder::shape(const Node& node, const std::string& name, int depth) {
  if (depth > kMaxDepth) {
    node.fail("nested more than 100 levels deep");
    return {};
  }
  if (node.problem().error()) return {};
  Field field;
  if (node.has("$ref")) {
    const std::string reference = node.text("$ref");
    if (references_ == nullptr) {
      node.fail("$ref", "Forbidden: $ref is not supported");
      return {};
    }
    field = references_->resolve(node, reference);
  } else if (const auto all = node.children("allOf");
             references_ != nullptr && all.size() == 1 && all.front().has("$ref")) {
    // Servers use this form to add to a reference: a default, or that it may be null.
    field = references_->resolve(all.front(), all.front().text("$ref"));
  } else if (node.flag("x-kubernetes-int-or-string") || node.text("format") == "int-or-string") {
    field =
        of(node.text("pattern") == kQuantityPattern ? ValueType::Quantity : ValueType::IntOrString);
  } else {
    const std::string type = node.text("type");
    if (type == "object") {
      field = object(node, name, depth);
    } else if (type == "array") {
      field = array(node, name, depth);
    } else if (type == "string") {
      field = text(node, name);
    } else if (type == "integer") {
      field = of(node.text("format") == "int32" ? ValueType::Int32 : ValueType::Int64);
    } else if (type == "number") {
      field = of(ValueType::Double);
    } else if (type == "boolean") {
      field = of(ValueType::Bool);
    } else if (type.empty()) {
      field = untyped(node, name, depth);
    } else {
      node.fail("type", "expected object, array, string, integer, number or boolean, found \"" +
                            type + "\"");
    }
  }
  field.nullable = node.flag("nullable");
  for (const Value& value : node.list("enum")) field.values.push_back(json::dump(value));
  return field;
}

Field TypeBuilder::untyped(const Node& node, const std::string& name, int depth) {
  // Properties without a type: a schema that keeps unknown fields may omit it.
  if (!node.object("properties").empty()) return object(node, name, depth);
  std::set<std::string> types = alternative_types(node);
  if (types == std::set<std::string>{"integer", "string"}) return of(ValueType::IntOrString);
  return of(ValueType::Any);
}

Field TypeBuilder::text(const Node& node, const std::string& name) {
  const std::string format = node.text("format");
  if (format == "date-time") return of(ValueType::Time);
  if (format == "byte") return of(ValueType::Bytes);
  Field field = of(ValueType::String);
  // Others are not known values: YAML reads a plain On as a boolean.
  if (std::ranges::any_of(node.list("enum"), [](const Value& value) { return value.is_string(); }))
    field.enum_name = unique(name);
  return field;
}

Field TypeBuilder::element(const Node& node, const std::string& name, int depth) {
  const bool nested = node.text("type") == "array" || node.has("additionalProperties");
  if (!nested) {
    Field held = shape(node, wrapping_ ? name + "Item" : name, depth);
    if (held.holder == Holder::One) return held;
    return wrapped(node, std::move(held), unique(name + "Item"));  // by reference
  }
  std::string wrapper = unique(name + "Item");
  const bool around = std::exchange(wrapping_, true);
  Field held = shape(node, wrapper, depth);
  wrapping_ = around;
  if (held.holder == Holder::One) return held;  // additionalProperties: false
  return wrapped(node, std::move(held), std::move(wrapper));
}

Field TypeBuilder::wrapped(const Node& node, Field held, std::string name) {
  Type wrapper;
  wrapper.name = std::move(name);
  wrapper.where = node.where();
  wrapper.wraps = true;
  held.required = true;
  held.list_type = node.text("x-kubernetes-list-type");
  held.list_map_keys = node.texts("x-kubernetes-list-map-keys");
  wrapper.fields.push_back(std::move(held));
  Field field = of(ValueType::Object);
  field.object = wrapper.name;
  package_.types.push_back(std::move(wrapper));
  return field;
}

Field TypeBuilder::array(const Node& node, const std::string& name, int depth) {
  Field field = of(ValueType::Any);
  if (const auto items = node.child("items")) field = element(*items, name, depth + 1);
  field.holder = Holder::List;
  return field;
}

Field TypeBuilder::object(const Node& node, const std::string& name, int depth) {
  const bool keeps = node.flag("x-kubernetes-preserve-unknown-fields");
  const bool embedded = node.flag("x-kubernetes-embedded-resource");
  if (!node.object("properties").empty()) {
    Field field = of(ValueType::Object);
    field.object = build_object(node, name, embedded, depth);
    return field;
  }
  if (const Value* more = node.find("additionalProperties");
      more != nullptr && !(more->is_bool() && !*more->if_bool())) {
    Field field = of(ValueType::Any);
    if (!more->is_bool()) {
      field = element(*node.child("additionalProperties"), name, depth + 1);
    }
    field.holder = Holder::Map;
    return field;
  }
  if (keeps || embedded || references_ != nullptr) return of(ValueType::Any);
  // A structural schema without fields: the server drops all of its content.
  Field field = of(ValueType::Object);
  field.object = build_object(node, name, false, depth);
  return field;
}

std::string TypeBuilder::build_object(const Node& node, const std::string& name, bool embedded,
                                      int depth) {
  Type type;
  type.name = unique(name);
  type.where = node.where();
  type.keeps_unknown = keeps_unknown(node);
  if (embedded) {
    // The members that every object has are implied.
    const json::Object& properties = node.object("properties");
    for (const std::string_view key : {"kind", "apiVersion"}) {
      if (properties.contains(key)) continue;
      Field field = of(ValueType::String);
      field.key = key;
      field.required = true;
      type.fields.push_back(std::move(field));
    }
    if (!properties.contains("metadata")) {
      Field metadata = meta_object("ObjectMeta");
      metadata.key = "metadata";
      type.fields.push_back(std::move(metadata));
    }
  }
  add_properties(node, type, depth);
  if (embedded) {
    for (Field& field : type.fields) {
      if (field.key != "metadata" || field.external) continue;
      Field metadata = meta_object("ObjectMeta");
      metadata.key = field.key;
      metadata.required = field.required;
      field = std::move(metadata);
    }
  }
  std::string made = type.name;
  package_.types.push_back(std::move(type));
  return made;
}

}  // namespace kube::schema
