// SPDX-License-Identifier: Apache-2.0
#include "objects/object_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>

#include <kube/api/types.hpp>
#include <kube/codec/normalize.hpp>
#include <kube/names/go_text.hpp>

#include "defaults/defaults.hpp"
#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "kinds/fields.hpp"
#include "kinds/pod_preparation.hpp"
#include "objects/object_errors.hpp"
#include "objects/pod_changes.hpp"
#include "warnings/warnings.hpp"

namespace kube::apiserver {
namespace {

// Metadata that only the server writes.
constexpr std::array<std::string_view, 6> kServerOwned = {
    "uid",        "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
    "generation", "selfLink"};

void keep_metadata(const json::Value& current, json::Value& next) {
  const json::Object& before = *find_metadata(current);
  json::Object& metadata = metadata_of(next);
  for (const std::string_view key : kServerOwned) copy_member(before, metadata, key);
  for (const std::string_view key : {"name", "namespace", "resourceVersion"}) {
    copy_member(before, metadata, key);
  }
}

void keep_other_parts(const Write& write, json::Value& next) {
  const Resource& resource = write.resource;
  const json::Value& current = *write.before;
  if (is_whole(write.part) || !resource.has_status()) return;
  json::Object& content = *next.if_object();
  const json::Object& before = *current.if_object();
  if (!is_of_status(write.part)) {
    copy_member(before, content, "status");
    if (is_of_containers(write.part)) keep_but_containers(write, next);
    return;
  }
  json::Object kept = before;
  copy_member(content, kept, "status");
  if (!resource.is_custom()) {
    json::Value& metadata = kept["metadata"];
    for (const std::string_view key : resource.kind->status_metadata) {
      copy_member(metadata_of(next), *metadata.if_object(), key);
    }
  }
  next = std::move(kept);
  if (resource.kind->keep_status != nullptr) resource.kind->keep_status(current, next);
}

// Where the reference server keeps an object, which it says of some conflicts.
std::string registry_key(const Resource& resource, const ObjectKey& key) {
  std::string out = "/registry/";
  const std::string_view own = resource.kind->registry;
  if (resource.is_custom()) out += resource.gvk.group + "/";
  out.append(own.empty() ? std::string_view(resource.plural) : own);
  return out.append("/").append(key.to_string());
}

Result<void> check_identity(const Resource& resource, const ObjectKey& key,
                            const json::Value& current, const json::Value& next) {
  const auto group_resource = resource.group_resource();
  const std::string_view uid = metadata_text(next, "uid");
  const std::string_view current_uid = metadata_text(current, "uid");
  if (!uid.empty() && uid != current_uid)
    return unmet_condition(resource, key, "UID", uid, current_uid);
  std::string_view version = metadata_text(next, "resourceVersion");
  if (!version.empty() && !is_revision(version))
    return unexplained(go::integer_problem("ParseUint", version));
  if (version == "0") version = {};
  if (version.empty() && !resource.kind->unconditional_update) {
    return meta::invalid_error(
        {resource.gvk.group, resource.plural}, key.name,
        {meta::FieldError::invalid(meta::FieldPath("metadata").child("resourceVersion"), 0,
                                   "must be specified for an update")});
  }
  if (!version.empty() && version != metadata_text(current, "resourceVersion")) {
    return meta::optimistic_lock_error(group_resource, key.name);
  }
  return {};
}

bool says_nothing(const json::Value* status) {
  return status == nullptr || status->is_null() || *status == json::Value(json::Object{});
}

void prepare_by_kind(const Write& write, json::Value& object) {
  const KindRules& kind = *write.resource.kind;
  const bool has_status = write.loaded && !says_nothing(object.at_path({"status"}));
  if (write.before != nullptr) {
    if (write.part == Part::Main && kind.keep_main != nullptr)
      kind.keep_main(*write.before, object);
    if (write.part == Part::Resize) serving::complete_pod_resources(object);
  } else if (has_status) {
    if (kind.prepare_load != nullptr) kind.prepare_load(object);
  } else if (kind.prepare_create != nullptr) {
    kind.prepare_create(object);
  }
  if (kind.prepare != nullptr) kind.prepare(object, write.before, write.now);
}

// Brings a new status, which alone can have another form, into the one in which its type writes it.
Result<void> fit_status(const meta::TypeDescriptor& type, json::Value& object) {
  const auto at = std::ranges::find(type.keys.fields, "status", &meta::FieldDescriptor::json);
  if (at == type.keys.fields.end() || (*at)->cardinality != meta::Cardinality::Plain) return {};
  json::Value& status = (*object.if_object())["status"];
  if (status.is_null()) status = json::Object{};
  const auto fitted = meta::normalize_to_type(*(*at)->message, status, "status");
  if (!fitted) return fitted.error();
  return {};
}

// Returns the kind that a document names; a built-in one may leave it to the path.
meta::GroupVersionKind named_kind(const Resource& resource, const json::Value& document) {
  const std::string_view kind = document.string_at({"kind"});
  const std::string_view api_version = document.string_at({"apiVersion"});
  meta::GroupVersionKind out = resource.is_custom() ? meta::GroupVersionKind{} : resource.gvk;
  if (!kind.empty()) out.kind = kind;
  const std::size_t slash = api_version.find('/');
  if (api_version.empty()) return out;
  out.group = slash == std::string_view::npos ? "" : api_version.substr(0, slash);
  out.version = api_version.substr(slash == std::string_view::npos ? 0 : slash + 1);
  return out;
}

Misfit wrong_version(const Resource& resource, const meta::GroupVersionKind& given) {
  std::string why = "the API version in the data (" + given.api_version() +
                    ") does not match the expected API version (" + resource.gvk.api_version() +
                    ")";
  return {meta::bad_request_error(why), why};
}

Misfit unfit(const Resource& resource, const meta::GroupVersionKind& given, std::string why) {
  return {not_handled(given, resource.gvk, why), std::move(why)};
}

std::optional<Misfit> find_wrong_custom_kind(const Resource& resource,
                                             const meta::GroupVersionKind& given,
                                             const json::Value& document) {
  if (given.group != resource.gvk.group || given.version != resource.gvk.version)
    return wrong_version(resource, given);
  if (given.kind == resource.gvk.kind) return std::nullopt;
  std::string why = "must be " + resource.gvk.kind;
  return Misfit{
      meta::invalid_error(given.group_kind(), metadata_text(document, "name"),
                          {meta::FieldError::invalid(meta::FieldPath("kind"), given.kind, why)}),
      why};
}

// "core.v1.Pod" is core.Pod among the reference server's own types, and v1.Pod among those of the
// version.
std::string own_type(std::string_view name) {
  return std::string(name.substr(0, name.find('.'))) + std::string(name.substr(name.rfind('.')));
}

std::optional<Misfit> find_wrong_kind(const Resource& resource,
                                      const meta::GroupVersionKind& given) {
  if (given == resource.gvk) return std::nullopt;
  const meta::TypeDescriptor* type = api::find_type(given);
  if (type == nullptr) {
    return unfit(resource, given,
                 "no kind " + go::quote(given.kind) + " is registered for version " +
                     go::quote(given.api_version()) + " in scheme \"pkg/runtime/scheme.go:111\"");
  }
  if (given.kind == resource.gvk.kind || !resource.is_typed())
    return wrong_version(resource, given);
  return unfit(resource, given,
               "converting (" + std::string(type->name.substr(type->name.find('.') + 1)) +
                   ") to (" + own_type(resource.type->name) + "): unknown conversion");
}

// Returns the field at a path such as "webhooks[0].rules"; null where the object has a value, and
// where there is no field.
const meta::FieldDescriptor* empty_field(const meta::TypeDescriptor& root,
                                         const json::Value& object, std::string_view path) {
  const meta::TypeDescriptor* type = &root;
  const meta::FieldDescriptor* field = nullptr;
  const json::Value* value = &object;
  for (const std::string_view step : go::split(path, '.')) {
    const std::string_view name = step.substr(0, step.find('['));
    if (type == nullptr) return nullptr;
    const auto at = std::ranges::find(type->keys.fields, name, &meta::FieldDescriptor::json);
    if (at == type->keys.fields.end()) return nullptr;
    field = *at;
    type = field->message;
    if (value != nullptr) value = value->at_path({name});
    if (name.size() == step.size()) continue;
    std::size_t index = 0;
    const std::string_view digits = step.substr(name.size() + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), index);
    const json::Array* list = value == nullptr ? nullptr : value->if_array();
    value = list == nullptr || index >= list->size() ? nullptr : &(*list)[index];
  }
  return value == nullptr ? field : nullptr;
}

}  // namespace

