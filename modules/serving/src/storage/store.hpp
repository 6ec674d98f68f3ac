// SPDX-License-Identifier: Apache-2.0
//
// Objects, revisions and history in memory.
//
// Invariants:
// 1. One counter numbers all writes of all resources; writes are committed one at a time.
// 2. A reader that holds a collection's mutex and sees revision R sees every write to that
//    collection up to R, and none above it.
// 3. Objects and events are immutable; readers keep them after the lock.
// 4. No lock is held while JSON is read or written, or while waiters are woken; but one field of a
//    written object is read under it when there is an index of the field.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>

#include "http/waker.hpp"
#include "storage/event_log.hpp"
#include "storage/held_states.hpp"
#include "storage/stored_object.hpp"
#include "storage/value_indexes.hpp"

namespace kube::serving {

/// The keys that a read covers: all, or those of one namespace.
struct Scope {
  std::string namespace_{};  ///< Empty: all.
};

/// A consistent state of a scope, or a part of it.
struct Snapshot {
  std::uint64_t revision = 0;
  std::vector<ObjectPtr> objects{};  ///< In order of key.
  std::size_t remaining = 0;  ///< The number of objects after these, when a limit cut the list.
};

/// A consistent state of a scope, in order of key, that its readers share.
struct SharedSnapshot {
  std::uint64_t revision = 0;
  SharedObjects objects{};
};

using Wakers = std::vector<WakerPtr>;

/// Why a state or an event is not available.
enum class ReadError { None, Expired, TooNew };

/// The objects of one resource and their history.
///
/// @par Thread safety   All functions may be called from any thread.
class Collection {
 public:
  Collection(std::string id, EventLog::Bounds bounds, std::uint64_t start,
             const std::atomic<std::uint64_t>& revision)
      : id_(std::move(id)), revision_(revision), log_(bounds, start) {}

  const std::string& id() const { return id_; }
  /// The store's revision.
  std::uint64_t revision() const { return revision_.load(std::memory_order_acquire); }

  /// Null when there is no object.
  ObjectPtr get(std::string_view key) const;

  /// Returns the current state.
  /// @par Cost   A pointer copy for each object, under the lock.
  Snapshot snapshot(const Scope& scope) const;
  /// Like snapshot(), but all callers between two writes share one copy, as long as one of them
  /// keeps it: a thousand clients that list at once and read slowly must not need a thousand
  /// copies.
  SharedSnapshot shared_snapshot(const Scope& scope);
  /// Keeps a state for a reader that is sent it piece by piece, as long as the history reaches back
  /// to its revision.
  HeldStatePtr hold(std::uint64_t revision, SharedObjects objects);

  struct Page {
    std::string start{};                ///< The first key, or its position when it does not exist.
    std::size_t limit = 0;              ///< 0: no limit.
    std::optional<std::uint64_t> at{};  ///< The state at this revision; empty: now.
    bool count_remaining = true;
    /// Objects without these values may be left out.
    std::vector<Equality> only{};
  };
  /// Reads at most `limit` objects from `start` on, of the state at a revision.
  ReadError page(const Scope& scope, const Page& page, Snapshot& out) const;

  /// Like snapshot(), of the objects that may have these values; false, without an effect, when no
  /// index says which, or it says that they are many.
  bool select(const Scope& scope, const std::vector<Equality>& equalities, Snapshot& out) const;
  /// Makes the indexes that lists with these values would use, once they are asked for again.
  /// @par Cost   A walk of all objects for each, without the lock.
  void make_indexes(const std::vector<Equality>& equalities);
  std::size_t indexes() const;

  struct Events {
    std::vector<EventPtr> events{};
    std::uint64_t revision = 0;  ///< Without events: there are none up to this revision.
    std::uint64_t oldest = 0;    ///< When expired: the oldest revision to read from.
  };
  /// Reads at most `max` events after a revision, those out of scope included; when there are none,
  /// the next one in scope wakes `waker`. While it waits, the history may drop what is above its
  /// position: it has missed nothing. Expired, too, when the history began again after `epoch`.
  ReadError read(std::uint64_t after, std::size_t max, const WakerPtr& waker, Events& out,
                 std::uint64_t epoch = 0, const Scope& scope = {});
  /// The number of times that the history began again (Store::restart()).
  std::uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  /// `scope`: that of its read().
  void forget(const WakerPtr& waker, const Scope& scope = {});

  /// Whether a watch may start at a revision: Expired when history is lost, when it is from before
  /// the resource was served, or when the store has gone back from that revision to a lower one.
  /// `oldest`: the lowest revision at which it may start.
  ReadError check_start(std::uint64_t from, std::uint64_t& oldest) const;
  /// The resource is served since a revision: no watch starts before it.
  void begin_watches(std::uint64_t revision);

  std::size_t size() const;
  std::size_t size(std::string_view namespace_) const;
  std::size_t history_size() const;
  /// The bytes of replaced and removed objects that the history holds.
  std::size_t history_bytes() const;
  /// The number of states that readers are being sent.
  std::size_t held_states() const { return held_->size(); }

 private:
  friend class Store;
  using Map = std::map<std::string, ObjectPtr, std::less<>>;
  using Overlay = std::map<std::string, ObjectPtr, std::less<>>;

