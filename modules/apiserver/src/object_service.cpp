// SPDX-License-Identifier: Apache-2.0
#include "object_service.hpp"

#include <utility>

#include <kube/meta/validation.hpp>

#include "custom_resources.hpp"
#include "errors.hpp"
#include "kind_rules.hpp"
#include "kind_updates.hpp"
#include "metadata.hpp"
#include "typed_document.hpp"

namespace kube::apiserver {
namespace {

constexpr int name_attempts = 8;
constexpr std::string_view namespaces_storage = "/namespaces";

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
  if (resource.has_status() && !keeps_status(resource)) object.if_object()->erase("status");
  if (auto filled = normalise(resource, object); !filled) return filled.error();

  const bool generates = given.empty() && !base.empty();
  for (int attempt = 0; attempt < (generates ? name_attempts : 1); ++attempt) {
    if (generates) metadata_of(object).set("name", meta::generate_name(base, ids_.source()));
    json::Value next = object;
    prepare_new(resource, next);
    if (is_definition(resource)) prepare_definition(next, nullptr, now_text());
    // Its status is a new one; the rest was in form before.
    if (resource.is_typed() && resource.has_status()) {
      if (auto fitted = normalize_to_type(*resource.type, next); !fitted) return fitted.error();
    }
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
    auto stored = store_.put(collection(resource), nullptr, prepare(resource, std::move(next)),
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
  const std::string base(metadata_text(object, "generateName"));
  if (!metadata_text(object, "name").empty() || base.empty()) {
    return put_named(resource, namespace_, std::move(object), false);
  }
  for (int attempt = 0; attempt < name_attempts; ++attempt) {
    json::Value next = object;
    metadata_of(next).set("name", meta::generate_name(base, ids_.source()));
    auto stored = put_named(resource, namespace_, std::move(next), true);
    if (!stored || *stored) return stored;
  }
  return meta::generate_name_conflict_error(resource.group_resource(), base);
}

Result<ObjectPtr> ObjectService::put_named(const Resource& resource, std::string_view namespace_,
                                           json::Value object, bool fresh) {
  json::Object& metadata = metadata_of(object);
  if (metadata_text(object, "uid").empty()) metadata.set("uid", ids_.uid());
  if (metadata_text(object, "creationTimestamp").empty()) {
    metadata.set("creationTimestamp", now_text());
  }
  if (counts_generation(resource)) set_default(metadata, "generation", 1);
  if (auto filled = normalise(resource, object); !filled) return filled.error();
  prepare_loaded(resource, object);
  if (is_definition(resource)) prepare_definition(object, nullptr, now_text());
  const std::string name(metadata_text(object, "name"));
  if (auto errors = validate_object(resource, object, nullptr); !errors.empty()) {
    return meta::invalid_error(resource.gvk.group_kind(), name, errors);
  }
  const std::string key = ObjectKey{std::string(namespace_), name}.to_string();
  Collection& objects = collection(resource);
  if (fresh) return store_.put(objects, nullptr, prepare(resource, std::move(object)));
  for (int attempt = 0; attempt < update_attempts; ++attempt) {
    auto stored = store_.put(objects, objects.get(key), prepare(resource, object));
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
    auto found = get(resource, key);
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
    if (auto filled = normalise(resource, next); !filled) return filled.error();
    if (part == Part::Main) keep_allocated(resource, *current, next);
    if (is_definition(resource)) prepare_definition(next, &*current, now_text());
    if (auto errors = validate_object(resource, next, &*current, part); !errors.empty()) {
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
    auto stored = store_.put(collection(resource), before, prepare(resource, std::move(next)));
    if (!stored || *stored) return stored;
  }
  return meta::optimistic_lock_error(resource.group_resource(), key.name);
}

}  // namespace kube::apiserver
