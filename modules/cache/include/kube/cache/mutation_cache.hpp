// SPDX-License-Identifier: Apache-2.0
//
// kube::MutationCache<T>: a program's own writes, laid over a cache that has not seen them yet.
//
//   MutationCache<Pod> cache(informer.indexer(), {.include_adds = true});
//   const auto registration = informer.add_event_handler(cache.handler());
//   auto created = pods.create(pod);
//   if (!created) return created.error();
//   cache.mutation(*created);
//   const auto seen = cache.get_by_key("web/front-0");  // there, before the watch has brought it
#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <kube/base/call_user_code.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/cached_list.hpp>
#include <kube/cache/detail/lru_expire_cache.hpp>
#include <kube/cache/event_handler.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/cache/make_cached.hpp>
#include <kube/names/resource_version.hpp>

namespace kube {

struct MutationCacheOptions {
  /// How long a write is remembered: much longer than a watch is usually behind. client-go has no
  /// default.
  Duration ttl = std::chrono::minutes(1);
  /// Returns objects that the cache below does not have: it may not have seen their creation. When
  /// false, "not seen" can't be told from "deleted", and the object is not there.
  bool include_adds = false;
  /// With more, the write that was used least recently is forgotten; the same for deletions.
  std::size_t max_mutations = 100;
  std::shared_ptr<Clock> clock = real_clock();
  /// Called by by_index() for a write whose values in an index can't be known, because the index
  /// function throws. Empty: it is left out of the result in silence.
  std::function<void(std::string_view index, std::string_view key, const Error&)> index_failed{};
};

/// Reads of an informer's store that show the program's own writes at once: for a controller that
/// reads the object again before the watch has brought back what it wrote.
///
/// mutation() takes what a write returned. Reads return it in place of an older version below, also
/// by index, where its own values decide; once the cache below has that version or a newer one, the
/// write is forgotten. With handler() registered at the informer, deletions count too: a write that
/// the program learns of after the watch has brought its deletion is not shown.
///
/// Versions are compared as numbers of any length. Where one is not a number, the cache below
/// decides.
/// @par Thread safety   All functions may be called from any thread. No lock is held while index
///   functions and index_failed run.
/// @par Cost   A look-up and a lock beside that of the cache below; by index, the index function
///   for each write that is remembered.
template <Object T>
class MutationCache {
 public:
  /// `backing` is the cache below: informer.indexer().
  explicit MutationCache(Indexer<T> backing, MutationCacheOptions options = {})
      : backing_(std::move(backing)),
        options_(std::move(options)),
        writes_(options_.max_mutations),
        deletions_(options_.max_mutations) {}

  /// Remembers a write, unless a newer one of the object, or its deletion, is known.
  void mutation(const Cached<T>& written);
  void mutation(T written) { mutation(make_cached<T>(std::move(written))); }

  /// Returns the newest known state of the object; empty when it does not exist.
  Cached<T> get_by_key(std::string_view key);
  /// Returns the objects that have this value in their newest known state. A write for which the
  /// index function throws is left out, as an informer leaves such an object out of the index.
  /// @par Errors   InvalidArgument: there is no such index.
  Result<CachedList<T>> by_index(std::string_view index, std::string_view value);

  /// What the watch has brought; handler() calls these.
  void on_add_or_update(const Cached<T>& object);
  void on_delete(const Cached<T>& last_state);
  /// A handler for the informer of the cache below. The MutationCache must outlive its
  /// registration.
  ResourceEventHandler<T> handler() {
    return {.on_add = [this](const Cached<T>& object, bool) { on_add_or_update(object); },
            .on_update = [this](const Cached<T>&,
                                const Cached<T>& object) { on_add_or_update(object); },
            .on_delete = [this](const DeletedObject<T>& deleted) { on_delete(deleted.object); }};
  }

  /// Returns the keys of the writes that are remembered, the one used least recently first, and
  /// then those of the deletions.
  std::vector<std::string> keys() const {
    const MutexLock lock(mutex_);
    std::vector<std::string> keys = writes_.keys();
    for (std::string& key : deletions_.keys()) keys.push_back(std::move(key));
    return keys;
  }