  /// Applies a write to the object at a place of the map, or, at its end, to a new one. Returns
  /// what is to be destroyed without the lock.
  HeldStates::Released place(Map::iterator at, std::string key, const EventPtr& event)
      KUBE_REQUIRES(mutex_);
  Overlay undo(const Scope& scope, std::uint64_t to) const KUBE_REQUIRES(mutex_);
  std::size_t count(const Scope& scope, const Overlay& overlay) const KUBE_REQUIRES(mutex_);
  /// Removes and returns those that wait for an event of a namespace, or of all.
  Wakers take_waiting(const std::string& namespace_, std::uint64_t revision) KUBE_REQUIRES(mutex_);
  /// All of them, for a reason that is not an event.
  Wakers take_waiting() KUBE_REQUIRES(mutex_);
  void compact(std::uint64_t revision);
  void make_index(const Equality& equality);

  const std::string id_;
  const std::atomic<std::uint64_t>& revision_;
  std::atomic<std::uint64_t> epoch_{0};
  mutable Mutex mutex_;
  Map objects_ KUBE_GUARDED_BY(mutex_);
  mutable ValueIndexes indexes_ KUBE_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::size_t> per_namespace_ KUBE_GUARDED_BY(mutex_);
  EventLog log_ KUBE_GUARDED_BY(mutex_);
  /// The highest revision that a restart went back from.
  std::uint64_t left_ KUBE_GUARDED_BY(mutex_) = 0;
  std::uint64_t served_since_ KUBE_GUARDED_BY(mutex_) = 0;
  /// By the namespace of whose events they wait; "" is all.
  std::unordered_map<std::string, std::unordered_set<WakerPtr>> waiting_ KUBE_GUARDED_BY(mutex_);
  const std::shared_ptr<HeldStates> held_ = std::make_shared<HeldStates>();
  /// By namespace; the state since the last write.
  std::unordered_map<std::string, std::weak_ptr<const std::vector<ObjectPtr>>> shared_
      KUBE_GUARDED_BY(mutex_);
};

/// What a write did; for observers.
struct Committed {
  const Collection& collection;
  EventPtr event;
};

/// All collections and the counter.
///
/// @par Thread safety   All functions may be called from any thread, except on_commit(), which
///   must be called before the first write.
class Store final : public RevisionSource {
 public:
  struct Options {
    EventLog::Bounds history{50'000, std::size_t{128} << 20U};
    std::uint64_t initial_revision = 0;
    /// Runs a task later, on another stack. Waiters are woken there.
    std::function<void(std::function<void()>)> post{};
  };
  explicit Store(Options options);

  std::uint64_t revision() const { return revision_.load(std::memory_order_acquire); }

  /// Creates it on first use; it lives as long as the store.
  Collection& collection(const std::string& id);
  std::vector<Collection*> collections() const;

  /// Has the watches of a collection that wait for an event look again (WatchSession::Start).
  void wake_watches(Collection& collection);

  /// Called while no other write can happen; must not write.
  using Guard = std::function<Result<void>()>;

  /// Returns the stored object; null when `expected` is no longer the current state (with a null
  /// `expected`: when the key exists); or the guard's error.
  Result<ObjectPtr> put(Collection& collection, const ObjectPtr& expected,
                        std::unique_ptr<StoredObject> object, const Guard& guard = {});
  /// Returns the revision of the removal; 0 when `expected` is no longer the current state.
  Result<std::uint64_t> remove(Collection& collection, const ObjectPtr& expected,
                               const Guard& guard = {});

  // ---- for a store that follows another server's, whose revisions are given

  /// Stores an object, or with EventType::Deleted removes it, at a revision, which must be above
  /// the store's. For a removal `object` is the last state.
  /// @return   False, without a change, for a revision that is not above the store's.
  bool follow(Collection& collection, EventType type, const ObjectPtr& object,
              std::uint64_t revision);
  /// The same at the revision of the object.
  bool follow(Collection& collection, EventType type, const ObjectPtr& object) {
    return follow(collection, type, object, object->revision);
  }
  /// Nothing else has been written up to a revision.
  void advance(Collection& collection, std::uint64_t revision);
  /// Replaces all objects, at a revision, and begins the history again: watches get a 410.
  void restart(Collection& collection, std::vector<ObjectPtr> objects, std::uint64_t revision);

  /// Called after each commit, without a lock, on the writer's thread.
  void on_commit(std::function<void(const Committed&)> observer);

  /// Drops history up to a revision (at most the current one).
  void compact(std::uint64_t revision);

  void when_reached(std::uint64_t revision, const WakerPtr& waker) override;
  void forget(const WakerPtr& waker) override;

  std::uint64_t writes() const { return writes_.load(std::memory_order_relaxed); }

 private:
  std::uint64_t commit(Collection& collection, EventType type, const ObjectPtr& expected,
                       std::unique_ptr<StoredObject> object, const Guard& guard,
                       std::optional<Error>& refused, EventPtr& event);
  void wake(Wakers waiting);
  void wake_reached();

  const Options options_;
  std::atomic<std::uint64_t> revision_;
  std::atomic<std::uint64_t> writes_{0};
  std::function<void(const Committed&)> observer_;
  Mutex commit_mutex_;  ///< Serialises writes; taken before any collection's mutex.
  mutable Mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Collection>> collections_ KUBE_GUARDED_BY(mutex_);
  std::uint64_t compacted_ KUBE_GUARDED_BY(mutex_);
  std::multimap<std::uint64_t, WakerPtr> awaiting_ KUBE_GUARDED_BY(mutex_);
  std::atomic<std::size_t> awaiting_count_{0};
};

}  // namespace kube::serving
