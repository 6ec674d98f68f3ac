// SPDX-License-Identifier: Apache-2.0
#include "storage/store.hpp"

#include <algorithm>
#include <utility>

namespace kube::serving {

Store::Store(Options options)
    : options_(std::move(options)),
      revision_(options_.initial_revision),
      compacted_(options_.initial_revision) {}

Collection& Store::collection(const std::string& id) {
  const MutexLock lock(mutex_);
  auto& found = collections_[id];
  if (!found) {
    // The collection has had no event since the store began, or since the last compaction.
    found = std::make_unique<Collection>(id, options_.history, compacted_, revision_);
  }
  return *found;
}

std::vector<Collection*> Store::collections() const {
  const MutexLock lock(mutex_);
  std::vector<Collection*> out;
  out.reserve(collections_.size());
  for (const auto& [id, collection] : collections_) out.push_back(collection.get());
  return out;
}

void Store::on_commit(std::function<void(const Committed&)> observer) {
  observer_ = std::move(observer);
}

std::uint64_t Store::commit(Collection& collection, EventType type, const ObjectPtr& expected,
                            std::unique_ptr<StoredObject> object, const Guard& guard,
                            std::optional<Error>& refused, EventPtr& event) {
  Wakers waiting;
  HeldStates::Released released;  // destroyed after the locks
  std::uint64_t revision = 0;
  {
    const MutexLock one_writer(commit_mutex_);
    if (guard) {
      if (auto allowed = guard(); !allowed) {
        refused = allowed.error();
        return 0;
      }
    }
    const MutexLock lock(collection.mutex_);
    std::string key = object ? object->key() : expected->key();
    const auto at = collection.objects_.find(key);
    const ObjectPtr current = at == collection.objects_.end() ? nullptr : at->second;
    if (current != expected) return 0;
    revision = revision_.load(std::memory_order_relaxed) + 1;
    ObjectPtr next = expected;
    if (object) {
      set_revision(*object, revision);
      next = std::move(object);
    }
    event = std::make_shared<const Event>(Event{revision, type, std::move(next), expected});
    released = collection.place(at, std::move(key), event);
    revision_.store(revision, std::memory_order_release);
    waiting = collection.take_waiting(event->object->namespace_, revision);
  }
  writes_.fetch_add(1, std::memory_order_relaxed);
  wake(std::move(waiting));
  wake_reached();
  if (observer_) observer_(Committed{collection, event});
  return revision;
}

Result<ObjectPtr> Store::put(Collection& collection, const ObjectPtr& expected,
                             std::unique_ptr<StoredObject> object, const Guard& guard) {
  std::optional<Error> refused;
  EventPtr event;
  const EventType type = expected ? EventType::Modified : EventType::Added;
  commit(collection, type, expected, std::move(object), guard, refused, event);
  if (refused) return *refused;
  return event ? event->object : ObjectPtr{};
}

Result<std::uint64_t> Store::remove(Collection& collection, const ObjectPtr& expected,
                                    const Guard& guard) {
  std::optional<Error> refused;
  EventPtr event;
  const std::uint64_t revision =
      commit(collection, EventType::Deleted, expected, nullptr, guard, refused, event);
  if (refused) return *refused;
  return revision;
}

bool Store::follow(Collection& collection, EventType type, const ObjectPtr& object,
                   std::uint64_t revision) {
  Wakers waiting;
  HeldStates::Released released;  // destroyed after the locks
  {
    const MutexLock one_writer(commit_mutex_);
    const MutexLock lock(collection.mutex_);
    if (revision <= revision_.load(std::memory_order_relaxed)) return false;
    std::string key = object->key();
    const auto at = collection.objects_.find(key);
    const ObjectPtr previous = at == collection.objects_.end() ? nullptr : at->second;
    // Nothing to remove: a version without an event.
    if (previous || type != EventType::Deleted) {
      if (type != EventType::Deleted) type = previous ? EventType::Modified : EventType::Added;
      released =
          collection.place(at, std::move(key),
                           std::make_shared<const Event>(Event{revision, type, object, previous}));
      waiting = collection.take_waiting(object->namespace_, revision);
    }
    revision_.store(revision, std::memory_order_release);
  }
  writes_.fetch_add(1, std::memory_order_relaxed);
  wake(std::move(waiting));
  wake_reached();
  return true;
}

void Store::advance(Collection& collection, std::uint64_t revision) {
  {
    const MutexLock one_writer(commit_mutex_);
    const MutexLock lock(collection.mutex_);
    if (revision <= revision_.load(std::memory_order_relaxed)) return;
    revision_.store(revision, std::memory_order_release);
  }
  wake_reached();
}

void Store::restart(Collection& collection, std::vector<ObjectPtr> objects,
                    std::uint64_t revision) {
  Wakers waiting;
  Collection::Map before;
  HeldStates::Released released;
  {
    const MutexLock one_writer(commit_mutex_);
    const MutexLock lock(collection.mutex_);
    before.swap(collection.objects_);  // destroyed after the lock, as `released`
    collection.indexes_.clear();
    collection.per_namespace_.clear();
    for (ObjectPtr& object : objects) {
      ++collection.per_namespace_[object->namespace_];
      std::string key = object->key();
      collection.objects_.insert_or_assign(std::move(key), std::move(object));
    }
    collection.log_.restart(revision);
    if (const std::uint64_t before_it = this->revision(); revision < before_it) {
      collection.left_ = std::max(collection.left_, before_it);
    }
    released = collection.held_->restart(revision);
    collection.shared_.clear();
    collection.epoch_.fetch_add(1, std::memory_order_release);
    revision_.store(revision, std::memory_order_release);
    waiting = collection.take_waiting();
  }
  wake(std::move(waiting));
  wake_reached();
}

void Store::wake_watches(Collection& collection) {
  Wakers waiting;
  {
    const MutexLock lock(collection.mutex_);
    waiting = collection.take_waiting();
  }
  wake(std::move(waiting));
}

void Store::compact(std::uint64_t revision) {
  const std::uint64_t up_to = std::min(revision, this->revision());
  {
    const MutexLock lock(mutex_);
    compacted_ = std::max(compacted_, up_to);
  }
  for (Collection* collection : collections()) collection->compact(up_to);
}

void Store::when_reached(std::uint64_t revision, const WakerPtr& waker) {
  {
    const MutexLock lock(mutex_);
    awaiting_.emplace(revision, waker);
    awaiting_count_.store(awaiting_.size(), std::memory_order_seq_cst);
  }
  // A write before this call is seen here; a later one sees the waiter.
  wake_reached();
}

void Store::forget(const WakerPtr& waker) {
  const MutexLock lock(mutex_);
  std::erase_if(awaiting_, [&](const auto& entry) { return entry.second == waker; });
  awaiting_count_.store(awaiting_.size(), std::memory_order_seq_cst);
}

void Store::wake_reached() {
  if (awaiting_count_.load(std::memory_order_seq_cst) == 0) return;
  Wakers reached;
  {
    const MutexLock lock(mutex_);
    const auto end = awaiting_.upper_bound(revision());
    for (auto at = awaiting_.begin(); at != end; ++at) reached.push_back(at->second);
    awaiting_.erase(awaiting_.begin(), end);
    awaiting_count_.store(awaiting_.size(), std::memory_order_seq_cst);
  }
  wake(std::move(reached));
}

void Store::wake(Wakers waiting) {
  if (waiting.empty() || !options_.post) return;
  options_.post([waiting = std::move(waiting)] {
    for (const WakerPtr& waker : waiting) waker->wake();
  });
}

}  // namespace kube::serving