 private:
  /// Returns what there is now of an object whose write may be remembered. Forgets a write that the
  /// cache below has caught up with.
  Cached<T> newest(std::string_view key) KUBE_REQUIRES(mutex_);
  /// Whether `a` is known to be newer than `b`.
  static bool is_newer(const Cached<T>& a, const Cached<T>& b) {
    const auto order = meta::compare_resource_versions(a.resource_version(), b.resource_version());
    return order && *order == std::strong_ordering::greater;
  }
  TimePoint now() const { return options_.clock->now(); }
  TimePoint expires() const { return deadline_after(now(), options_.ttl); }

  const Indexer<T> backing_;
  const MutationCacheOptions options_;
  mutable Mutex mutex_;
  cache::LruExpireCache<Cached<T>> writes_ KUBE_GUARDED_BY(mutex_);
  /// The last states of objects whose deletion the watch has brought.
  cache::LruExpireCache<Cached<T>> deletions_ KUBE_GUARDED_BY(mutex_);
};

// A deletion ends its object, whatever the version of a write that comes late; of an object with
// another uid, it ends older writes.
template <Object T>
void MutationCache<T>::mutation(const Cached<T>& written) {
  if (!written) return;
  const MutexLock lock(mutex_);
  if (const Cached<T>* last = deletions_.get(written.key(), now())) {
    if (last->uid() == written.uid() || is_newer(*last, written)) return;
  }
  if (const Cached<T>* other = writes_.get(written.key(), now())) {
    if (is_newer(*other, written)) return;
  }
  writes_.add(written.key(), written, expires());
}

template <Object T>
void MutationCache<T>::on_add_or_update(const Cached<T>& object) {
  if (!object) return;
  const MutexLock lock(mutex_);
  deletions_.remove(object.key());
  const Cached<T>* write = writes_.get(object.key(), now());
  if (write != nullptr && !is_newer(*write, object)) writes_.remove(object.key());
}

template <Object T>
void MutationCache<T>::on_delete(const Cached<T>& last_state) {
  if (!last_state) return;
  const MutexLock lock(mutex_);
  const Cached<T>* write = writes_.get(last_state.key(), now());
  // A newer write is of the object that was created after the deleted one.
  if (write != nullptr && write->uid() != last_state.uid() && is_newer(*write, last_state)) return;
  writes_.remove(last_state.key());
  deletions_.add(last_state.key(), last_state, expires());
}

// The lock is held while the cache below is read: it has a change before the handler forgets the
// write, so that one of the two always has it.
template <Object T>
Cached<T> MutationCache<T>::newest(std::string_view key) {
  Cached<T> below = backing_.get_by_key(key);
  if (!below && !options_.include_adds) return below;
  const Cached<T>* write = writes_.get(key, now());
  if (write == nullptr) return below;
  if (!below || is_newer(*write, below)) return *write;
  writes_.remove(key);
  return below;
}

template <Object T>
Cached<T> MutationCache<T>::get_by_key(std::string_view key) {
  const MutexLock lock(mutex_);
  return newest(key);
}

template <Object T>
Result<CachedList<T>> MutationCache<T>::by_index(std::string_view index, std::string_view value) {
  std::vector<std::string> keys;
  std::vector<Cached<T>> candidates;
  std::vector<Cached<T>> result;
  {
    const MutexLock lock(mutex_);
    auto below = backing_.by_index(index, value);
    if (!below) return below.error();
    keys = writes_.keys();
    const std::unordered_set<std::string_view> written(keys.begin(), keys.end());
    for (const Cached<T>& object : *below) {
      if (!written.contains(object.key())) result.push_back(object);
    }
    for (const std::string& key : keys) {
      if (Cached<T> object = newest(key)) candidates.push_back(std::move(object));
    }
  }
  for (Cached<T>& object : candidates) {
    const auto values = backing_.index_values(index, object);
    if (!values) {
      if (!options_.index_failed) continue;
      static_cast<void>(call_user_code(
          "index_failed", [&] { options_.index_failed(index, object.key(), values.error()); }));
      continue;
    }
    if (std::ranges::find(*values, value) != values->end()) result.push_back(std::move(object));
  }
  return CachedList<T>(std::move(result));
}

}  // namespace kube