bool is_revision(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end;
}

Error unmet_condition(const Resource& resource, const ObjectKey& key, std::string_view what,
                      std::string_view wanted, std::string_view current) {
  std::string why = "StorageError: invalid object, Code: 4, Key: " + registry_key(resource, key) +
                    ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ";
  why.append(what).append(" in precondition: ").append(wanted);
  why.append(", ").append(what).append(" in object meta: ").append(current);
  return meta::conflict_error(resource.group_resource(), key.name, why);
}

void start_metadata(const Resource& resource, json::Value& object, Ids& ids, std::string now) {
  json::Object& metadata = metadata_of(object);
  for (const std::string_view key : kServerOwned) {
    // Where the server does not count, the number that a client wrote stays.
    if (key != "generation" || resource.has_generation) metadata.erase(key);
  }
  metadata.erase("managedFields");
  metadata.set("uid", ids.uid());
  if (resource.has_generation && resource.kind->generation != Generation::Changes)
    metadata.set("generation", 1);
  metadata.set("creationTimestamp", std::move(now));
}

void count_generation(const Resource& resource, const json::Value& current, json::Value& next,
                      bool differs) {
  if (!resource.has_generation || resource.kind->generation == Generation::First) return;
  // A custom resource without the status subresource has a status like any other field.
  const bool with_status = resource.is_custom() && !resource.schema->with_status;
  const bool same_metadata =
      std::ranges::all_of(resource.kind->counted_metadata, [&](std::string_view key) {
        return serving::same_member(current, next, {"metadata", key});
      });
  if (!differs && same_metadata && same_spec(current, next, with_status)) return;
  const std::int64_t generation = current.int_at({"metadata", "generation"}).value_or(0);
  metadata_of(next).set("generation", generation + 1);
}

