// SPDX-License-Identifier: Apache-2.0
#include "storage/store.hpp"

#include <algorithm>
#include <utility>

namespace kube::apiserver {
namespace {

// Keys of a namespace lie in [ns + "/", ns + "0"): '0' follows '/'.
std::string range_begin(const Scope& scope) {
  return scope.namespace_.empty() ? std::string{} : scope.namespace_ + "/";
}

bool in_scope(const Scope& scope, std::string_view key) {
  return scope.namespace_.empty() ||
         (key.size() > scope.namespace_.size() && key.starts_with(scope.namespace_) &&
          key[scope.namespace_.size()] == '/');
}

}  // namespace

ObjectPtr Collection::get(std::string_view key) const {
  const MutexLock lock(mutex_);
  const auto at = objects_.find(key);
  return at == objects_.end() ? nullptr : at->second;
}

Snapshot Collection::snapshot(const Scope& scope) const {
  Snapshot out;
  Page all;
  all.count_remaining = false;
  page(scope, all, out);
  return out;
}

SharedSnapshot Collection::shared_snapshot(const Scope& scope) {
  // The maximum number of namespaces; clients that list more of them share less.
  constexpr std::size_t kMax = 64;
  const MutexLock lock(mutex_);
  SharedSnapshot out{revision_.load(std::memory_order_acquire), nullptr};
  if (shared_.size() > kMax) shared_.clear();
  auto& kept = shared_[scope.namespace_];
  out.objects = kept.lock();
  if (out.objects) return out;
  auto objects = std::make_shared<std::vector<ObjectPtr>>();
  if (scope.namespace_.empty()) objects->reserve(objects_.size());
  for (auto at = objects_.lower_bound(range_begin(scope));
       at != objects_.end() && in_scope(scope, at->first); ++at) {
    objects->push_back(at->second);
  }
  out.objects = std::move(objects);
  kept = out.objects;
  return out;
}

// Returns the state at a revision of the keys that changed after it; null for keys that did not
// exist.
Collection::Overlay Collection::undo(const Scope& scope, std::uint64_t to) const {
  Overlay overlay;
  log_.for_each_newest_first(to, [&](const Event& event) {
    std::string key = event.object->key();
    if (in_scope(scope, key)) overlay[std::move(key)] = event.previous;
  });
  return overlay;
}

std::size_t Collection::count(const Scope& scope, const Overlay& overlay) const {
  std::size_t size = objects_.size();
  if (!scope.namespace_.empty()) {
    const auto at = per_namespace_.find(scope.namespace_);
    size = at == per_namespace_.end() ? 0 : at->second;
  }
  for (const auto& [key, then] : overlay) {
    const bool now = objects_.contains(key);
    if (then && !now) ++size;
    if (!then && now) --size;
  }
  return size;
}

ReadError Collection::page(const Scope& scope, const Page& page, Snapshot& out) const {
  const MutexLock lock(mutex_);
  const std::uint64_t now = revision_.load(std::memory_order_acquire);
  Overlay overlay;
  out.revision = now;
  if (page.at && *page.at != now) {
    if (*page.at > now) return ReadError::TooNew;
    if (*page.at < log_.compacted()) return ReadError::Expired;
    overlay = undo(scope, *page.at);
    out.revision = *page.at;
  }
  const std::string start = std::max(range_begin(scope), page.start);
  auto stored = objects_.lower_bound(start);
  auto undone = overlay.lower_bound(start);
  if (page.limit == 0 && scope.namespace_.empty()) out.objects.reserve(objects_.size());
  bool more = false;
  while (true) {
    const bool has_stored = stored != objects_.end() && in_scope(scope, stored->first);
    const bool has_undone = undone != overlay.end();
    if (!has_stored && !has_undone) break;
    const ObjectPtr* next = nullptr;
    if (has_undone && (!has_stored || undone->first <= stored->first)) {
      if (has_stored && undone->first == stored->first) ++stored;
      next = &undone->second;
      ++undone;
      if (!*next) continue;  // made after that revision
    } else {
      next = &stored->second;
      ++stored;
    }
    if (page.limit != 0 && out.objects.size() == page.limit) {
      more = true;
      break;
    }
    out.objects.push_back(*next);
  }
  // Exact on a first page; later pages have the number in their token.
  if (more) {
    const std::size_t total = page.count_remaining ? count(scope, overlay) : 0;
    out.remaining = std::max<std::size_t>(total > page.limit ? total - page.limit : 0, 1);
  }
  return ReadError::None;
}

ReadError Collection::read(std::uint64_t after, std::size_t max, const WakerPtr& waker,
                           Events& out) {
  const MutexLock lock(mutex_);
  if (after < log_.dropped()) {
    out.oldest = log_.compacted();
    return ReadError::Expired;
  }
  log_.read(after, max, out.events);
  out.revision = std::max(after, revision_.load(std::memory_order_acquire));
  if (out.events.empty() && waker) waiting_.insert(waker);
  return ReadError::None;
}

void Collection::forget(const WakerPtr& waker) {
  const MutexLock lock(mutex_);
  waiting_.erase(waker);
}

ReadError Collection::check_start(std::uint64_t from, std::uint64_t& oldest) const {
  const MutexLock lock(mutex_);
  oldest = log_.compacted();
  return from < oldest ? ReadError::Expired : ReadError::None;
}

std::size_t Collection::size() const {
  const MutexLock lock(mutex_);
  return objects_.size();
}

std::size_t Collection::size(std::string_view namespace_) const {
  const MutexLock lock(mutex_);
  const auto at = per_namespace_.find(std::string(namespace_));
  return at == per_namespace_.end() ? 0 : at->second;
}

std::size_t Collection::history_size() const {
  const MutexLock lock(mutex_);
  return log_.size();
}

void Collection::compact(std::uint64_t revision) {
  const MutexLock lock(mutex_);
  log_.compact(revision);
}

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
  std::unordered_set<WakerPtr> waiting;
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
    const std::string& namespace_ = next->namespace_;
    if (type == EventType::Deleted) {
      collection.objects_.erase(at);
      if (--collection.per_namespace_[namespace_] == 0) collection.per_namespace_.erase(namespace_);
    } else if (expected) {
      at->second = next;
    } else {
      ++collection.per_namespace_[namespace_];
      collection.objects_.emplace(std::move(key), next);
    }
    event = std::make_shared<const Event>(Event{revision, type, std::move(next), expected});
    collection.log_.append(event);
    collection.shared_.clear();
    revision_.store(revision, std::memory_order_release);
    waiting = std::exchange(collection.waiting_, {});
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
  std::unordered_set<WakerPtr> reached;
  {
    const MutexLock lock(mutex_);
    const auto end = awaiting_.upper_bound(revision());
    for (auto at = awaiting_.begin(); at != end; ++at) reached.insert(at->second);
    awaiting_.erase(awaiting_.begin(), end);
    awaiting_count_.store(awaiting_.size(), std::memory_order_seq_cst);
  }
  wake(std::move(reached));
}

void Store::wake(std::unordered_set<WakerPtr> waiting) {
  if (waiting.empty() || !options_.post) return;
  options_.post([waiting = std::move(waiting)] {
    for (const WakerPtr& waker : waiting) waker->wake();
  });
}

}  // namespace kube::apiserver
