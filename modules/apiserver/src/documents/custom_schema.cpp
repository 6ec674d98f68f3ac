// SPDX-License-Identifier: Apache-2.0
#include "documents/custom_schema.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <kube/meta/object_meta.hpp>
#include <kube/meta/status.hpp>
#include <kube/names/path_trail.hpp>

#include "documents/custom_schema_node.hpp"
#include "documents/metadata.hpp"
#include "documents/typed_document.hpp"
#include "documents/unknown_paths.hpp"

namespace kube::apiserver {

using meta::FieldError;
using meta::FieldErrors;
using meta::FieldPath;

namespace {

using Node = CustomSchema::Node;

bool is_set(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  return value != nullptr && value->if_bool() != nullptr && *value->if_bool();
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

// Drops what is unknown, then fills defaults in, as long as they are not too large together.
class Normaliser {
 public:
  /// False when the defaults are too large.
  bool run(const Node& node, json::Value& value, bool resource) {
    if (json::Object* object = value.if_object()) return run(node, *object, resource);
    json::Array* items = value.if_array();
    if (items == nullptr || !node.items) return true;
    return std::ranges::all_of(*items, [&](json::Value& item) {
      return run(*node.items, item, node.items->embedded_resource);
    });
  }

 private:
  bool run(const Node& node, json::Object& object, bool resource) {
    object.erase_if([&](const std::string& name, const json::Value& value) {
      bool known = false;
      const Node* schema = member_schema(node, name, resource, known);
      return !known || (value.is_null() && schema != nullptr && !schema->nullable);
    });
    for (const auto& [name, schema] : node.properties) {
      if (!schema->default_ || object.contains(name)) continue;
      if (schema->default_bytes > left_) return false;
      left_ -= schema->default_bytes;
      object.append(name, *schema->default_);
    }
    return std::ranges::all_of(object, [&](json::Object::Member& member) {
      bool known = false;
      const Node* schema = member_schema(node, member.first, resource, known);
      return schema == nullptr || run(*schema, member.second, schema->embedded_resource);
    });
  }

  std::size_t left_ = CustomSchema::kMaxDefaultBytes;
};

// Reports what fills in more than an object may have.
void check_defaults(const Node& node, const FieldPath& path, FieldErrors& errors) {
  const std::size_t before = errors.size();
  for (const auto& [name, child] : node.properties) {
    if (meta::has_enough(errors)) return;
    check_defaults(*child, path.child("properties").key(name), errors);
  }
  if (node.additional) check_defaults(*node.additional, path.child("additionalProperties"), errors);
  if (node.items) check_defaults(*node.items, path.child("items"), errors);
  if (!node.default_ || node.filled_bytes <= CustomSchema::kMaxDefaultBytes) return;
  if (errors.size() != before) return;
  errors.push_back(FieldError::invalid(path.child("default"), meta::shown_value(*node.default_),
                                       "with the defaults inside of it, it has more than " +
                                           std::to_string(CustomSchema::kMaxDefaultBytes) +
                                           " bytes"));
}

void collect_unknown(const Node& node, const json::Value& value, meta::PathTrail& trail,
                     bool resource, UnknownPaths& out) {
  if (const json::Object* object = value.if_object()) {
    for (const auto& [name, member] : *object) {
      if (out.is_full()) return;
      bool known = false;
      const Node* schema = member_schema(node, name, resource, known);
      if (known && schema == nullptr) continue;
      const meta::PathTrail::Step step = trail.child(name);
      if (!known) out.add(trail.text());
      if (schema != nullptr)
        collect_unknown(*schema, member, trail, schema->embedded_resource, out);
    }
  } else if (const json::Array* items = value.if_array(); items != nullptr && node.items) {
    for (std::size_t i = 0; i < items->size() && !out.is_full(); ++i) {
      const meta::PathTrail::Step step = trail.index(i);
      collect_unknown(*node.items, (*items)[i], trail, node.items->embedded_resource, out);
    }
  }
}

/// Fits what embedded resources say of themselves; collects what that drops.
class EmbeddedNormalizer {
 public:
  UnknownPaths unknown{};
  std::optional<Error> error{};

  void fit(const Node& node, json::Value& value) {
    if (error || !node.embeds) return;
    if (json::Object* object = value.if_object()) {
      if (node.embedded_resource) resource(*object);
      for (auto& [name, member] : *object) {
        bool known = false;
        const Node* schema = member_schema(node, name, node.embedded_resource, known);
        if (schema == nullptr) continue;
        const meta::PathTrail::Step step = trail_.child(name);
        fit(*schema, member);
      }
    } else if (json::Array* items = value.if_array(); items != nullptr && node.items) {
      for (std::size_t i = 0; i < items->size(); ++i) {
        const meta::PathTrail::Step step = trail_.index(i);
        fit(*node.items, (*items)[i]);
      }
    }
  }

 private:
  void resource(json::Object& object) {
    for (const std::string_view name : {"apiVersion", "kind"}) {
      const json::Value* value = object.find(name);
      if (error || value == nullptr || value->is_string()) continue;
      error = Error(ErrorCode::Decode, trail_.text() + "." + std::string(name) +
                                           ": expected a string, not " +
                                           std::string(value->type_name()));
    }
    json::Value* metadata = object.find("metadata");
    if (error || metadata == nullptr || metadata->is_null()) return;
    auto fitted =
        normalize_to_type(meta::ObjectMeta::descriptor(), *metadata, trail_.text() + ".metadata");
    if (!fitted) {
      error = fitted.error();
      return;
    }
    for (const std::string& each : *fitted) unknown.add(each);
  }

  meta::PathTrail trail_;
};

constexpr std::array<std::string_view, 6> kTypeNames = {"object", "array",   "string",
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
  } else if (!type.empty() && std::ranges::find(kTypeNames, type) == kTypeNames.end()) {
    errors.push_back(FieldError::not_supported(path.child("type"), type,
                                               {kTypeNames.begin(), kTypeNames.end()}));
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
      if (meta::has_enough(errors)) return;
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
    : source_(std::move(schema)), root_(Node::read(source_)), with_status_(with_status) {
  if (!source_.is_object()) return;
  if (auto validator = meta::SchemaValidator::create(source_))
    validator_.emplace(*std::move(validator));
}

CustomSchema::~CustomSchema() = default;

Result<void> CustomSchema::normalise(json::Value& object) const {
  if (Normaliser().run(*root_, object, true)) return {};
  return meta::request_entity_too_large_error(
      "the defaults that its schema fills in have more than " + std::to_string(kMaxDefaultBytes) +
      " bytes");
}

FieldErrors CustomSchema::validate(const json::Value& object) const {
  return validator_ ? validator_->validate(object) : FieldErrors();
}

Result<std::vector<std::string>> CustomSchema::fit_embedded(json::Value& object) const {
  EmbeddedNormalizer normalizer;
  normalizer.fit(*root_, object);
  if (normalizer.error) return *std::move(normalizer.error);
  return std::move(normalizer.unknown).take();
}

std::vector<std::string> CustomSchema::unknown_fields(const json::Value& object) const {
  UnknownPaths out;
  meta::PathTrail trail;
  collect_unknown(*root_, object, trail, true, out);
  return std::move(out).take();
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
    return errors;
  }
  errors = validator->refused_patterns();
  check_defaults(*CustomSchema::Node::read(schema), path, errors);
  return errors;
}

}  // namespace kube::apiserver
