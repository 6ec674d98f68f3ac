// SPDX-License-Identifier: Apache-2.0
#include <kube/validation/object_meta_validation.hpp>

#include <algorithm>
#include <array>
#include <set>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/group_version.hpp>

namespace kube::meta {

namespace {

constexpr std::size_t kMaxAnnotationsBytes = 256 * 1024;
constexpr std::size_t kMaxManagerBytes = 128;
constexpr std::size_t kMaxSubresourceBytes = 256;

void append(FieldErrors& errors, FieldErrors more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

void append_problems(FieldErrors& errors, const Problems& problems, const FieldPath& path,
                     std::string_view value) {
  for (const std::string& problem : problems) {
    errors.push_back(FieldError::invalid(path, value, problem));
  }
}

/// Returns the elements of a list member; an empty list if it is absent, null or of another type.
const json::Array& list_of(const json::Value& object, std::string_view name) {
  static const json::Array none;
  const json::Value* value = object.at_path({name});
  const json::Array* list = value != nullptr ? value->if_array() : nullptr;
  return list != nullptr ? *list : none;
}

FieldErrors validate_owner_references(const json::Array& references, const FieldPath& path) {
  FieldErrors errors;
  std::string controller;
  for (std::size_t i = 0; i < references.size() && !has_enough(errors); ++i) {
    const json::Value& reference = references[i];
    const FieldPath at = path.index(i);
    const std::string_view api_version = reference.string_at({"apiVersion"});
    const std::string_view kind = reference.string_at({"kind"});
    const Result<GroupVersion> group_version = parse_group_version(api_version);
    if (api_version.empty()) {
      errors.push_back(FieldError::required(at.child("apiVersion"), "must not be empty"));
    } else if (!group_version || group_version->version.empty()) {
      errors.push_back(FieldError::invalid(at.child("apiVersion"), api_version,
                                           "must be <group>/<version> or <version>"));
    }
    for (const std::string_view name : {"kind", "name", "uid"}) {
      if (reference.string_at({name}).empty()) {
        errors.push_back(FieldError::required(at.child(name), "must not be empty"));
      }
    }
    if (api_version == "v1" && kind == "Event") {
      errors.push_back(FieldError::invalid(at, shown_value(reference),
                                           "/v1, Kind=Event is disallowed from being an owner"));
    }
    const json::Value* is_controller = reference.at_path({"controller"});
    if (is_controller == nullptr || !(*is_controller == json::Value(true))) continue;
    std::string name = std::string(kind) + '/' + std::string(reference.string_at({"name"}));
    if (controller.empty()) {
      controller = std::move(name);
    } else {
      errors.push_back(FieldError::invalid(
          path, shown_value(references),
          "Only one reference can have Controller set to true. Found \"true\" in references for " +
              controller + " and " + name));
    }
  }
  return errors;
}

FieldErrors validate_finalizers(const json::Array& finalizers, const FieldPath& path) {
  FieldErrors errors;
  bool orphan = false;
  bool foreground = false;
  for (const json::Value& finalizer : finalizers) {
    if (has_enough(errors)) break;
    const std::string_view name = finalizer.string_or_empty();
    append_problems(errors, validate_qualified_name(name), path, name);
    orphan = orphan || name == "orphan";
    foreground = foreground || name == "foregroundDeletion";
  }
  if (orphan && foreground) {
    errors.push_back(
        FieldError::invalid(path, shown_value(finalizers),
                            "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return errors;
}

FieldErrors validate_managed_fields(const json::Array& entries, const FieldPath& path) {
  FieldErrors errors;
  for (std::size_t i = 0; i < entries.size() && !has_enough(errors); ++i) {
    const FieldPath at = path.index(i);
    const std::string_view operation = entries[i].string_at({"operation"});
    if (operation.empty()) {
      errors.push_back(FieldError::required(at.child("operation"), "must not be empty"));
    } else if (operation != "Apply" && operation != "Update") {
      errors.push_back(
          FieldError::not_supported(at.child("operation"), operation, {"Apply", "Update"}));
    }
    const std::string_view fields_type = entries[i].string_at({"fieldsType"});
    if (!fields_type.empty() && fields_type != "FieldsV1") {
      errors.push_back(
          FieldError::invalid(at.child("fieldsType"), fields_type, "must be `FieldsV1`"));
    }
    if (entries[i].string_at({"manager"}).size() > kMaxManagerBytes) {
      errors.push_back(FieldError::too_long(at.child("manager"), kMaxManagerBytes));
    }
    if (entries[i].string_at({"subresource"}).size() > kMaxSubresourceBytes) {
      errors.push_back(FieldError::too_long(at.child("subresource"), kMaxSubresourceBytes));
    }
  }
  return errors;
}

/// Checks the rules that apply both to a new object and to an update.
FieldErrors validate_common(const json::Value& metadata, const FieldPath& path) {
  FieldErrors errors;
  const json::Value none;
  const auto get = [&](std::string_view name) -> const json::Value& {
    const json::Value* value = metadata.at_path({name});
    return value != nullptr ? *value : none;
  };
  const std::int64_t generation = metadata.int_at({"generation"}).value_or(0);
  if (generation < 0) {
    errors.push_back(FieldError::invalid(path.child("generation"), generation,
                                         "must be greater than or equal to 0"));
  }
  append(errors, validate_labels(get("labels"), path.child("labels")));
  append(errors, validate_annotations(get("annotations"), path.child("annotations")));
  append(errors, validate_owner_references(list_of(metadata, "ownerReferences"),
                                           path.child("ownerReferences")));
  append(errors,
         validate_managed_fields(list_of(metadata, "managedFields"), path.child("managedFields")));
  return errors;
}

FieldErrors not_an_object(const json::Value& metadata, const FieldPath& path) {
  return {FieldError::type_invalid(path, metadata.type_name(), "must be of type object")};
}

}  // namespace

FieldErrors validate_labels(const json::Value& labels, const FieldPath& path) {
  FieldErrors errors;
  if (labels.is_null()) return errors;
  const json::Object* members = labels.if_object();
  if (members == nullptr) return not_an_object(labels, path);
  for (const auto& [key, value] : *members) {
    if (has_enough(errors)) break;
    append_problems(errors, validate_qualified_name(key), path, key);
    if (!value.is_string() && !value.is_null()) {
      errors.push_back(FieldError::type_invalid(path.key(key), value, "must be of type string"));
      continue;
    }
    append_problems(errors, validate_label_value(value.string_or_empty()), path,
                    value.string_or_empty());
  }
  return errors;
}

FieldErrors validate_annotations(const json::Value& annotations, const FieldPath& path) {
  FieldErrors errors;
  if (annotations.is_null()) return errors;
  const json::Object* members = annotations.if_object();
  if (members == nullptr) return not_an_object(annotations, path);
  std::size_t bytes = 0;
  for (const auto& [key, value] : *members) {
    if (has_enough(errors)) break;
    append_problems(errors, validate_qualified_name(ascii::to_lower(key)), path, key);
    if (!value.is_string() && !value.is_null()) {
      errors.push_back(FieldError::type_invalid(path.key(key), value, "must be of type string"));
    }
    bytes += key.size() + value.string_or_empty().size();
  }
  if (bytes > kMaxAnnotationsBytes) {
    errors.push_back(FieldError::too_long(path, kMaxAnnotationsBytes));
  }
  return errors;
}

FieldErrors validate_object_meta(const json::Value& metadata, const ObjectMetaRules& rules,
                                 const FieldPath& path) {
  if (!metadata.is_object()) return not_an_object(metadata, path);
  FieldErrors errors;
  const std::string_view generate_name = metadata.string_at({"generateName"});
  append_problems(
      errors, generate_name.empty() ? Problems{} : validate_name(rules.name, generate_name, true),
      path.child("generateName"), generate_name);
  const std::string_view name = metadata.string_at({"name"});
  if (name.empty()) {
    errors.push_back(FieldError::required(path.child("name"), "name or generateName is required"));
  } else {
    append_problems(errors, validate_name(rules.name, name), path.child("name"), name);
  }
  const std::string_view name_space = metadata.string_at({"namespace"});
  if (!rules.namespaced) {
    if (!name_space.empty()) {
      errors.push_back(FieldError::forbidden(path.child("namespace"), "not allowed on this type"));
    }
  } else if (name_space.empty()) {
    errors.push_back(FieldError::required(path.child("namespace"), ""));
  } else {
    append_problems(errors, validate_dns1123_label(name_space), path.child("namespace"),
                    name_space);
  }
  append(errors, validate_common(metadata, path));
  append(errors, validate_finalizers(list_of(metadata, "finalizers"), path.child("finalizers")));
  return errors;
}

FieldErrors validate_object_meta_update(const json::Value& metadata, const json::Value& before,
                                        const FieldPath& path) {
  if (!metadata.is_object()) return not_an_object(metadata, path);
  FieldErrors errors;
  const json::Value* deletion = before.at_path({"deletionTimestamp"});
  if (deletion != nullptr && !deletion->is_null()) {
    std::set<std::string_view> known;
    for (const json::Value& finalizer : list_of(before, "finalizers"))
      known.insert(finalizer.string_or_empty());
    std::set<std::string> added;
    for (const json::Value& finalizer : list_of(metadata, "finalizers")) {
      const std::string_view name = finalizer.string_or_empty();
      if (!known.contains(name)) added.insert(go::quote(name));
    }
    if (!added.empty()) {
      errors.push_back(FieldError::forbidden(
          path.child("finalizers"),
          "no new finalizers can be added if the object is being deleted, found new finalizers "
          "[]string{" +
              join(added, ", ") + '}'));
    }
  }
  if (metadata.string_at({"resourceVersion"}).empty()) {
    errors.push_back(
        FieldError::invalid(path.child("resourceVersion"), "", "must be specified for an update"));
  }
  const std::int64_t generation = metadata.int_at({"generation"}).value_or(0);
  if (generation < before.int_at({"generation"}).value_or(0)) {
    errors.push_back(
        FieldError::invalid(path.child("generation"), generation, "must not be decremented"));
  }
  constexpr std::array<std::string_view, 6> kImmutable{"name",
                                                       "namespace",
                                                       "uid",
                                                       "creationTimestamp",
                                                       "deletionTimestamp",
                                                       "deletionGracePeriodSeconds"};
  for (const std::string_view name : kImmutable) {
    const json::Value none;
    const json::Value* now = metadata.at_path({name});
    const json::Value* then = before.at_path({name});
    if (!((now != nullptr ? *now : none) == (then != nullptr ? *then : none))) {
      errors.push_back(FieldError::invalid(path.child(name), now != nullptr ? *now : none,
                                           "field is immutable"));
    }
  }
  append(errors, validate_common(metadata, path));
  return errors;
}

}  // namespace kube::meta
