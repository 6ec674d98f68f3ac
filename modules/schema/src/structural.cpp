// SPDX-License-Identifier: Apache-2.0
//
// The rules of structural schemas, level by level.
#include "structural.hpp"
#include "structural_extensions.hpp"

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

bool fits_type(const Value& value, std::string_view type) {
  if (type == "integer") return value.is_int() || value.is_uint();
  if (type == "number") return value.is_number();
  return type.empty() || value.type_name() == type;
}

// Checks a schema inside of allOf, anyOf, oneOf or not: it may not define what a field is, and may
// only restrict fields that `outside`, the enclosing schema, defines.
void check_inside(const Node& node, const Node& outside, bool int_or_string) {
  for (const std::string_view key :
       {"default", "additionalProperties", "x-kubernetes-list-type", "x-kubernetes-map-type"})
    forbid(node, key, "must be undefined to be structural");
  for (const std::string_view key :
       {"description", "title", "x-kubernetes-list-map-keys", "x-kubernetes-validations"})
    forbid(node, key, "must be empty to be structural");
  if (!int_or_string) forbid(node, "type", "must be empty to be structural");
  if (node.object("properties").contains("metadata")) {
    node.problem().set(FieldError::forbidden(path_of(node, "properties").key("metadata"),
                                             "must not be specified in a nested context"));
  }
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
  if (type == "null") {
    node.problem().set(FieldError::forbidden(
        path_of(node, "type"), "type cannot be set to null, use nullable as an alternative"));
  }
}

void check(const Node& node, Level level);

void check_additional(const Node& node, Level level) {
  const Value* more = node.find("additionalProperties");
  if (more == nullptr) return;
  const FieldPath path = path_of(node, "additionalProperties");
  if (more->is_object()) check(*node.child("additionalProperties"), Level::Field);
  if (level == Level::Root)
    node.problem().set(FieldError::forbidden(path, "must not be used at the root"));
  // Beside properties, true means that others are kept.
  if (!is_true(node, "additionalProperties") && !node.object("properties").empty()) {
    node.problem().set(
        FieldError::forbidden(path, "additionalProperties and properties are mutual exclusive"));
  }
}

// The metadata of a whole object is known: a schema may only restrict its names.
void check_metadata(const Node& metadata, const json::Object& members) {
  const auto restricts_names = [&](const auto& member) {
    if (member.first != "properties") return true;
    return std::ranges::all_of(metadata.object("properties"), [](const auto& property) {
      return property.first == "name" || property.first == "generateName";
    });
  };
  constexpr auto kAllowed =
      std::to_array<std::string_view>({"type", "default", "properties", "example", "externalDocs"});
  for (const auto& member : members) {
    const bool known = std::ranges::find(kAllowed, member.first) != kAllowed.end();
    if (known && restricts_names(member)) continue;
    metadata.problem().set(FieldError::forbidden(
        FieldPath(metadata.path()),
        "must not specify anything other than name and generateName, but metadata is implicitly "
        "specified"));
    return;
  }
}

// Checks what a schema says of the fields that every whole object has.
void check_type_meta(const Node& node, Level level) {
  for (const std::string_view name : {"kind", "apiVersion", "metadata"}) {
    const auto property = node.member("properties", name);
    if (!property) continue;
    const std::string_view expected = name == "metadata" ? "object" : "string";
    if (const std::string type = property->text("type"); type != expected) {
      node.problem().set(FieldError::invalid(path_of(*property, "type"), type,
                                             "must be " + std::string(expected)));
    }
    if (level == Level::Root) {
      const Value* content = node.object("properties").find(name);
      if (name == "metadata" && content->is_object())
        check_metadata(*property, *content->if_object());
      const std::string why = "must not be set in top-level " + std::string(name);
      forbid(*property, "default", why);
      property->each_member("properties", [&why](const std::string&, const Node& each) {
        forbid(each, "default", why);
      });
    }
    if (is_true(*property, "x-kubernetes-embedded-resource")) {
      node.problem().set(FieldError::forbidden(path_of(*property, "x-kubernetes-embedded-resource"),
                                               "must not be used inside of resource meta"));
    }
  }
}

