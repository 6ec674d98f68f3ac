// SPDX-License-Identifier: Apache-2.0
#include "objects/namespace_finalizer.hpp"

#include <algorithm>

#include <kube/meta/errors.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"

namespace kube::apiserver {

NamespaceFinalizer::NamespaceFinalizer(Store& store, ResourceRegistry& registry,
                                       ObjectService& objects, Executor& executor)
    : registry_(registry),
      objects_(objects),
      namespaces_(store.collection(builtin::kNamespaces.storage())),
      sweeps_(executor, [this](const std::string& name) { sweep(name); }) {}

void NamespaceFinalizer::observe(const Committed& committed) {
  const Event& event = *committed.event;
  if (&committed.collection == &namespaces_) {
    if (event.type != EventType::Deleted && event.object->terminating)
      sweeps_.add(event.object->name);
    return;
  }
  if (event.type != EventType::Deleted || event.object->namespace_.empty()) return;
  // A namespace waits only for the last object of each kind.
  if (committed.collection.size(event.object->namespace_) != 0) return;
  const ObjectPtr found = namespaces_.get(event.object->namespace_);
  if (found && found->terminating) sweeps_.add(found->name);
}

void NamespaceFinalizer::sweep(const std::string& name) {
  const ObjectPtr found = namespaces_.get(name);
  if (!found || !found->terminating) return;
  const auto table = registry_.table();
  Left all = sweep_kinds(*table, name, true);
  if (all == Left::Nothing) all = sweep_kinds(*table, name, false);
  if (all == Left::Changed) sweeps_.add(name);
  if (all != Left::Nothing) return;
  objects_.update_same(*table->find(builtin::kNamespaces), *found, [](json::Value& next) {
    next.ensure_path({"spec", "finalizers"}) = json::Array{};
  });
}

// Deletes everything of a resource in a namespace.
NamespaceFinalizer::Left NamespaceFinalizer::empty_out(const Resource& resource,
                                                       const std::string& name) {
  Collection& collection = objects_.collection(resource);
  if (collection.size(name) == 0) return Left::Nothing;
  bool changed = false;
  DeleteOptions request;
  request.propagation_policy = "Background";
  for (const ObjectPtr& object : collection.snapshot({name}).objects) {
    if (object->terminating) continue;  // waits for a finalizer or its grace period
    const auto removed = objects_.remove(resource, {object->namespace_, object->name}, request);
    changed = changed || (!removed && is_conflict(removed.error()));
  }
  if (changed) return Left::Changed;
  return collection.size(name) == 0 ? Left::Nothing : Left::Terminating;
}

// Pods are deleted before the other objects, which they may use until they end.
NamespaceFinalizer::Left NamespaceFinalizer::sweep_kinds(const ResourceTable& table,
                                                         const std::string& name, bool first) {
  Left all = Left::Nothing;
  for (const auto& resource : table.resources()) {
    // One version represents all versions that share a collection.
    if (!resource->namespaced || resource->gvk != resource->stored_gvk) continue;
    if (!contains(resource->verbs, Verb::Delete)) continue;
    if (resource->kind->deleted_first == first) all = std::max(all, empty_out(*resource, name));
  }
  return all;
}

}  // namespace kube::apiserver