bool differs_as_stored(const Resource& resource, const json::Value& current,
                       const json::Value& next) {
  if (resource.conversion == nullptr || !resource.conversion->validated_as_stored) return false;
  const auto stored = [&](json::Value object) {
    resource.conversion->to_stored(object);
    return object;
  };
  return !same_spec(stored(current), stored(next), false);
}

Emptied find_emptied(const Write& write, const json::Value& next) {
  Emptied out;
  if (!write.resource.is_typed()) return out;
  const std::string_view counted = write.resource.kind->counts_emptied;
  for (const std::string& path : write.asked.emptied()) {
    if (path.starts_with("status") != is_of_status(write.part)) continue;
    const meta::FieldDescriptor* field = empty_field(*write.resource.type, next, path);
    if (field == nullptr) continue;
    // Protobuf has an empty text of bytes, and no empty list.
    out.writes = out.writes || (field->kind == meta::ValueKind::Bytes &&
                                field->cardinality == meta::Cardinality::Plain);
    out.counts = out.counts || (!counted.empty() && path.starts_with(counted));
  }
  return out;
}

Result<void> keep_rest(const Write& write, const ObjectKey& key, json::Value& next) {
  if (!is_whole(write.part)) {
    if (auto same = check_identity(write.resource, key, *write.before, next); !same) return same;
  }
  keep_other_parts(write, next);
  keep_metadata(*write.before, next);
  return {};
}

Result<bool> set_defaults(const Resource& resource, json::Value& object) {
  if (resource.schema) {
    if (auto done = resource.schema->rules.prune_and_default(object); !done) return done.error();
  }
  return resource.is_typed() && apply_defaults(*resource.type, object);
}

