// SPDX-License-Identifier: Apache-2.0
#include "objects/namespace_finalizer.hpp"

#include <algorithm>

#include <kube/meta/errors.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"

namespace kube::apiserver {
namespace {

enum class Left { Nothing, Terminating, Changed };

// Deletes everything of a resource in a namespace. Changed: an object that others were writing is
// left, too.
Left empty_out(ObjectService& objects, const Resource& resource, const std::string& name) {
  Collection& collection = objects.collection(resource);
  if (collection.size(name) == 0) return Left::Nothing;
  bool changed = false;
  DeleteOptions request;
  request.propagation_policy = "Background";
  for (const ObjectPtr& object : collection.snapshot({name}).objects) {
    if (object->terminating) continue;  // it waits for a finalizer or for its time
    const auto removed = objects.remove(resource, {object->namespace_, object->name}, request);
    changed = changed || (!removed && is_conflict(removed.error()));
  }
  if (changed) return Left::Changed;
  return collection.size(name) == 0 ? Left::Nothing : Left::Terminating;
}

}  // namespace

NamespaceFinalizer::NamespaceFinalizer(Store& store, ResourceRegistry& registry,
                                       ObjectService& objects, Executor& executor)
    : registry_(registry),
      objects_(objects),
      executor_(executor),
      namespaces_(store.collection("/namespaces")) {}

void NamespaceFinalizer::observe(const Committed& committed) {
  const Event& event = *committed.event;
  if (&committed.collection == &namespaces_) {
    if (event.type != EventType::Deleted && event.object->terminating) schedule(event.object->name);
    return;
  }
  if (event.type != EventType::Deleted || event.object->namespace_.empty()) return;
  // All that a namespace waits for is the last object of each kind.
  if (committed.collection.size(event.object->namespace_) != 0) return;
  const ObjectPtr found = namespaces_.get(event.object->namespace_);
  if (found && found->terminating) schedule(found->name);
}

void NamespaceFinalizer::schedule(const std::string& name) {
  {
    const MutexLock lock(mutex_);
    if (!scheduled_.insert(name).second) return;
  }
  executor_.submit([this, name] { sweep(name); });
}

void NamespaceFinalizer::sweep(const std::string& name) {
  {
    // What is removed from here on asks for another round.
    const MutexLock lock(mutex_);
    scheduled_.erase(name);
  }
  const ObjectPtr found = namespaces_.get(name);
  if (!found || !found->terminating) return;
  const auto table = registry_.table();
  if (const auto pods = table->find("", "v1", "pods")) {
    const Left left = empty_out(objects_, *pods, name);
    if (left == Left::Changed) schedule(name);
    if (left != Left::Nothing) return;
  }
  Left all = Left::Nothing;
  for (const ServedGroup& group : table->groups()) {
    for (const ServedVersion& version : group.versions) {
      for (const auto& resource : version.resources) {
        // One version stands for all that share a collection.
        if (!resource->namespaced || resource->gvk != resource->stored_gvk) continue;
        if (!contains(resource->verbs, Verb::Delete)) continue;
        all = std::max(all, empty_out(objects_, *resource, name));
      }
    }
  }
  if (all == Left::Changed) schedule(name);
  if (all == Left::Nothing) finish(*found);
}

void NamespaceFinalizer::finish(const StoredObject& found) {
  const auto resource = registry_.table()->find("", "v1", "namespaces");
  const auto change = [&](const json::Value& current) -> Result<json::Value> {
    // Somebody else has finalized it, and made one of the same name.
    if (metadata_text(current, "uid") != found.uid) {
      return meta::not_found_error({"", "namespaces"}, found.name);
    }
    json::Value next = current;
    next.ensure_path({"spec", "finalizers"}) = json::Array{};
    return next;
  };
  // Gone already is as good.
  static_cast<void>(objects_.update(*resource, {"", found.name}, Part::Whole, change).has_value());
}

}  // namespace kube::apiserver
