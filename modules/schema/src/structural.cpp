// SPDX-License-Identifier: Apache-2.0
//
// The rules of structural schemas, level by level.
#include "structural.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kube/schema/documents.hpp>

namespace kube::schema {
namespace {

using json::Value;
using meta::FieldError;
using meta::FieldPath;

enum class Level { Root, Field, Item };

constexpr auto kLogical = std::to_array<std::string_view>({"allOf", "anyOf", "oneOf"});

FieldPath path_of(const Node& node, std::string_view key) {
  return FieldPath(node.path_of(key));
}

void forbid(const Node& node, std::string_view key, const std::string& why) {
  if (node.has(key)) node.problem().set(FieldError::forbidden(path_of(node, key), why));
}

// Reports a type that must be another one, or is missing.
void wrong_type(const Node& node, const std::string& type, const std::string& why) {
  const FieldPath path = path_of(node, "type");
  node.problem().set(type.empty() ? FieldError::required(path, why)
                                  : FieldError::invalid(path, type, why));
}

bool is_true(const Node& node, std::string_view key) {
  const Value* value = node.find(key);
  return value != nullptr && value->is_bool() && *value->if_bool();
}

bool fits_type(const Value& value, std::string_view type) {
  if (type == "integer") return value.is_int() || value.is_uint();
  if (type == "number") return value.is_number();
  return type.empty() || value.type_name() == type;
}

void check_extensions(const Node& node, const std::string& type) {
  constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
  constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";
  if (node.has(kPreserve) && !node.flag(kPreserve)) {
    node.problem().set(
        FieldError::invalid(path_of(node, kPreserve), false, "must be true or undefined"));
  }
  // Servers accept a type as well.
  if (is_true(node, "x-kubernetes-int-or-string")) {
    for (const std::string_view key : {kPreserve, kEmbedded}) {
      if (is_true(node, key)) {
        node.problem().set(FieldError::invalid(
            path_of(node, key), true, "must be false if x-kubernetes-int-or-string is true"));
      }
    }
  }
  if (!is_true(node, kEmbedded)) return;
  if (type != "object")
    wrong_type(node, type, "must be object if x-kubernetes-embedded-resource is true");
  if (!is_true(node, kPreserve) && node.object("properties").empty()) {
    node.problem().set(
        FieldError::required(path_of(node, "properties"),
                             "must not be empty if x-kubernetes-embedded-resource is true without "
                             "x-kubernetes-preserve-unknown-fields"));
  }
}

void check_map_keys(const Node& node, const Node& items, const std::vector<std::string>& keys) {
  const std::vector<std::string> texts = items.texts("required");
  const std::set<std::string_view> required(texts.begin(), texts.end());
  for (std::size_t i = 0; i < keys.size() && !node.problem().has_enough(); ++i) {
    const Value* property = items.object("properties").find(keys[i]);
    if (property == nullptr) {
      node.problem().set(FieldError::invalid(path_of(node, "x-kubernetes-list-map-keys").index(i),
                                             keys[i],
                                             "entries must all be names of item properties"));
    } else if (!required.contains(keys[i]) && property->at_path({"default"}) == nullptr) {
      node.problem().set(FieldError::required(
          path_of(items, "properties").key(keys[i]).child("default"),
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a "
          "required property"));
    }
  }
}

void check_list_type(const Node& node, const std::string& type) {
  constexpr std::string_view kKeys = "x-kubernetes-list-map-keys";
  const std::string list_type = node.text("x-kubernetes-list-type");
  const std::vector<std::string> keys = node.texts(kKeys);
  if (!list_type.empty()) {
    if (list_type != "atomic" && list_type != "set" && list_type != "map") {
      node.problem().set(FieldError::not_supported(path_of(node, "x-kubernetes-list-type"),
                                                   list_type, {"atomic", "set", "map"}));
    }
    if (type != "array") {
      node.problem().set(FieldError::invalid(
          path_of(node, "type"), type, "must be array if x-kubernetes-list-type is specified"));
    }
  }
  if (list_type != "map") {
    if (!keys.empty()) {
      node.problem().set(
          FieldError::invalid(path_of(node, "x-kubernetes-list-type"), list_type,
                              "must be map if x-kubernetes-list-map-keys is non-empty"));
    }
    return;
  }
  if (keys.empty()) {
    node.problem().set(FieldError::required(path_of(node, kKeys),
                                            "must not be empty if x-kubernetes-list-type is map"));
  }
  const auto items = node.child("items");
  if (!items) return;
  if (const std::string item_type = items->text("type"); item_type != "object") {
    node.problem().set(
        FieldError::invalid(path_of(*items, "type"), item_type,
                            "must be object if parent array's x-kubernetes-list-type is map"));
  } else {
    check_map_keys(node, *items, keys);
  }
}

void check_map_type(const Node& node, const std::string& type) {
  const std::string map_type = node.text("x-kubernetes-map-type");
  if (map_type.empty()) return;
  if (map_type != "atomic" && map_type != "granular") {
    node.problem().set(FieldError::not_supported(path_of(node, "x-kubernetes-map-type"), map_type,
                                                 {"granular", "atomic"}));
  }
  if (type != "object") {
    node.problem().set(FieldError::invalid(path_of(node, "type"), type,
                                           "must be object if x-kubernetes-map-type is specified"));
  }
}

// Checks a schema inside of allOf, anyOf, oneOf or not: it may not define what a field is, and may
// only restrict fields that `outside`, the enclosing schema, defines.
void check_inside(const Node& node, const Node& outside, bool int_or_string) {
  for (const std::string_view key : {"description", "title", "default", "additionalProperties"})
    forbid(node, key, "must be undefined to be structural");
  if (!int_or_string) forbid(node, "type", "must be empty to be structural");
  for (const std::string_view key :
       {"nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string"}) {
    if (is_true(node, key)) {
      node.problem().set(
          FieldError::forbidden(path_of(node, key), "must be false to be structural"));
    }
  }
  const auto unknown = [&](const FieldPath& path, const Node& inner) {
    node.problem().set(FieldError::required(path, "because it is defined in " + inner.path()));
  };
  node.each_member("properties", [&](const std::string& name, const Node& inner) {
    if (const auto outer = outside.member("properties", name)) {
      check_inside(inner, *outer, false);
    } else {
      unknown(path_of(outside, "properties").key(name), inner);
    }
  });
  if (const auto items = node.child("items")) {
    if (const auto outer = outside.child("items")) {
      check_inside(*items, *outer, false);
    } else {
      unknown(path_of(outside, "items"), *items);
    }
  }
  for (const std::string_view key : kLogical) {
    node.each_element(key, [&](const Node& each) {
      check_inside(each, outside, int_or_string && key == "anyOf");
    });
  }
  if (const auto inner = node.child("not")) check_inside(*inner, outside, false);
}

void check_type(const Node& node, Level level, const std::string& type) {
  const bool is_free = is_true(node, "x-kubernetes-int-or-string") ||
                       is_true(node, "x-kubernetes-preserve-unknown-fields");
  if (type.empty() && !is_free) {
    node.problem().set(FieldError::required(path_of(node, "type"),
                                            level == Level::Root ? "must not be empty at the root"
                                            : level == Level::Item
                                                ? "must not be empty for specified array items"
                                                : "must not be empty for specified object "
                                                  "fields"));
  }
  if (level == Level::Root && !type.empty() && type != "object")
    wrong_type(node, type, "must be object at the root");
  const std::vector<std::string> types = {"array",  "boolean", "integer",
                                          "number", "object",  "string"};
  if (!type.empty() && std::ranges::find(types, type) == types.end())
    node.problem().set(FieldError::not_supported(path_of(node, "type"), type, types));
}

void check_default(const Node& node, const std::string& type) {
  const Value* value = node.find("default");
  if (value == nullptr) return;
  const bool int_or_string = is_true(node, "x-kubernetes-int-or-string");
  if (int_or_string ? fits_type(*value, "integer") || fits_type(*value, "string")
                    : fits_type(*value, type)) {
    return;
  }
  // The message does not show the value.
  FieldError error =
      FieldError::invalid(path_of(node, "default"), nullptr,
                          "must be of type " + (int_or_string ? "integer or string" : type) +
                              ", found " + std::string(value->type_name()));
  error.bad_value.reset();
  node.problem().set(std::move(error));
}

void check(const Node& node, Level level);

void check_additional(const Node& node, Level level) {
  const Value* more = node.find("additionalProperties");
  if (more == nullptr) return;
  const FieldPath path = path_of(node, "additionalProperties");
  if (level == Level::Root)
    node.problem().set(FieldError::forbidden(path, "must not be used at the root"));
  // Beside properties, true means that others are kept.
  if (!is_true(node, "additionalProperties") && !node.object("properties").empty()) {
    node.problem().set(
        FieldError::forbidden(path, "additionalProperties and properties are mutual exclusive"));
  }
  if (more->is_bool()) {
    if (!*more->if_bool()) {
      node.problem().set(
          FieldError::forbidden(path, "additionalProperties cannot be set to false"));
    }
  } else if (const auto values = node.child("additionalProperties")) {
    check(*values, Level::Field);
  }
}

void check_metadata(const Node& metadata) {
  for (const auto& [key, unused] : metadata.object("properties")) {
    if (key == "name" || key == "generateName") continue;
    metadata.problem().set(FieldError::forbidden(
        path_of(metadata, "properties").key(key),
        "must not specify anything other than name and generateName, but metadata is implicitly "
        "specified"));
  }
}

void check(const Node& node, Level level) {
  if (node.problem().has_enough()) return;
  for (const std::string_view key : {"$ref", "additionalItems", "dependencies", "$schema"})
    forbid(node, key, std::string(key) + " is not supported");
  for (const std::string_view key : {"patternProperties", "definitions"}) {
    if (!node.object(key).empty()) forbid(node, key, std::string(key) + " is not supported");
  }
  if (!node.text("id").empty()) forbid(node, "id", "id is not supported");
  if (is_true(node, "uniqueItems")) {
    node.problem().set(FieldError::forbidden(
        path_of(node, "uniqueItems"),
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
  }
  const std::string type = node.text("type");
  check_type(node, level, type);
  check_extensions(node, type);
  check_list_type(node, type);
  check_map_type(node, type);
  check_additional(node, level);
  node.each_member("properties", [&](const std::string& name, const Node& property) {
    if (level == Level::Root && name == "metadata") check_metadata(property);
    check(property, Level::Field);
  });
  const Value* items = node.find("items");
  if (items != nullptr && items->is_array()) {
    node.problem().set(FieldError::forbidden(path_of(node, "items"),
                                             "items must be a schema object and not an array"));
  }
  if (type == "array" && items == nullptr)
    node.problem().set(FieldError::required(path_of(node, "items"), "must be specified"));
  if (items != nullptr) check(*node.child("items"), Level::Item);

  const bool int_or_string = is_true(node, "x-kubernetes-int-or-string");
  for (const std::string_view key : kLogical) {
    node.each_element(key, [&](const Node& each) {
      check_inside(each, node, int_or_string && (key == "anyOf" || key == "allOf"));
    });
  }
  if (const auto inner = node.child("not")) check_inside(*inner, node, false);
  check_default(node, type);
}

}  // namespace

void check_structural(const Node& root) {
  check(root, Level::Root);
}

meta::FieldErrors structural_errors(const json::Value& schema, const meta::FieldPath& path) {
  Problem problem("");
  const Node root(schema, path.to_string(), problem);
  check_structural(root);
  meta::FieldErrors errors = problem.field_errors();
  // A value of a wrong type, in a document that no server accepts.
  if (errors.empty() && problem.error())
    errors.push_back({meta::FieldErrorType::Invalid, path.to_string(), std::nullopt,
                      problem.error()->message()});
  return errors;
}

}  // namespace kube::schema