// Returns whether the schema has something that no structural schema has.
bool has_unsupported(const Node& node) {
  std::vector<std::string_view> found;
  for (const std::string_view key : {"$ref", "additionalItems", "dependencies"}) {
    if (node.has(key)) found.push_back(key);
  }
  for (const std::string_view key : {"patternProperties", "definitions"}) {
    if (!node.object(key).empty()) found.push_back(key);
  }
  if (!node.text("id").empty()) found.push_back("id");
  for (const std::string_view key : found)
    forbid(node, key, std::string(key) + " is not supported");
  return !found.empty();
}

// The one form in which a junctor may have types.
bool is_int_or_string(const Value* any_of) {
  static const Value form(
      json::Array{json::Object{{"type", "integer"}}, json::Object{{"type", "string"}}});
  return any_of != nullptr && *any_of == form;
}

void check_junctors(const Node& node) {
  for (const std::string_view key : kLogical) {
    bool first = true;
    node.each_element(key, [&](const Node& each) {
      const bool allowed = key == "anyOf"
                               ? is_int_or_string(node.find(key))
                               : key == "allOf" && first && is_int_or_string(each.find("anyOf"));
      first = false;
      check_inside(each, node, allowed);
    });
  }
  if (const auto inner = node.child("not")) check_inside(*inner, node, false);
}

void check(const Node& node, Level level) {
  if (node.problem().has_enough()) return;
  const bool unsupported = has_unsupported(node);
  if (is_true(node, "uniqueItems")) {
    node.problem().set(FieldError::forbidden(
        path_of(node, "uniqueItems"),
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
  }
  const std::string type = node.text("type");
  if (!unsupported) check_type(node, level, type);
  check_extensions(node, type);
  check_list_type(node, type);
  check_map_type(node, type);
  check_additional(node, level);
  check_rules(node);
  const bool whole_object = level == Level::Root || is_true(node, "x-kubernetes-embedded-resource");
  if (whole_object) check_type_meta(node, level);
  node.each_member("properties",
                   [](const std::string&, const Node& property) { check(property, Level::Field); });
  const Value* items = node.find("items");
  if (type == "array" && items == nullptr)
    node.problem().set(FieldError::required(path_of(node, "items"), "must be specified"));
  if (items != nullptr && items->is_array()) {
    node.problem().set(FieldError::forbidden(path_of(node, "items"),
                                             "items must be a schema object and not an array"));
  } else if (items != nullptr) {
    check(*node.child("items"), Level::Item);
  }
  check_junctors(node);
}

void check_default(const Node& node) {
  const std::string type = node.text("type");
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

// A server checks the values by the whole schema instead.
void check_default_types(const Node& node) {
  if (node.problem().has_enough()) return;
  check_default(node);
  node.each_member("properties",
                   [](const std::string&, const Node& each) { check_default_types(each); });
  for (const std::string_view key : {"items", "additionalProperties"}) {
    const Value* value = node.find(key);
    if (value != nullptr && value->is_object()) check_default_types(*node.child(key));
  }
}

// Whether a schema, or one inside of it, says in which language it is.
bool names_language(const Node& node) {
  bool found = !node.text("$schema").empty();
  const auto look = [&found](const Node& each) { found = found || names_language(each); };
  node.each_member("properties", [&](const std::string&, const Node& each) { look(each); });
  for (const std::string_view key : {"items", "additionalProperties"}) {
    const Value* value = node.find(key);
    if (value != nullptr && value->is_object()) look(*node.child(key));
  }
  return found;
}

// The reference server says so of schemas that have no other error.
void check_language(const Node& root) {
  if (root.problem().error() || !names_language(root)) return;
  root.problem().set(
      FieldError::invalid(FieldPath(root.path()), "", "OpenAPIV3Schema 'schema' is not supported"));
}

}  // namespace

void check_structural(const Node& root) {
  check(root, Level::Root);
  check_language(root);
  check_default_types(root);
}

meta::FieldErrors structural_errors(const json::Value& schema, const meta::FieldPath& path) {
  Problem problem("");
  const Node root(schema, path.to_string(), problem);
  check(root, Level::Root);
  if (is_true(root, "nullable")) {
    problem.set(
        FieldError::forbidden(path_of(root, "nullable"), "nullable cannot be true at the root"));
  }
  check_language(root);
  meta::FieldErrors errors = problem.field_errors();
  // A value of a wrong type, in a document that no server accepts.
  if (errors.empty() && problem.error())
    errors.push_back({meta::FieldErrorType::Invalid, path.to_string(), std::nullopt,
                      problem.error()->message()});
  return errors;
}

}  // namespace kube::schema
