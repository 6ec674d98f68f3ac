// SPDX-License-Identifier: Apache-2.0
#include "structural.hpp"

#include <algorithm>
#include <array>

namespace kube::schema {
namespace {

using json::Value;

enum class Level { Root, Field, Item };

constexpr auto kLogical = std::to_array<std::string_view>({"allOf", "anyOf", "oneOf"});

void forbid(const Node& node, std::string_view key, const std::string& why) {
  if (node.has(key)) node.fail(key, "Forbidden: " + why);
}

bool is_true(const Node& node, std::string_view key) {
  const Value* value = node.find(key);
  return value != nullptr && value->is_bool() && *value->if_bool();
}

// True when the value fits the schema's `type`.
bool fits_type(const Value& value, std::string_view type) {
  if (type == "integer") return value.is_int() || value.is_uint();
  if (type == "number") return value.is_number();
  return type.empty() || value.type_name() == type;
}

void check_extensions(const Node& node, const std::string& type) {
  for (const std::string_view key : {std::string_view("x-kubernetes-preserve-unknown-fields")}) {
    if (node.has(key) && !node.flag(key))
      node.fail(key, "Invalid value: false: must be true or undefined");
  }
  // Servers accept a type beside it.
  if (is_true(node, "x-kubernetes-int-or-string")) {
    for (const char* key :
         {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (is_true(node, key))
        node.fail(key, "Invalid value: true: must be false if x-kubernetes-int-or-string is true");
    }
  }
  if (is_true(node, "x-kubernetes-embedded-resource")) {
    if (type != "object") {
      node.fail("type",
                (type.empty() ? "Required value" : "Invalid value: \"" + type + "\"") +
                    std::string(": must be object if x-kubernetes-embedded-resource is true"));
    }
    if (!is_true(node, "x-kubernetes-preserve-unknown-fields") && node.object("properties").empty())
      node.fail("properties",
                "Required value: must not be empty if x-kubernetes-embedded-resource is true "
                "without x-kubernetes-preserve-unknown-fields");
  }
}

void check_list_type(const Node& node, const std::string& type) {
  const std::string list_type = node.text("x-kubernetes-list-type");
  const std::vector<std::string> keys = node.texts("x-kubernetes-list-map-keys");
  if (!list_type.empty()) {
    if (list_type != "atomic" && list_type != "set" && list_type != "map")
      node.fail("x-kubernetes-list-type", "Unsupported value: \"" + list_type +
                                              "\": supported values: \"atomic\", \"set\", \"map\"");
    if (type != "array")
      node.fail("type", "Invalid value: \"" + type +
                            "\": must be array if x-kubernetes-list-type is specified");
  }
  if (list_type != "map") {
    if (!keys.empty())
      node.fail("x-kubernetes-list-type",
                "Invalid value: \"" + list_type +
                    "\": must be map if x-kubernetes-list-map-keys is non-empty");
  } else {
    if (keys.empty())
      node.fail("x-kubernetes-list-map-keys",
                "Required value: must not be empty if x-kubernetes-list-type is map");
    const auto items = node.child("items");
    if (items && items->text("type") != "object") {
      items->fail("type", "Invalid value: \"" + items->text("type") +
                              "\": must be object if parent array's x-kubernetes-list-type is map");
    } else if (items) {
      const std::vector<std::string> required = items->texts("required");
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const Value* property = items->object("properties").find(keys[i]);
        const std::string place = "x-kubernetes-list-map-keys[" + std::to_string(i) + "]";
        if (property == nullptr) {
          node.fail(place, "Invalid value: \"" + keys[i] +
                               "\": entries must all be names of item properties");
        } else if (std::ranges::find(required, keys[i]) == required.end() &&
                   property->at_path({"default"}) == nullptr) {
          items->fail("properties[" + keys[i] + "].default",
                      "Required value: this property is in x-kubernetes-list-map-keys, so it must "
                      "have a default or be a required property");
        }
      }
    }
  }
  const std::string map_type = node.text("x-kubernetes-map-type");
  if (!map_type.empty() && map_type != "atomic" && map_type != "granular")
    node.fail("x-kubernetes-map-type", "Unsupported value: \"" + map_type +
                                           "\": supported values: \"granular\", \"atomic\"");
  if (!map_type.empty() && type != "object")
    node.fail("type", "Invalid value: \"" + type +
                          "\": must be object if x-kubernetes-map-type is specified");
}

// What a schema inside of allOf, anyOf, oneOf or not may say: nothing of what a field is, and only
// of fields that `outside`, the schema that it is in, knows.
void check_inside(const Node& node, const Node& outside, bool int_or_string) {
  for (const std::string_view key : {"description", "title", "default", "additionalProperties"})
    forbid(node, key, "must be undefined to be structural");
  if (!int_or_string) forbid(node, "type", "must be empty to be structural");
  for (const std::string_view key :
       {"nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string"}) {
    if (is_true(node, key)) node.fail(key, "Forbidden: must be false to be structural");
  }
  const auto known = outside.members("properties");
  for (const auto& [name, inner] : node.members("properties")) {
    const auto found = std::ranges::find(known, name, &std::pair<std::string, Node>::first);
    if (found == known.end()) {
      outside.fail("properties[" + name + "]",
                   "Required value: because it is defined in " + inner.path());
    } else {
      check_inside(inner, found->second, false);
    }
  }
  if (const auto items = node.child("items")) {
    const auto outer = outside.child("items");
    if (!outer) {
      outside.fail("items", "Required value: because it is defined in " + items->path());
    } else {
      check_inside(*items, *outer, false);
    }
  }
  for (const std::string_view key : kLogical) {
    for (const Node& each : node.children(key))
      check_inside(each, outside, int_or_string && key == "anyOf");
  }
  if (const auto inner = node.child("not")) check_inside(*inner, outside, false);
}

void check_type(const Node& node, Level level, const std::string& type) {
  const bool preserves = is_true(node, "x-kubernetes-preserve-unknown-fields");
  if (type.empty() && !is_true(node, "x-kubernetes-int-or-string") && !preserves) {
    node.fail("type", level == Level::Root ? "Required value: must not be empty at the root"
                      : level == Level::Item
                          ? "Required value: must not be empty for specified array items"
                          : "Required value: must not be empty for specified object fields");
  }
  if (level == Level::Root && type != "object")
    node.fail("type", (type.empty() ? "Required value" : "Invalid value: \"" + type + "\"") +
                          std::string(": must be object at the root"));
  constexpr auto kTypes = std::to_array<std::string_view>(
      {"", "object", "array", "string", "integer", "number", "boolean"});
  if (std::ranges::find(kTypes, type) == kTypes.end())
    node.fail("type", "Unsupported value: \"" + type +
                          "\": supported values: \"array\", \"boolean\", \"integer\", \"number\", "
                          "\"object\", \"string\"");
}

void check_default(const Node& node, const std::string& type, bool int_or_string) {
  const auto* fallback = node.find("default");
  const bool fits = fallback == nullptr || (int_or_string ? fits_type(*fallback, "integer") ||
                                                                fits_type(*fallback, "string")
                                                          : fits_type(*fallback, type));
  if (!fits)
    node.fail("default", "Invalid value: must be of type " +
                             (int_or_string ? "integer or string" : type) + ", found " +
                             std::string(fallback->type_name()));
}

void check(const Node& node, Level level, int depth) {
  if (depth > 100) return node.fail("Invalid value: nested more than 100 levels deep");
  if (node.problem().error()) return;
  for (const std::string_view key : {"$ref", "additionalItems", "patternProperties", "definitions",
                                     "dependencies", "id", "$schema"}) {
    forbid(node, key, std::string(key) + " is not supported");
  }
  if (is_true(node, "uniqueItems"))
    node.fail("uniqueItems",
              "Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes "
              "quadratic");
  const std::string type = node.text("type");
  const bool int_or_string = is_true(node, "x-kubernetes-int-or-string");
  check_type(node, level, type);
  check_extensions(node, type);
  check_list_type(node, type);

  if (const Value* more = node.find("additionalProperties")) {
    if (level == Level::Root)
      node.fail("additionalProperties", "Forbidden: must not be used at the root");
    if (!node.object("properties").empty())
      node.fail("additionalProperties",
                "Forbidden: additionalProperties and properties are mutual exclusive");
    if (more->is_bool()) {
      if (!*more->if_bool())
        node.fail("additionalProperties", "Forbidden: additionalProperties cannot be set to false");
    } else if (const auto values = node.child("additionalProperties")) {
      check(*values, Level::Field, depth + 1);
    }
  }
  for (const auto& [name, property] : node.members("properties")) {
    if (level == Level::Root && name == "metadata") {
      for (const auto& [key, unused] : property.members("properties")) {
        if (key != "name" && key != "generateName")
          property.fail("properties[" + key + "]",
                        "Forbidden: must not specify anything other than name and generateName, "
                        "but metadata is implicitly specified");
      }
    }
    check(property, Level::Field, depth + 1);
  }
  const Value* items = node.find("items");
  if (items != nullptr && items->is_array())
    node.fail("items", "Forbidden: items must be a schema object and not an array");
  if (type == "array" && items == nullptr) node.fail("items", "Required value: must be specified");
  if (items != nullptr) check(*node.child("items"), Level::Item, depth + 1);

  for (const std::string_view key : kLogical) {
    for (const Node& each : node.children(key)) {
      check_inside(each, node, int_or_string && (key == "anyOf" || key == "allOf"));
    }
  }
  if (const auto inner = node.child("not")) check_inside(*inner, node, false);
  check_default(node, type, int_or_string);
}

}  // namespace

void check_structural(const Node& root) {
  check(root, Level::Root, 0);
}

}  // namespace kube::schema
