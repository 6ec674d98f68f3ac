// SPDX-License-Identifier: Apache-2.0
#include "custom_schema.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <kube/meta/object_meta.hpp>

#include "metadata.hpp"
#include "typed_document.hpp"

namespace kube::apiserver {

using meta::FieldError;
using meta::FieldErrors;
using meta::FieldPath;

/// One level of a schema, read once.
struct CustomSchema::Node {
  std::string type{};
  bool nullable = false;
  bool preserve_unknown = false;
  bool int_or_string = false;
  bool embedded_resource = false;
  bool embeds = false;  ///< There is an embedded resource here or below.
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> properties{};
  std::unique_ptr<Node> additional{};
  bool additional_allowed = false;  ///< additionalProperties: true
  std::unique_ptr<Node> items{};
  std::optional<json::Value> default_{};

  const Node* find(std::string_view name) const {
    for (const auto& [key, node] : properties) {
      if (key == name) return node.get();
    }
    return nullptr;
  }
};

namespace {

using Node = CustomSchema::Node;

bool is_set(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  return value != nullptr && value->if_bool() != nullptr && *value->if_bool();
}

std::unique_ptr<Node> read_node(const json::Value& value) {
  auto node = std::make_unique<Node>();
  if (!value.is_object()) {
    node->preserve_unknown = true;
    return node;
  }
  const json::Object& schema = *value.if_object();
  node->type = value.string_at({"type"});
  node->nullable = is_set(schema, "nullable");
  node->preserve_unknown = is_set(schema, "x-kubernetes-preserve-unknown-fields");
  node->int_or_string = is_set(schema, "x-kubernetes-int-or-string");
  node->embedded_resource = is_set(schema, "x-kubernetes-embedded-resource");
  if (const json::Value* properties = schema.find("properties");
      properties != nullptr && properties->is_object()) {
    for (const auto& [name, child] : *properties->if_object()) {
      node->properties.emplace_back(name, read_node(child));
    }
  }
  if (const json::Value* additional = schema.find("additionalProperties")) {
    if (additional->is_object()) {
      node->additional = read_node(*additional);
    } else {
      node->additional_allowed = is_set(schema, "additionalProperties");
    }
  }
  if (const json::Value* items = schema.find("items")) node->items = read_node(*items);
  if (const json::Value* otherwise = schema.find("default")) node->default_ = *otherwise;
  node->embeds =
      node->embedded_resource || (node->additional && node->additional->embeds) ||
      (node->items && node->items->embeds) ||
      std::ranges::any_of(node->properties, [](const auto& each) { return each.second->embeds; });
  return node;
}

bool is_type_meta(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

/// The schema of a member; null for one that is kept without looking, with `known` false for one
/// that is not kept.
const Node* member_schema(const Node& node, std::string_view name, bool resource, bool& known) {
  known = true;
  if (resource && is_type_meta(name)) return nullptr;
  if (const Node* property = node.find(name)) return property;
  if (node.additional) return node.additional.get();
  known = node.preserve_unknown || node.additional_allowed;
  return nullptr;
}

void normalise_node(const Node& node, json::Value& value, bool resource);

void normalise_object(const Node& node, json::Object& object, bool resource) {
  std::vector<std::string> dropped;
  for (auto& [name, value] : object) {
    bool known = false;
    const Node* schema = member_schema(node, name, resource, known);
    const bool absent = value.is_null() && schema != nullptr && !schema->nullable;
    if (!known || absent) dropped.push_back(name);
  }
  for (const std::string& name : dropped) object.erase(name);
  for (const auto& [name, schema] : node.properties) {
    if (schema->default_ && !object.contains(name)) object.set(name, *schema->default_);
  }
  for (auto& [name, value] : object) {
    bool known = false;
    if (const Node* schema = member_schema(node, name, resource, known)) {
      normalise_node(*schema, value, schema->embedded_resource);
    }
  }
}

void normalise_node(const Node& node, json::Value& value, bool resource) {
  if (json::Object* object = value.if_object()) {
    normalise_object(node, *object, resource);
  } else if (json::Array* items = value.if_array(); items != nullptr && node.items) {
    for (json::Value& item : *items) {
      normalise_node(*node.items, item, node.items->embedded_resource);
    }
  }
}

void collect_unknown(const Node& node, const json::Value& value, const std::string& path,
                     bool resource, std::vector<std::string>& out) {
  if (const json::Object* object = value.if_object()) {
    for (const auto& [name, member] : *object) {
      bool known = false;
      const Node* schema = member_schema(node, name, resource, known);
      const std::string at = path.empty() ? name : path + "." + name;
      if (!known) out.push_back(at);
      if (schema != nullptr) collect_unknown(*schema, member, at, schema->embedded_resource, out);
    }
  } else if (const json::Array* items = value.if_array(); items != nullptr && node.items) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      collect_unknown(*node.items, (*items)[i], path + "[" + std::to_string(i) + "]",
                      node.items->embedded_resource, out);
    }
  }
}

/// Fits what embedded resources say of themselves; collects what that drops.
class EmbeddedFitter {
 public:
  std::vector<std::string> unknown{};
  std::optional<Error> error{};

