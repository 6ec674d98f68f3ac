// SPDX-License-Identifier: Apache-2.0
//
// kube::ExpiringStore<T>: a store that forgets its objects after a time, or by a policy;
// client-go's ExpirationCache.
//
//   ExpiringStore<SubjectAccessReview> answers(5min);
//   if (auto added = answers.add(review); !added) return added;
//   const auto known = answers.get_by_key("may-alice-get-pods");  // empty after five minutes
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/cached_list.hpp>
#include <kube/cache/detail/cached_queries.hpp>
#include <kube/cache/detail/object_cells.hpp>
#include <kube/cache/detail/writable_store.hpp>
#include <kube/cache/key_func.hpp>
#include <kube/cache/reflector_store.hpp>

namespace kube {

/// An object and when it was stored.
template <Object T>
struct TimestampedEntry {
  Cached<T> object{};
  TimePoint timestamp{};
};

/// Whether an entry has expired.
/// @par Thread safety   Called by the thread that reads, possibly by several at the same time, with
///   no lock held.
template <Object T>
using ExpirationPolicy = std::function<bool(const TimestampedEntry<T>& entry)>;

/// Entries expire when they are older than `ttl`; with 0 or less, never.
template <Object T>
ExpirationPolicy<T> ttl_policy(Duration ttl, std::shared_ptr<Clock> clock = real_clock()) {
  return [ttl, clock = std::move(clock)](const TimestampedEntry<T>& entry) {
    return ttl > Duration::zero() && clock->now() - entry.timestamp > ttl;
  };
}

/// An empty policy means that nothing expires.
template <Object T>
struct ExpiringStoreOptions {
  KeyFunc<T> key_func{};  ///< Empty: meta_namespace_key_func().
  ExpirationPolicy<T> policy{};
  std::shared_ptr<Clock> clock = real_clock();  ///< For the times of the entries.
};

/// A store for answers that are good for a while, such as permissions.
///
/// An entry that has expired is removed by the get() or list() that meets it, and is not returned.
/// Until then, list_keys() has it, and it takes memory: nothing runs in the background. Each add
/// and update sets the entry's time to now.
/// @par Errors   Of the functions that write and of get(): those of the key function, with the
///   object's name. Then nothing has changed.
/// @par Thread safety   All functions may be called from any thread. An entry that is replaced
///   while the policy looks at it stays.
template <Object T>
class ExpiringStore final : public ReflectorStore<T> {
 public:
  explicit ExpiringStore(ExpiringStoreOptions<T> options)
      : cells_(std::move(options.key_func), {}),
        policy_(std::move(options.policy)),
        clock_(std::move(options.clock)),
        store_(meta::GroupResource()) {}
  /// client-go's NewTTLStore.
  explicit ExpiringStore(Duration ttl, std::shared_ptr<Clock> clock = real_clock())
      : ExpiringStore(
            ExpiringStoreOptions<T>{.policy = ttl_policy<T>(ttl, clock), .clock = clock}) {}

  using ReflectorStore<T>::add;
  using ReflectorStore<T>::update;
  using ReflectorStore<T>::remove;
  /// @par Errors   See above.
  Result<void> add(const Cached<T>& object) override { return put(object); }
  Result<void> update(const Cached<T>& object) override { return put(object); }
  Result<void> remove(const Cached<T>& object) override {
    auto cell = cells_.make_removal(object);
    if (!cell) return cell.error();
    const MutexLock lock(mutex_);
    times_.erase(std::string((*cell)->key()));
    return store_.apply({{.type = DeltaType::Deleted, .cell = *cell}});
  }
  /// Replaces all entries; the time of each is now. Errors as those of Store::replace().
  Result<void> replace(std::vector<Cached<T>> objects, std::string_view resource_version) override {
    struct NothingKnown {
      cache::CellRef find(const std::string&) const { return {}; }
      cache::CellRef find_by_names(const ObjectKey&) const { return {}; }
    };
    auto list = cells_.make_all(objects, NothingKnown());
    if (!list) return list.error();
    const MutexLock lock(mutex_);
    const TimePoint now = clock_->now();
    times_.clear();
    for (const cache::CellRef& cell : list->cells) times_[std::string(cell->key())] = now;
    auto done = store_.replace(std::move(list->cells), resource_version);
    return done ? std::move(*list).result() : done;
  }
  /// Does nothing.
  Result<void> resync() override { return {}; }

  /// As get_by_key(), with the key of this object.
  /// @par Errors   Those of the key function.
  Result<Cached<T>> get(const Cached<T>& object) {
    auto key = cells_.key(object);
    if (!key) return key.error();
    return get_by_key(*key);
  }
  /// Returns the object with this key; empty when there is none, or it has expired.
  Cached<T> get_by_key(std::string_view key);
  /// Returns the objects that have not expired.
  CachedList<T> list();
  /// Returns the keys, those of expired entries that nothing has read yet included.
  std::vector<std::string> list_keys() const { return store_.store()->list_keys(); }

 private:
  Result<void> put(const Cached<T>& object) {
    auto cell = cells_.make(object);
    if (!cell) return cell.error();
    const MutexLock lock(mutex_);
    times_[std::string((*cell)->key())] = clock_->now();
    return store_.apply({{.type = DeltaType::Updated, .cell = *cell}});
  }
  TimePoint time_of(const Cached<T>& object) const KUBE_REQUIRES(mutex_) {
    return times_.find(std::string(object.key()))->second;  // each object has one
  }
  /// Removes the entry if it has expired; returns whether it has.
  bool expire(const TimestampedEntry<T>& entry);

  const cache::ObjectCells<T> cells_;
  const ExpirationPolicy<T> policy_;
  const std::shared_ptr<Clock> clock_;
  // Written while mutex_ is held; no index functions, so no user code runs.
  cache::WritableStore store_;
  Mutex mutex_;
  std::unordered_map<std::string, TimePoint> times_ KUBE_GUARDED_BY(mutex_);
};

template <Object T>
bool ExpiringStore<T>::expire(const TimestampedEntry<T>& entry) {
  if (!policy_ || !policy_(entry)) return false;
  const MutexLock lock(mutex_);
  const Cached<T> current(store_.store()->get(entry.object.key()));
  if (current != entry.object || time_of(current) != entry.timestamp) return true;
  times_.erase(std::string(entry.object.key()));
  static_cast<void>(store_.remove_if_same(entry.object.ref()));
  return true;
}

template <Object T>
Cached<T> ExpiringStore<T>::get_by_key(std::string_view key) {
  TimestampedEntry<T> entry;
  {
    const MutexLock lock(mutex_);
    entry.object = Cached<T>(store_.store()->get(key));
    if (!entry.object) return {};
    entry.timestamp = time_of(entry.object);
  }
  return expire(entry) ? Cached<T>() : entry.object;
}

template <Object T>
CachedList<T> ExpiringStore<T>::list() {
  std::vector<TimestampedEntry<T>> entries;
  {
    cache::CachedSink<T> sink;
    const MutexLock lock(mutex_);
    store_.store()->list(sink);
    for (Cached<T>& object : sink.take()) {
      const TimePoint time = time_of(object);
      entries.push_back({std::move(object), time});
    }
  }
  std::vector<Cached<T>> live;
  for (TimestampedEntry<T>& entry : entries) {
    if (!expire(entry)) live.push_back(std::move(entry.object));
  }
  return live;
}

}  // namespace kube
