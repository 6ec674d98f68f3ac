// SPDX-License-Identifier: Apache-2.0
//
// A write is one pipeline: start or keep metadata → defaults → admission → addresses → complete
// (prepare, validate) → warnings → admission of what is valid → store.
#include "objects/object_service.hpp"

#include <utility>

#include <kube/names/validation.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "objects/admission.hpp"
#include "objects/device_access.hpp"
#include "objects/object_deletion.hpp"
#include "objects/service_addresses.hpp"

namespace kube::apiserver {
namespace {

/// A write without a resourceVersion is retried when another one came first. One writer always
/// succeeds, so this ends; the limit is for an endless stream of writers.
constexpr int kUpdateAttempts = 1000;
constexpr int kNameAttempts = 8;

/// Repeats an attempt until no other write came first.
template <class Attempt>
auto repeat(const Resource& resource, std::string_view name, const Attempt& attempt)
    -> decltype(attempt()) {
  for (int i = 0; i < kUpdateAttempts; ++i) {
    auto done = attempt();
    if (!done || *done) return done;
  }
  return meta::optimistic_lock_error(resource.group_resource(), name);
}

bool names_revision(const json::Value& object) {
  const std::string_view version = metadata_text(object, "resourceVersion");
  return is_revision(version) && version.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::string ObjectService::now_text() const {
  return format_time(clock_->wall_now());
}

Result<void> ObjectService::check_namespace(const Resource& resource, std::string_view namespace_,
                                            std::string_view name) {
  if (!resource.namespaced) return {};
  const ObjectPtr found = store_.collection(builtin::kNamespaces.storage()).get(namespace_);
  if (!found) return meta::not_found_error(builtin::kNamespaces.group_resource(), namespace_);
  if (!found->terminating) return {};
  return namespace_terminating(resource.group_resource(), name, namespace_);
}

Result<ObjectService::Ready> ObjectService::make_ready(const Write& write, json::Value& object,
                                                       bool dry_run) {
  const auto dropped = set_defaults(write.resource, object);
  if (!dropped) return dropped.error();
  if (auto done = admit(write, store_, object); !done) return done.error();
  auto hold = allocate_addresses(allocator_, write, object, dry_run);
  if (!hold) return hold.error();
  if (auto done = complete(write, object, device_access_errors(write, store_, object)); !done)
    return done.error();
  return Ready{*std::move(hold), *dropped};
}

// Tries generated names until one is free.
Result<ObjectPtr> ObjectService::add(const Write& write, std::string_view namespace_,
                                     json::Value object, bool dry_run) {
  const Resource& resource = write.resource;
  const std::string name(metadata_text(object, "name"));
  const std::string base(metadata_text(object, "generateName"));
  const auto attempt = [&](json::Value next) -> Result<ObjectPtr> {
    const auto ready = make_ready(write, next, dry_run);
    if (!ready) return ready.error();
    warn(write, next);
    if (auto done = admit_valid(write, store_, next); !done) return done.error();
    return add_named(write, namespace_, std::move(next), dry_run);
  };
  if (name.empty() && !base.empty()) {
    for (int i = 0; i < kNameAttempts; ++i) {
      json::Value next = object;
      metadata_of(next).set("name", meta::generate_name(base, ids_.source()));
      auto stored = attempt(std::move(next));
      if (!stored || *stored) return stored;
    }
    return meta::generate_name_conflict_error(resource.group_resource(), base);
  }
  auto stored = attempt(std::move(object));
  if (!stored || *stored) return stored;
  const ObjectKey key{std::string(namespace_), name};
  const ObjectPtr taken = collection(resource).get(key.to_string());
  return taken && taken->terminating
             ? being_deleted(resource.group_resource(), key.name)
             : meta::already_exists_error(resource.group_resource(), key.name);
}

Result<ObjectPtr> ObjectService::add_named(const Write& write, std::string_view namespace_,
                                           json::Value object, bool dry_run) {
  const Resource& resource = write.resource;
  const ObjectKey key{std::string(namespace_), std::string(metadata_text(object, "name"))};
  if (dry_run) {
    const bool is_free = !collection(resource).get(key.to_string());
    return is_free ? pretend(resource, std::move(object), 0) : ObjectPtr{};
  }
  // The storage of the reference server refuses it, so what is invalid is told before, and a dry
  // run repeats it.
  if (!write.loaded && names_revision(object))
    return unexplained("resourceVersion should not be set on objects to be created");
  metadata_of(object).erase("resourceVersion");
  Store::Guard guard;
  if (!write.loaded) guard = [&] { return check_namespace(resource, namespace_, key.name); };
  auto made = prepare(resource, std::move(object));
  made->is_unfinished = resource.kind->stored_unfinished && !write.loaded;
  return store_.put(collection(resource), nullptr, std::move(made), guard);
}

Result<ObjectPtr> ObjectService::create(const Resource& resource, std::string_view namespace_,
                                        json::Value object, bool dry_run, const Asked& asked) {
  const std::string now = now_text();
  start_metadata(resource, object, ids_, now);
  if (resource.has_status() && !resource.kind->status_on_create)
    object.if_object()->erase("status");
  auto exists = check_namespace(resource, namespace_, metadata_text(object, "name"));
  if (!exists) return exists.error();
  const bool is_named =
      !metadata_text(object, "name").empty() || !metadata_text(object, "generateName").empty();
  if (resource.kind->named_by_uid && !is_named) metadata_of(object).set("name", ids_.uid());
  return add({.resource = resource, .now = now, .asked = asked}, namespace_, std::move(object),
             dry_run);
}

Result<ObjectPtr> ObjectService::put(const Resource& resource, std::string_view namespace_,
                                     json::Value object) {
  json::Object& metadata = metadata_of(object);
  if (metadata_text(object, "uid").empty()) metadata.set("uid", ids_.uid());
  const Write write{.resource = resource, .loaded = true, .now = now_text()};
  if (metadata_text(object, "creationTimestamp").empty()) {
    metadata.set("creationTimestamp", write.now);
  }
  if (resource.has_generation && resource.kind->generation != Generation::Changes)
    set_default(metadata, "generation", 1);
  const std::string name(metadata_text(object, "name"));
  if (name.empty() && !metadata_text(object, "generateName").empty()) {
    return add(write, namespace_, std::move(object), false);
  }
  const auto ready = make_ready(write, object, false);
  if (!ready) return ready.error();
  const std::string key = ObjectKey{std::string(namespace_), name}.to_string();
  Collection& objects = collection(resource);
  return repeat(resource, name,
                [&] { return store_.put(objects, objects.get(key), prepare(resource, object)); });
}

Result<ObjectPtr> ObjectService::get(const Resource& resource, const ObjectKey& key) {
  ObjectPtr found = collection(resource).get(key.to_string());
  if (!found) return meta::not_found_error(resource.group_resource(), key.name);
  return found;
}

Result<ObjectPtr> ObjectService::update(const Resource& resource, const ObjectKey& key, Part part,
                                        const Change& change, bool dry_run, const Asked& asked) {
  return repeat(resource, key.name, [&]() -> Result<ObjectPtr> {
    auto found = get(resource, key);
    if (!found) return found;
    auto current = decode_object(**found, resource);
    if (!current) return current.error();
    const Write write{
        .resource = resource, .before = &*current, .part = part, .now = now_text(), .asked = asked};
    auto next = change(*current);
    if (!next) return next.error();
    if (auto kept = keep_rest(write, key, *next); !kept) return kept.error();
    const auto ready = make_ready(write, *next, dry_run);
    if (!ready) return ready.error();
    const Emptied emptied = find_emptied(write, *next);
    const bool counts = emptied.counts || (ready->dropped && resource.kind->counts_dropped);
    const bool same = !counts && !emptied.writes && same_content(*current, *next);
    if (!same && part != Part::Uncounted)
      count_generation(resource, *current, *next,
                       counts || differs_as_stored(resource, *current, *next));
    warn(write, *next);
    if (auto done = admit_valid(write, store_, *next); !done) return done.error();
    if (same && (is_whole(part) || !(*found)->is_unfinished)) return found;
    return replace(resource, *found, *std::move(next), dry_run);
  });
}

void ObjectService::update_same(const Resource& resource, const StoredObject& object,
                                const std::function<void(json::Value& next)>& change) {
  const auto checked = [&](const json::Value& current) -> Result<json::Value> {
    if (metadata_text(current, "uid") != object.uid) {
      return meta::not_found_error(resource.group_resource(), object.name);
    }
    json::Value next = current;
    change(next);
    return next;
  };
  const ObjectKey key{object.namespace_, object.name};
  static_cast<void>(update(resource, key, Part::Whole, checked).has_value());
}

Result<ObjectPtr> ObjectService::replace(const Resource& resource, const ObjectPtr& before,
                                         json::Value next, bool dry_run) {
  if (dry_run) return pretend(resource, std::move(next), before->revision);
  if (!before->terminating || !may_vanish(resource, next)) {
    return store_.put(collection(resource), before, prepare(resource, std::move(next)));
  }
  // Watchers see only the deletion, with the state that was stored.
  const auto revision = store_.remove(collection(resource), before);
  if (!revision) return revision.error();
  return *revision == 0 ? ObjectPtr{} : pretend(resource, std::move(next), before->revision);
}

Result<ObjectService::Removal> ObjectService::remove(const Resource& resource, const ObjectKey& key,
                                                     const DeleteOptions& request) {
  if (auto allowed = refuse_protected(resource, key); !allowed) return allowed.error();
  return repeat(resource, key.name, [&] { return remove_once(resource, key, request); });
}

Result<ObjectService::Removal> ObjectService::remove_once(const Resource& resource,
                                                          const ObjectKey& key,
                                                          const DeleteOptions& request) {
  const auto found = get(resource, key);
  if (!found) return found.error();
  const ObjectPtr& before = *found;
  auto current = decode_object(*before, resource);
  if (!current) return current.error();
  if (auto holds = check_preconditions(resource, *current, request); !holds) return holds.error();
  auto next = mark_terminating(resource, *current, request, clock_->wall_now());
  const bool dry_run = !request.dry_run.empty();
  if (may_vanish(resource, next ? *next : *current)) {
    if (dry_run) return Removal{before, true};
    const auto revision = store_.remove(collection(resource), before);
    if (!revision) return revision.error();
    if (*revision == 0) return Removal{};
    if (!resource.kind->returns_deleted_object) return Removal{before, true};
    // What has a grace period is marked, even if there is none left.
    if (next && resource.kind->grace != nullptr) current = *std::move(next);
    return Removal{pretend(resource, *std::move(current), *revision), true};
  }
  if (!next) return Removal{before, false};
  if (dry_run) return Removal{pretend(resource, *std::move(next), before->revision), false};
  const auto stored = store_.put(collection(resource), before, prepare(resource, *std::move(next)));
  if (!stored) return stored.error();
  return Removal{*stored, false};
}

}  // namespace kube::apiserver