  void fit(const Node& node, json::Value& value, const std::string& path) {
    if (error || !node.embeds) return;
    if (json::Object* object = value.if_object()) {
      if (node.embedded_resource) resource(*object, path);
      for (auto& [name, member] : *object) {
        bool known = false;
        const Node* schema = member_schema(node, name, node.embedded_resource, known);
        if (schema != nullptr) fit(*schema, member, path.empty() ? name : path + "." + name);
      }
    } else if (json::Array* items = value.if_array(); items != nullptr && node.items) {
      for (std::size_t i = 0; i < items->size(); ++i) {
        fit(*node.items, (*items)[i], path + "[" + std::to_string(i) + "]");
      }
    }
  }

 private:
  void resource(json::Object& object, const std::string& path) {
    for (const std::string_view name : {"apiVersion", "kind"}) {
      const json::Value* value = object.find(name);
      if (error || value == nullptr || value->is_string()) continue;
      error =
          Error(ErrorCode::Decode, path + "." + std::string(name) + ": expected a string, not " +
                                       std::string(value->type_name()));
    }
    json::Value* metadata = object.find("metadata");
    if (error || metadata == nullptr || metadata->is_null()) return;
    auto fitted = fit_to_type(meta::ObjectMeta::descriptor(), *metadata, path + ".metadata");
    if (!fitted) {
      error = fitted.error();
      return;
    }
    for (std::string& each : *fitted) unknown.push_back(std::move(each));
  }
};

constexpr std::array<std::string_view, 6> type_names = {"object", "array",   "string",
                                                        "number", "integer", "boolean"};

void check_level(const json::Value& value, const FieldPath& path, FieldErrors& errors) {
  const json::Object* schema = value.if_object();
  if (schema == nullptr) {
    errors.push_back(
        FieldError::invalid(path, std::string(value.type_name()), "must be an object"));
    return;
  }
  const std::string type(value.string_at({"type"}));
  const bool free_type = is_set(*schema, "x-kubernetes-int-or-string") ||
                         is_set(*schema, "x-kubernetes-preserve-unknown-fields");
  if (type.empty() && !free_type) {
    errors.push_back(
        FieldError::required(path.child("type"), "must not be empty for specified object fields"));
  } else if (!type.empty() && std::ranges::find(type_names, type) == type_names.end()) {
    errors.push_back(FieldError::not_supported(path.child("type"), type,
                                               {type_names.begin(), type_names.end()}));
  }
  if (schema->contains("$ref")) {
    errors.push_back(FieldError::forbidden(path.child("$ref"), "$ref is not supported"));
  }
  if (is_set(*schema, "uniqueItems")) {
    errors.push_back(FieldError::forbidden(
        path.child("uniqueItems"),
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
  }
  const json::Value* properties = schema->find("properties");
  const json::Value* additional = schema->find("additionalProperties");
  if (properties != nullptr && additional != nullptr) {
    errors.push_back(
        FieldError::forbidden(path.child("additionalProperties"),
                              "additionalProperties and properties are mutual exclusive"));
  }
  if (properties != nullptr && properties->is_object()) {
    for (const auto& [name, child] : *properties->if_object()) {
      check_level(child, path.child("properties").key(name), errors);
    }
  }
  if (additional != nullptr && additional->is_object()) {
    check_level(*additional, path.child("additionalProperties"), errors);
  }
  if (const json::Value* items = schema->find("items")) {
    check_level(*items, path.child("items"), errors);
  } else if (type == "array") {
    errors.push_back(FieldError::required(path.child("items"), "must be specified"));
  }
}

}  // namespace

CustomSchema::CustomSchema(json::Value schema, bool with_status)
    : source_(std::move(schema)), root_(read_node(source_)), with_status_(with_status) {
  if (!source_.is_object()) return;
  if (auto validator = meta::SchemaValidator::create(source_))
    validator_.emplace(*std::move(validator));
}

CustomSchema::~CustomSchema() = default;

void CustomSchema::normalise(json::Value& object) const {
  normalise_node(*root_, object, true);
}

FieldErrors CustomSchema::validate(const json::Value& object) const {
  return validator_ ? validator_->validate(object) : FieldErrors();
}

Result<std::vector<std::string>> CustomSchema::fit_embedded(json::Value& object) const {
  EmbeddedFitter fitter;
  fitter.fit(*root_, object, {});
  if (fitter.error) return *std::move(fitter.error);
  return std::move(fitter.unknown);
}

std::vector<std::string> CustomSchema::unknown_fields(const json::Value& object) const {
  std::vector<std::string> out;
  collect_unknown(*root_, object, {}, true, out);
  return out;
}

FieldErrors validate_schema(const json::Value& schema, const FieldPath& path,
                            meta::PatternAllowance& allowance) {
  FieldErrors errors;
  check_level(schema, path, errors);
  if (schema.string_at({"type"}) != "object" && errors.empty()) {
    errors.push_back(FieldError::invalid(
        path.child("type"), std::string(schema.string_at({"type"})), "must be object at the root"));
  }
  if (!errors.empty()) return errors;
  const auto validator =
      meta::SchemaValidator::create(schema, {.path = path, .allowance = &allowance});
  if (!validator) {
    errors.push_back(FieldError::invalid(path, "", validator.error().message()));
  } else {
    errors = validator->refused_patterns();
  }
  return errors;
}

}  // namespace kube::apiserver
