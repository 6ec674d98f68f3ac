// SPDX-License-Identifier: Apache-2.0
#include "objects/definition_controller.hpp"

#include <algorithm>
#include <utility>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "kinds/definition.hpp"
#include "resources/custom_resources.hpp"

namespace kube::apiserver {
namespace {

std::string storage_of(const json::Value& definition) {
  std::string storage(definition.string_at({"spec", "group"}));
  return storage.append("/").append(definition.string_at({"spec", "names", "plural"}));
}

// Whether a webhook would have to convert objects that were stored in another version. Those of a
// built-in kind of the same name have no schema.
bool has_older(const Collection& collection, const json::Value& definition) {
  if (definition.string_at({"spec", "conversion", "strategy"}) != "Webhook") return false;
  const std::string_view version = serving::storage_version(definition);
  return std::ranges::any_of(collection.snapshot({}).objects, [&](const ObjectPtr& object) {
    return object->schema != nullptr && object->schema->stored_version != version;
  });
}

std::shared_ptr<const Resource> any_version(const ResourceTable& table,
                                            const std::string& storage) {
  for (const auto& resource : table.resources()) {
    if (resource->is_custom() && resource->storage == storage) return resource;
  }
  return nullptr;
}

}  // namespace

DefinitionController::DefinitionController(Store& store, ResourceRegistry& registry,
                                           ObjectService& objects, Executor& executor)
    : store_(store),
      registry_(registry),
      objects_(objects),
      definitions_(store.collection(builtin::kDefinitions.storage())),
      resource_(registry.table()->find(builtin::kDefinitions)),
      sweeps_(executor, [this](const std::string& definition) { sweep(definition); }) {}

void DefinitionController::observe(const Committed& committed) {
  const Event& event = *committed.event;
  if (&committed.collection == &definitions_) {
    refresh();
    if (event.type == EventType::Deleted) return;
    if (event.object->terminating) {
      sweeps_.add(event.object->name);
    } else {
      objects_.update_same(*resource_, *event.object,
                           [this](json::Value& next) { establish(next, objects_.now_text()); });
    }
    return;
  }
  if (event.type != EventType::Deleted) return;
  std::string definition;
  {
    const MutexLock lock(mutex_);
    const auto found = terminating_.find(committed.collection.id());
    if (found == terminating_.end()) return;
    definition = found->second;
  }
  sweeps_.add(definition);
}

void DefinitionController::refresh() {
  const MutexLock one_at_a_time(refresh_mutex_);
  const auto before = registry_.table();
  std::map<std::string, Known> known;
  std::vector<const DefinedResources*> defined;
  std::map<std::string, std::string> terminating;
  for (const ObjectPtr& stored : definitions_.snapshot({}).objects) {
    // Most definitions have not changed, or in their status alone.
    auto same = known_.extract(stored->name);
    if (!same || same.mapped().stored != stored) {
      auto content = decode_stored(*stored, *resource_);
      if (!content) continue;
      const std::int64_t generation = content->int_at({"metadata", "generation"}).value_or(0);
      const bool is_established = serving::is_established(*content);
      const bool is_known = same && same.mapped().stored->uid == stored->uid;
      // As a real server, which makes the history of a resource when it begins to serve it.
      if (is_established && !(is_known && same.mapped().is_established))
        store_.collection(storage_of(*content)).begin_watches(stored->revision);
      if (is_known && same.mapped().stored->terminating == stored->terminating &&
          same.mapped().generation == generation) {
        same.mapped().stored = stored;
        same.mapped().is_established = is_established;
        known.insert(std::move(same));
      } else {
        const bool is_mixed = has_older(store_.collection(storage_of(*content)), *content);
        known[stored->name] = {stored, generation, is_established,
                               read_definition(*content, *before, is_mixed)};
      }
    } else {
      known.insert(std::move(same));
    }
    const DefinedResources& resources = known[stored->name].resources;
    if (stored->terminating) terminating.emplace(resources.storage, stored->name);
    defined.push_back(&resources);
  }
  known_ = std::move(known);
  registry_.set_custom(custom_groups(defined));
  const auto after = registry_.table();
  for (const auto& resource : before->resources()) {
    if (resource->is_custom() && after->presence_of(*resource) != Presence::Same) {
      store_.wake_watches(store_.collection(resource->storage));  // they end
    }
  }
  const MutexLock lock(mutex_);
  terminating_ = std::move(terminating);
}

void DefinitionController::sweep(const std::string& definition) {
  const ObjectPtr found = definitions_.get(definition);
  if (!found || !found->terminating) return;
  const auto content = decode_stored(*found, *resource_);
  if (!content) return;
  const std::string storage = storage_of(*content);
  Collection& collection = store_.collection(storage);
  const auto resource = any_version(*registry_.table(), storage);
  for (const ObjectPtr& object : collection.snapshot({}).objects) {
    if (resource && object->terminating) continue;  // waits for a finalizer
    // A failure means that another write came first, or that a finalizer holds the object: its
    // removal starts another sweep. Objects of a definition without a served version ignore
    // finalizers.
    if (resource) {
      static_cast<void>(
          objects_.remove(*resource, {object->namespace_, object->name}, {}).has_value());
    } else {
      static_cast<void>(store_.remove(collection, object).has_value());
    }
  }
  if (collection.size() != 0) return;
  objects_.update_same(*resource_, *found, [](json::Value& next) {
    std::vector<std::string> finalizers = finalizers_of(next);
    std::erase(finalizers, kCleanupFinalizer);
    set_finalizers(next, finalizers);
  });
}

}  // namespace kube::apiserver
