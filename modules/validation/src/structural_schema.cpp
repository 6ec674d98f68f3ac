// SPDX-License-Identifier: Apache-2.0
//
// Walks over objects by a compiled schema: pruning, defaults, embedded resources.
#include <kube/validation/structural_schema.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <kube/codec/normalize.hpp>
#include <kube/meta/object_meta.hpp>
#include <kube/meta/status.hpp>
#include <kube/names/path_trail.hpp>
#include <kube/schema/documents.hpp>

#include "schema_node.hpp"
#include "schema_structure.hpp"
#include "schema_walk.hpp"

namespace kube::meta {
namespace {

using detail::SchemaNode;

bool is_type_meta(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

/// What becomes of a member without a schema.
enum class Fate : std::uint8_t {
  Kept,
  Emptied,  ///< The objects in it lose what they have: no schema names it.
  Removed,
};

/// Returns the schema of a member; null for a member without one.
const SchemaNode* member_schema(const SchemaNode& node, std::string_view name, bool resource,
                                Fate& fate) {
  fate = Fate::Kept;
  if (resource && is_type_meta(name)) return nullptr;
  if (const SchemaNode* property = node.find(name)) return property;
  if (node.additional != nullptr) return node.additional;
  if (!node.preserve_unknown) fate = node.additional_allowed ? Fate::Emptied : Fate::Removed;
  return nullptr;
}

void empty_objects(json::Value& value) {
  if (json::Object* object = value.if_object()) {
    *object = json::Object{};
  } else if (json::Array* items = value.if_array()) {
    for (json::Value& item : *items) empty_objects(item);
  }
}

// Drops unknown fields, then fills in defaults unless they are too large in total.
class Pruner {
 public:
  /// Returns false when the defaults are too large.
  bool run(const SchemaNode& node, json::Value& value, bool resource) {
    if (json::Object* object = value.if_object()) return run(node, *object, resource);
    json::Array* items = value.if_array();
    if (items != nullptr && !node.items && !node.preserve_unknown) empty_objects(value);
    if (items == nullptr || !node.items) return true;
    return std::ranges::all_of(*items, [&](json::Value& item) {
      return run(*node.items, item, node.items->embedded_resource);
    });
  }

 private:
  bool run(const SchemaNode& node, json::Object& object, bool resource) {
    object.erase_if([&](const std::string& name, const json::Value& value) {
      Fate fate{};
      const SchemaNode* schema = member_schema(node, name, resource, fate);
      return fate == Fate::Removed || (value.is_null() && schema != nullptr && !schema->nullable);
    });
    for (const auto& [name, schema] : node.properties) {
      if (!schema->default_value || object.contains(name)) continue;
      if (schema->default_bytes > left_) return false;
      left_ -= schema->default_bytes;
      object.append(name, *schema->default_value);
    }
    return std::ranges::all_of(object, [&](json::Object::Member& member) {
      Fate fate{};
      const SchemaNode* schema = member_schema(node, member.first, resource, fate);
      if (fate == Fate::Emptied) empty_objects(member.second);
      return schema == nullptr || run(*schema, member.second, schema->embedded_resource);
    });
  }

  std::size_t left_ = StructuralSchema::kMaxDefaultBytes;
};

void collect_emptied(const json::Value& value, PathTrail& trail, UnknownPaths& out) {
  if (const json::Object* object = value.if_object()) {
    for (const auto& [name, member] : *object) {
      if (out.is_full()) return;
      const PathTrail::Step step = trail.child(name);
      out.add(trail.text());
    }
  } else if (const json::Array* items = value.if_array()) {
    for (std::size_t i = 0; i < items->size() && !out.is_full(); ++i) {
      const PathTrail::Step step = trail.index(i);
      collect_emptied((*items)[i], trail, out);
    }
  }
}

void collect_unknown(const SchemaNode& node, const json::Value& value, PathTrail& trail,
                     bool resource, UnknownPaths& out) {
  if (const json::Object* object = value.if_object()) {
    for (const auto& [name, member] : *object) {
      if (out.is_full()) return;
      Fate fate{};
      const SchemaNode* schema = member_schema(node, name, resource, fate);
      if (fate == Fate::Kept && schema == nullptr) continue;
      const PathTrail::Step step = trail.child(name);
      if (fate == Fate::Removed) out.add(trail.text());
      if (fate == Fate::Emptied) collect_emptied(member, trail, out);
      if (schema != nullptr)
        collect_unknown(*schema, member, trail, schema->embedded_resource, out);
    }
  } else if (value.is_array() && !node.items) {
    if (!node.preserve_unknown) collect_emptied(value, trail, out);
  } else if (const json::Array* items = value.if_array()) {
    for (std::size_t i = 0; i < items->size() && !out.is_full(); ++i) {
      const PathTrail::Step step = trail.index(i);
      collect_unknown(*node.items, (*items)[i], trail, node.items->embedded_resource, out);
    }
  }
}

// Reports a default that its own schema would prune, or does not allow.
void check_default_value(const SchemaNode& node, const FieldPath& path, bool root,
                         FieldErrors& errors) {
  const json::Value& value = *node.default_value;
  UnknownPaths unknown;
  PathTrail trail;
  collect_unknown(node, value, trail, node.embedded_resource, unknown);
  if (!std::move(unknown).take().empty())
    errors.push_back(FieldError::invalid(path, shown_value(value), "must not have unknown fields"));
  constexpr std::size_t kParts = 64;
  FieldErrors found = detail::check_by_openapi(node, kParts, value);
  if (value.is_object() && (root || node.embedded_resource))
    detail::check_type_names(*value.if_object(), found);
  for (FieldError& error : found) {
    const bool below = !error.field.empty() && error.field != "<nil>";
    error.field = path.to_string() + (below ? "." + error.field : "");
    errors.push_back(std::move(error));
  }
}

void check_default_values(const SchemaNode& node, const FieldPath& path, FieldErrors& errors,
                          bool root = false) {
  if (has_enough(errors)) return;
  if (node.default_value) check_default_value(node, path.child("default"), root, errors);
  if (node.items) check_default_values(*node.items, path.child("items"), errors);
  for (const auto& [name, child] : node.properties)
    check_default_values(*child, path.child("properties").key(name), errors);
}

// Reports defaults that fill in more than an object may have.
void check_defaults(const SchemaNode& node, const FieldPath& path, FieldErrors& errors) {
  const std::size_t before = errors.size();
  for (const auto& [name, child] : node.properties) {
    if (has_enough(errors)) return;
    check_defaults(*child, path.child("properties").key(name), errors);
  }
  if (node.additional) check_defaults(*node.additional, path.child("additionalProperties"), errors);
  if (node.items) check_defaults(*node.items, path.child("items"), errors);
  if (!node.default_value || node.filled_bytes <= StructuralSchema::kMaxDefaultBytes) return;
  if (errors.size() != before) return;
  errors.push_back(FieldError::invalid(path.child("default"), shown_value(*node.default_value),
                                       "with its nested defaults it has more than " +
                                           std::to_string(StructuralSchema::kMaxDefaultBytes) +
                                           " bytes"));
}

/// Normalizes the metadata of embedded resources, and collects the paths that this drops.
class EmbeddedNormalizer {
 public:
  UnknownPaths unknown{};
  std::optional<Error> error{};

  void fit(const SchemaNode& node, json::Value& value) {
    if (error || !node.embeds) return;
    if (json::Object* object = value.if_object()) {
      if (node.embedded_resource) resource(*object);
      for (auto& [name, member] : *object) {
        Fate fate{};
        const SchemaNode* schema = member_schema(node, name, node.embedded_resource, fate);
        if (schema == nullptr) continue;
        const PathTrail::Step step = trail_.child(name);
        fit(*schema, member);
      }
    } else if (json::Array* items = value.if_array(); items != nullptr && node.items) {
      for (std::size_t i = 0; i < items->size(); ++i) {
        const PathTrail::Step step = trail_.index(i);
        fit(*node.items, (*items)[i]);
      }
    }
  }

 private:
  void resource(json::Object& object) {
    for (const std::string_view name : {"apiVersion", "kind"}) {
      const json::Value* value = object.find(name);
      if (error || value == nullptr || value->is_string()) continue;
      refuse(name, *value, "must be a string");
    }
    json::Value* metadata = object.find("metadata");
    if (error || metadata == nullptr || metadata->is_null()) return;
    json::Value fitted = *metadata;
    const auto dropped =
        normalize_to_type(ObjectMeta::descriptor(), fitted, trail_.text() + ".metadata");
    if (!dropped) return refuse("metadata", *metadata, dropped.error().message());
    *metadata = std::move(fitted);
    for (const std::string& each : *dropped) unknown.add(each);
  }

  void refuse(std::string_view name, const json::Value& value, std::string_view why) {
    const FieldPath path = trail_.path().child(name);
    error = Error(ErrorCode::Decode,
                  FieldError::invalid(path, shown_value(value), std::string(why)).to_string());
  }

  PathTrail trail_;
};

}  // namespace

StructuralSchema::StructuralSchema(SchemaValidator validator) : validator_(std::move(validator)) {}

Result<StructuralSchema> StructuralSchema::create(const json::Value& schema,
                                                  const SchemaOptions& options) {
  auto validator = SchemaValidator::create(schema, options);
  if (!validator) return validator.error();
  return StructuralSchema(*std::move(validator));
}

FieldErrors StructuralSchema::check(const json::Value& schema, const SchemaOptions& options) {
  FieldErrors errors = schema::structural_errors(schema, options.path);
  if (!errors.empty()) return errors;
  const auto made = create(schema, options);
  if (!made) {
    errors.push_back(FieldError::invalid(options.path, "", made.error().message()));
    return errors;
  }
  errors = made->validator_.refused_patterns();
  check_default_values(made->validator_.root(), options.path, errors, true);
  check_defaults(made->validator_.root(), options.path, errors);
  return errors;
}

Result<void> StructuralSchema::prune_and_default(json::Value& object) const {
  if (Pruner().run(validator_.root(), object, true)) return {};
  return request_entity_too_large_error("the defaults of its schema have more than " +
                                        std::to_string(kMaxDefaultBytes) + " bytes");
}

Result<std::vector<std::string>> StructuralSchema::normalize_embedded(json::Value& object) const {
  EmbeddedNormalizer normalizer;
  normalizer.fit(validator_.root(), object);
  if (normalizer.error) return *std::move(normalizer.error);
  return std::move(normalizer.unknown).take();
}

std::vector<std::string> StructuralSchema::unknown_fields(const json::Value& object) const {
  UnknownPaths out;
  PathTrail trail;
  collect_unknown(validator_.root(), object, trail, true, out);
  return std::move(out).take();
}

}  // namespace kube::meta