Result<void> complete(const Write& write, json::Value& object, meta::FieldErrors known) {
  const Resource& resource = write.resource;
  if (write.asked.warnings != nullptr && write.before == nullptr && resource.is_typed())
    *write.asked.warnings = sent_warnings(*resource.type, object);
  prepare_by_kind(write, object);
  const bool new_status = write.before == nullptr && !write.loaded && resource.has_status();
  if (new_status && resource.is_typed()) {
    if (auto fitted = fit_status(*resource.type, object); !fitted) return fitted;
  }
  meta::FieldErrors errors = std::move(known);
  std::ranges::move(object_errors(write, object), std::back_inserter(errors));
  if (errors.empty()) return {};
  // The reference server names the kind of its own type, which one of another group may share.
  return meta::invalid_error({resource.stored_gvk.group, resource.gvk.kind},
                             metadata_text(object, "name"), errors);
}

void warn(const Write& write, const json::Value& object) {
  if (write.asked.warnings == nullptr || !write.resource.is_typed()) return;
  if (write.part == Part::Status) {
    *write.asked.warnings = status_warnings(*write.resource.type, object);
    return;
  }
  // Those of a new object as it was sent come first.
  std::vector<std::string>& warnings = *write.asked.warnings;
  if (write.before != nullptr) warnings.clear();
  std::ranges::move(object_warnings(*write.resource.type, object, write.before),
                    std::back_inserter(warnings));
}

std::unique_ptr<StoredObject> prepare(const Resource& resource, json::Value object) {
  if (resource.conversion != nullptr) {
    resource.conversion->to_stored(object);
    // What the served version does not have gets its defaults here.
    if (const auto* type = api::find_type(resource.stored_gvk)) apply_defaults(*type, object);
  }
  return prepare_object(object, resource);
}

ObjectPtr pretend(const Resource& resource, json::Value object, std::uint64_t revision) {
  const std::string given(metadata_text(object, "resourceVersion"));
  std::unique_ptr<StoredObject> out = prepare(resource, std::move(object));
  if (revision == 0 && !given.empty()) {
    show_revision(*out, given);
  } else if (revision == 0) {
    drop_revision(*out);
  } else {
    set_revision(*out, revision);
  }
  return out;
}

std::optional<Misfit> find_misfit(const Resource& resource, const json::Value& document) {
  const meta::GroupVersionKind given = named_kind(resource, document);
  if (!document.is_object()) {
    return unfit(
        resource, given,
        go::cannot_unmarshal(go::json_kind(document), "value of type v1." + resource.gvk.kind));
  }
  auto wrong = resource.is_custom() ? find_wrong_custom_kind(resource, given, document)
                                    : find_wrong_kind(resource, given);
  if (wrong) return wrong;
  const json::Value* metadata = document.at_path({"metadata"});
  if (metadata == nullptr || metadata->is_object() || metadata->is_null()) return std::nullopt;
  const std::string field = resource.is_custom() ? "value of type v1.ObjectMeta"
                                                 : "struct field " + resource.gvk.kind +
                                                       ".metadata of type v1.ObjectMeta";
  return unfit(resource, given, go::cannot_unmarshal(go::json_kind(*metadata), field));
}

Result<json::Value> check_document(const Resource& resource, json::Value document) {
  if (auto misfit = find_misfit(resource, document)) return misfit->error;
  document.if_object()->set("kind", resource.gvk.kind);
  document.if_object()->set("apiVersion", resource.gvk.api_version());
  metadata_of(document);
  return document;
}

Result<void> match_namespace(const Resource& resource, std::string_view namespace_,
                             json::Value& document) {
  json::Object& metadata = metadata_of(document);
  if (!resource.namespaced) {
    metadata.erase("namespace");
    return {};
  }
  const std::string_view given = metadata_text(document, "namespace");
  if (!given.empty() && given != namespace_) {
    return meta::bad_request_error(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata.set("namespace", namespace_);
  return {};
}

bool may_vanish(const Resource& resource, const json::Value& object) {
  if (!finalizers_of(object).empty()) return false;
  if (resource.kind->is_held != nullptr) return !resource.kind->is_held(object);
  return object.int_at({"metadata", "deletionGracePeriodSeconds"}).value_or(0) <= 0;
}

}  // namespace kube::apiserver
