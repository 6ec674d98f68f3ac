// SPDX-License-Identifier: Apache-2.0
#include "object_service.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <kube/meta/object_meta_validation.hpp>
#include <kube/meta/validation.hpp>

#include "conversion.hpp"
#include "custom_resources.hpp"
#include "custom_schema.hpp"
#include "errors.hpp"
#include "kind_rules.hpp"
#include "metadata.hpp"

namespace kube::apiserver {
namespace {

constexpr int name_attempts = 8;
// A patch without a resourceVersion is tried again when another write came first. Somebody always
// gets through, so this ends; the bound is for the case of an endless stream of writers.
constexpr int update_attempts = 1000;

constexpr std::string_view namespaces_storage = "/namespaces";

// Metadata that only the server writes.
constexpr std::array<std::string_view, 6> server_owned = {
    "uid",        "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
    "generation", "selfLink"};

bool is_namespace(const Resource& resource) {
  return resource.gvk.group.empty() && resource.plural == "namespaces";
}

bool counts_generation(const Resource& resource) {
  return resource.is_custom() || resource.policy.has_generation;
}

meta::FieldErrors validate_object(const Resource& resource, const json::Value& object,
                                  const json::Value* before) {
  const json::Value& metadata = *object.at_path({"metadata"});
  const meta::ObjectMetaRules rules{resource.policy.name_rule, resource.namespaced};
  meta::FieldErrors errors = meta::validate_object_meta(metadata, rules);
  const auto append = [&errors](meta::FieldErrors more) {
    std::ranges::move(more, std::back_inserter(errors));
  };
  if (before != nullptr) {
    append(meta::validate_object_meta_update(metadata, *before->at_path({"metadata"})));
    append(validate_change(resource, object, *before));
  }
  if (resource.schema) append(resource.schema->validate(object));
  if (is_definition(resource)) append(validate_definition(object, before));
  return errors;
}

// Server-owned metadata of a new object.
void start_metadata(const Resource& resource, json::Value& object, Ids& ids, std::string now) {
  json::Object& metadata = metadata_of(object);
  for (const std::string_view key : server_owned) metadata.erase(key);
  metadata.erase("managedFields");
  metadata.set("uid", ids.uid());
  if (counts_generation(resource)) metadata.set("generation", 1);
  metadata.set("creationTimestamp", std::move(now));
}

// Server-owned metadata of a changed object: as it was.
void keep_metadata(const json::Value& current, json::Value& next) {
  const json::Object& before = *find_metadata(current);
  json::Object& metadata = metadata_of(next);
  for (const std::string_view key : server_owned) copy_member(before, metadata, key);
  for (const std::string_view key : {"name", "namespace", "resourceVersion"}) {
    copy_member(before, metadata, key);
  }
}

void count_generation(const Resource& resource, const json::Value& current, json::Value& next) {
  if (!counts_generation(resource)) return;
  // A custom resource without the status subresource has a status like any other field.
  const bool with_status = resource.is_custom() && !resource.schema->with_status();
  if (same_spec(current, next, with_status)) return;
  const std::int64_t generation = int_at(current, {"metadata", "generation"}, 0);
  metadata_of(next).set("generation", generation + 1);
}

// Undoes what a write to one part says about the others.
void keep_other_parts(const Resource& resource, Part part, const json::Value& current,
                      json::Value& next) {
  if (part == Part::Whole || !resource.has_status()) return;
  json::Object& content = *next.if_object();
  const json::Object& before = *current.if_object();
  if (part == Part::Main) {
    copy_member(before, content, "status");
    return;
  }
  json::Object kept = before;
  copy_member(content, kept, "status");
  if (!resource.is_custom()) {
    json::Value& metadata = kept["metadata"];
    for (const std::string_view key : {"labels", "annotations", "finalizers"}) {
      copy_member(metadata_of(next), *metadata.if_object(), key);
    }
  }
  next = std::move(kept);
}

Result<void> check_identity(const Resource& resource, const ObjectKey& key,
                            const json::Value& current, const json::Value& next) {
  const auto group_resource = resource.group_resource();
  const std::string_view uid = metadata_text(next, "uid");
  const std::string_view current_uid = metadata_text(current, "uid");
  if (!uid.empty() && uid != current_uid) {
    std::string why =
        "StorageError: invalid object, Code: 4, Precondition failed: UID in precondition: ";
    why.append(uid).append(", UID in object meta: ").append(current_uid);
    return meta::conflict_error(group_resource, key.name, why);
  }
  std::string_view version = metadata_text(next, "resourceVersion");
  if (version == "0") version = {};
  if (version.empty() && !(resource.policy.unconditional_update && !resource.is_custom())) {
    return meta::invalid_error(
        resource.gvk.group_kind(), key.name,
        {meta::FieldError::invalid(meta::FieldPath("metadata").child("resourceVersion"), 0,
                                   "must be specified for an update")});
  }
  if (!version.empty() && version != metadata_text(current, "resourceVersion")) {
    return meta::optimistic_lock_error(group_resource, key.name);
  }
  return {};
}

std::unique_ptr<StoredObject> prepare(const Resource& resource, json::Value object) {
  if (resource.conversion != nullptr) resource.conversion->to_stored(*object.if_object());
  return prepare_object(object, resource);
}

// For an answer to a dry run: as it would be stored, with the given revision or none.
ObjectPtr pretend(const Resource& resource, json::Value object, std::uint64_t revision) {
  std::unique_ptr<StoredObject> out = prepare(resource, std::move(object));
  if (revision == 0) {
    drop_revision(*out);
  } else {
    set_revision(*out, revision);
  }
  return out;
}

void normalise(const Resource& resource, json::Value& object) {
  if (resource.schema) resource.schema->normalise(object);
  apply_defaults(resource, object);
}

}  // namespace

std::string ObjectService::now_text() const {
  return format_time(clock_->wall_now());
}

Result<void> ObjectService::check_namespace(const Resource& resource, std::string_view namespace_,
                                            std::string_view name) {
  if (!resource.namespaced) return {};
  const ObjectPtr found = store_.collection(std::string(namespaces_storage)).get(namespace_);
  if (!found) return meta::not_found_error({"", "namespaces"}, namespace_);
  if (!found->terminating) return {};
  return namespace_terminating(resource.group_resource(), name, namespace_);
}

Result<ObjectPtr> ObjectService::create(const Resource& resource, std::string_view namespace_,
                                        json::Value object, bool dry_run) {
  if (!metadata_text(object, "resourceVersion").empty()) {
    return meta::bad_request_error("resourceVersion should not be set on objects to be created");
  }
  const std::string given(metadata_text(object, "name"));
  const std::string base(metadata_text(object, "generateName"));
  start_metadata(resource, object, ids_, now_text());
  if (auto exists = check_namespace(resource, namespace_, given); !exists) return exists.error();
  if (resource.has_status()) object.if_object()->erase("status");
  normalise(resource, object);

  const bool generates = given.empty() && !base.empty();
  for (int attempt = 0; attempt < (generates ? name_attempts : 1); ++attempt) {
    if (generates) metadata_of(object).set("name", meta::generate_name(base, ids_.source()));
    json::Value next = object;
    prepare_new(resource, next);
    if (is_definition(resource)) prepare_definition(next, nullptr, now_text());
    const std::string name(metadata_text(next, "name"));
    if (auto errors = validate_object(resource, next, nullptr); !errors.empty()) {
      return meta::invalid_error(resource.gvk.group_kind(), name, errors);
    }
    const ObjectKey key{std::string(namespace_), name};
    if (dry_run) {
      if (collection(resource).get(key.to_string())) {
        return meta::already_exists_error(resource.group_resource(), name);
      }
      return pretend(resource, std::move(next), 0);
    }
    const auto stored =
        store_.put(collection(resource), nullptr, prepare(resource, std::move(next)),
                   [&] { return check_namespace(resource, namespace_, name); });
    if (!stored || *stored) return stored;
    if (generates) continue;
    const ObjectPtr taken = collection(resource).get(key.to_string());
    return taken && taken->terminating
               ? being_deleted(resource.group_resource(), name)
               : meta::already_exists_error(resource.group_resource(), name);
  }
  return meta::generate_name_conflict_error(resource.group_resource(), base);
}

Result<ObjectPtr> ObjectService::put(const Resource& resource, std::string_view namespace_,
                                     json::Value object) {
  json::Object& metadata = metadata_of(object);
  if (metadata_text(object, "uid").empty()) metadata.set("uid", ids_.uid());
  if (metadata_text(object, "creationTimestamp").empty()) {
    metadata.set("creationTimestamp", now_text());
  }
  if (counts_generation(resource)) set_default(metadata, "generation", 1);
  normalise(resource, object);
  if (object.at_path({"status"}) == nullptr) prepare_new(resource, object);
  if (is_definition(resource)) prepare_definition(object, nullptr, now_text());
  const std::string name(metadata_text(object, "name"));
  if (auto errors = validate_object(resource, object, nullptr); !errors.empty()) {
    return meta::invalid_error(resource.gvk.group_kind(), name, errors);
  }
  const std::string key = ObjectKey{std::string(namespace_), name}.to_string();
  Collection& objects = collection(resource);
  for (int attempt = 0; attempt < update_attempts; ++attempt) {
    const auto stored = store_.put(objects, objects.get(key), prepare(resource, object));
    if (!stored || *stored) return stored;
  }
  return meta::optimistic_lock_error(resource.group_resource(), name);
}

Result<ObjectPtr> ObjectService::get(const Resource& resource, const ObjectKey& key) {
  ObjectPtr found = collection(resource).get(key.to_string());
  if (!found) return meta::not_found_error(resource.group_resource(), key.name);
  return found;
}

Result<ObjectPtr> ObjectService::update(const Resource& resource, const ObjectKey& key, Part part,
                                        const Change& change, bool dry_run) {
  for (int attempt = 0; attempt < update_attempts; ++attempt) {
    const auto found = get(resource, key);
    if (!found) return found;
    const ObjectPtr& before = *found;
    auto current = decode_object(*before, resource);
    if (!current) return current.error();
    auto changed = change(*current);
    if (!changed) return changed.error();
    json::Value next = *std::move(changed);
    if (part != Part::Whole) {
      if (auto same = check_identity(resource, key, *current, next); !same) return same.error();
    }
    keep_other_parts(resource, part, *current, next);
    keep_metadata(*current, next);
    normalise(resource, next);
    if (is_definition(resource)) prepare_definition(next, &*current, now_text());
    if (auto errors = validate_object(resource, next, &*current); !errors.empty()) {
      return meta::invalid_error(resource.gvk.group_kind(), key.name, errors);
    }
    if (same_content(*current, next)) return before;
    count_generation(resource, *current, next);
    if (dry_run) return pretend(resource, std::move(next), before->revision);

    if (before->terminating && may_vanish(resource, next)) {
      // Watchers see the deletion only, of the state that was stored.
      const auto revision = store_.remove(collection(resource), before);
      if (!revision) return revision.error();
      if (*revision != 0) return pretend(resource, std::move(next), *revision);
      continue;
    }
    const auto stored =
        store_.put(collection(resource), before, prepare(resource, std::move(next)));
    if (!stored || *stored) return stored;
  }
  return meta::optimistic_lock_error(resource.group_resource(), key.name);
}

Result<void> ObjectService::refuse_protected(const Resource& resource, const ObjectKey& key) const {
  if (!is_namespace(resource)) return {};
  for (const std::string_view name : {"default", "kube-system", "kube-public"}) {
    if (key.name == name) {
      return meta::forbidden_error(resource.group_resource(), key.name,
                                   "this namespace may not be deleted");
    }
  }
  return {};
}

Result<void> ObjectService::check_preconditions(const Resource& resource,
                                                const StoredObject& object,
                                                const DeleteOptions& request) const {
  if (!request.preconditions) return {};
  const auto& [uid, version] = *request.preconditions;
  const meta::GroupResource kind{resource.gvk.group, resource.gvk.kind};
  if (uid && *uid != object.uid) {
    return meta::conflict_error(kind, object.name,
                                "the UID in the precondition (" + *uid +
                                    ") does not match the UID in record (" + object.uid +
                                    "). The object might have been deleted and then recreated");
  }
  const std::string revision = std::to_string(object.revision);
  if (version && *version != revision) {
    return meta::conflict_error(kind, object.name,
                                "the ResourceVersion in the precondition (" + *version +
                                    ") does not match the ResourceVersion in record (" + revision +
                                    "). The object might have been modified");
  }
  return {};
}

std::optional<json::Value> ObjectService::mark_terminating(const Resource& resource,
                                                           const json::Value& current,
                                                           const DeleteOptions& request) const {
  const bool terminating = !metadata_text(current, "deletionTimestamp").empty();
  std::int64_t grace = 0;
  if (resource.policy.graceful_deletion) {
    grace = request.grace_period_seconds.value_or(
        int_at(current, {"spec", "terminationGracePeriodSeconds"}, 30));
    const std::string_view phase = text_at(current, {"status", "phase"});
    // Nothing runs that could be ended gracefully.
    if (text_at(current, {"spec", "nodeName"}).empty() || phase == "Succeeded" ||
        phase == "Failed") {
      grace = 0;
    }
  }
  if (terminating) {
    const std::int64_t left = int_at(current, {"metadata", "deletionGracePeriodSeconds"}, 0);
    // A second deletion may only shorten the time.
    if (!request.grace_period_seconds && grace != 0) return std::nullopt;
    if (grace >= left) return std::nullopt;
  }
  json::Value next = current;
  std::vector<std::string> finalizers = finalizers_of(next);
  std::string policy = request.propagation_policy;
  if (policy.empty() && request.orphan_dependents) {
    policy = *request.orphan_dependents ? "Orphan" : "Background";
  }
  // Jobs and replication controllers keep their pods unless told otherwise.
  const bool orphans = (resource.gvk.group == "batch" && resource.plural == "jobs") ||
                       (resource.gvk.group.empty() && resource.plural == "replicationcontrollers");
  if (policy.empty() && orphans) policy = "Orphan";
  if (!policy.empty() && !terminating) {
    std::erase_if(finalizers, [](const std::string& name) {
      return name == "orphan" || name == "foregroundDeletion";
    });
    if (policy == "Orphan") finalizers.emplace_back("orphan");
    if (policy == "Foreground") finalizers.emplace_back("foregroundDeletion");
    set_finalizers(next, finalizers);
  }
  json::Object& metadata = metadata_of(next);
  metadata.set("deletionTimestamp", format_time(clock_->wall_now() + std::chrono::seconds(grace)));
  if (is_namespace(resource)) {
    next.ensure_path({"status", "phase"}) = "Terminating";
  } else {
    metadata.set("deletionGracePeriodSeconds", grace);
  }
  if (!terminating && counts_generation(resource)) {
    metadata.set("generation", int_at(current, {"metadata", "generation"}, 0) + 1);
  }
  return next;
}

Result<ObjectService::Removal> ObjectService::remove(const Resource& resource, const ObjectKey& key,
                                                     const DeleteOptions& request) {
  if (auto allowed = refuse_protected(resource, key); !allowed) return allowed.error();
  for (int attempt = 0; attempt < update_attempts; ++attempt) {
    const auto found = get(resource, key);
    if (!found) return found.error();
    const ObjectPtr& before = *found;
    if (auto holds = check_preconditions(resource, *before, request); !holds) return holds.error();
    auto current = decode_object(*before, resource);
    if (!current) return current.error();
    auto next = mark_terminating(resource, *current, request);
    if (!next && !may_vanish(resource, *current)) return Removal{before, false};
    const json::Value& last = next ? *next : *current;
    if (may_vanish(resource, last)) {
      if (!request.dry_run.empty()) return Removal{before, true};
      const auto revision = store_.remove(collection(resource), before);
      if (!revision) return revision.error();
      if (*revision != 0) return Removal{before, true};
      continue;
    }
    if (!request.dry_run.empty()) {
      return Removal{pretend(resource, *std::move(next), before->revision), false};
    }
    const auto stored =
        store_.put(collection(resource), before, prepare(resource, *std::move(next)));
    if (!stored) return stored.error();
    if (*stored) return Removal{*stored, false};
  }
  return meta::optimistic_lock_error(resource.group_resource(), key.name);
}

Result<json::Value> check_document(const Resource& resource, json::Value document) {
  if (!document.is_object()) {
    return meta::bad_request_error("the body of the request is not an object but of type " +
                                   std::string(document.type_name()));
  }
  json::Object& content = *document.if_object();
  const std::string kind(text_at(document, {"kind"}));
  const std::string api_version(text_at(document, {"apiVersion"}));
  if (resource.is_custom() && (kind.empty() || api_version.empty())) {
    return meta::bad_request_error(std::string("Object '") +
                                   (kind.empty() ? "Kind" : "apiVersion") +
                                   "' is missing in the body of the request");
  }
  const std::string expected = resource.gvk.api_version();
  if (!api_version.empty() && api_version != expected) {
    return meta::bad_request_error("the API version in the data (" + api_version +
                                   ") does not match the expected API version (" + expected + ")");
  }
  if (!kind.empty() && kind != resource.gvk.kind) {
    return meta::bad_request_error(kind + " in version \"" + resource.gvk.version +
                                   "\" cannot be handled as a " + resource.gvk.kind);
  }
  if (const json::Value* metadata = content.find("metadata");
      metadata != nullptr && !metadata->is_object() && !metadata->is_null()) {
    return meta::bad_request_error("metadata: expected an object, not " +
                                   std::string(metadata->type_name()));
  }
  content.set("kind", resource.gvk.kind);
  content.set("apiVersion", expected);
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
  if (is_namespace(resource)) {
    const json::Value* finalizers = object.at_path({"spec", "finalizers"});
    return finalizers == nullptr || !finalizers->is_array() || finalizers->if_array()->empty();
  }
  return int_at(object, {"metadata", "deletionGracePeriodSeconds"}, 0) == 0;
}

}  // namespace kube::apiserver
