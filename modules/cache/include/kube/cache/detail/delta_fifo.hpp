// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::DeltaFifo: changes on their way to a store, in the order in which they arrived. The
// queue of informers, and of kube::DeltaFifo<T>, which documents what can be observed
// (docs/reference/informers-and-queues.md ch. 13 and 14, docs/decisions/0003).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/cache/detail/delta.hpp>
#include <kube/cache/detail/store.hpp>

namespace kube::cache {

/// @par Thread safety   All functions may be called from any thread. No user code is called.
class DeltaFifo {
 public:
  static constexpr std::size_t kMaxBatch = 1000;

  /// With known objects, lists and resyncs become one delta for each object; without, they are one
  /// delta.
  explicit DeltaFifo(std::shared_ptr<const Store> known_objects = nullptr)
      : known_(std::move(known_objects)) {}
  ~DeltaFifo() = default;
  DeltaFifo(const DeltaFifo&) = delete;
  DeltaFifo& operator=(const DeltaFifo&) = delete;

  /// These return false when the queue is closed. With known objects, a Bookmark queues nothing.
  bool push(Delta delta);
  bool replace(std::vector<CellRef> items, std::string resource_version);
  bool resync();

  struct List {
    std::vector<CellRef> items;
    std::string resource_version;
  };
  /// The deltas to process together: one that is alone, a Bookmark or one of everything; or up to
  /// `limit` of the others, but not beyond the end of the initial state. Empty when the queue is
  /// empty. Call finished() when the batch was processed, before taking the next one.
  struct Batch {
    std::vector<Delta> deltas;
    std::optional<List> list{};  ///< Of a Replaced that concerns all.
    /// Belongs to the initial state; an empty one, that the queue has not synced.
    bool is_initial = false;
    std::uint64_t number = 0;
  };
  Batch pop_batch(std::size_t limit = kMaxBatch);
  /// Waits for a delta first.
  /// @par Errors   Cancelled: `stop` is requested, or the queue is closed, and it is empty.
  Result<Batch> pop_batch(std::size_t limit, Clock& clock, std::stop_token stop);
  void finished(const Batch& batch);

  /// Ends waits for a delta; what is queued can still be taken.
  void close();
  bool is_closed() const;

  /// Whether the initial state, and everything queued before it, has been processed; true at once
  /// when something else came first.
  bool has_synced() const;
  /// Waits for has_synced(); returns false when `stop` is requested or the queue is closed before.
  bool wait_for_sync(Clock& clock, std::stop_token stop) const;

  std::size_t size() const;
  /// Copies the queued deltas of objects, those of the objects of a whole list included, in order.
  std::vector<Delta> deltas() const;
  /// The same of the object with this key.
  std::vector<Delta> deltas(std::string_view key) const;

  /// The last states of objects: on their way, else known.
  /// @par Thread safety   A value.
  class States {
   public:
    /// These return null when there is no object, or it was deleted.
    CellRef find(const std::string& key) const;
    CellRef find_by_names(const ObjectKey& names) const;

   private:
    friend class DeltaFifo;
    /// By key; null: on its way to be deleted.
    std::unordered_map<std::string, CellRef> pending_{};
    std::shared_ptr<const Store> known_{};
  };
  /// @par Cost   That of deltas().
  States states() const;
  /// Drops everything; unless it has synced, the next list is the initial state.
  void clear();

 private:
  void append(Delta delta) KUBE_REQUIRES(mutex_);
  bool is_synced() const KUBE_REQUIRES(mutex_) { return populated_ && initial_left_ == 0; }
  Batch take(std::size_t limit) KUBE_REQUIRES(mutex_);
  void replace_each(std::vector<CellRef> items) KUBE_REQUIRES(mutex_);
  void resync_each() KUBE_REQUIRES(mutex_);
  template <class F>
  void for_each_pending(const F& visit) const KUBE_REQUIRES(mutex_);
  /// Calls visit(delta, cell) for each queued delta of an object; an object of a whole list has the
  /// delta of that.
  template <class F>
  void for_each_queued(const F& visit) const KUBE_REQUIRES(mutex_);

  const std::shared_ptr<const Store> known_;
  mutable Mutex mutex_;
  mutable CondVar changed_;
  mutable std::size_t waiting_ KUBE_GUARDED_BY(mutex_) = 0;
  std::deque<Delta> deltas_ KUBE_GUARDED_BY(mutex_);
  /// Those of the deltas without a cell that are Replaced, in their order.
  std::vector<List> lists_ KUBE_GUARDED_BY(mutex_);
  /// With known objects: the deltas that consumers have and the store may lack.
  std::deque<std::pair<std::uint64_t, Delta>> in_process_ KUBE_GUARDED_BY(mutex_);
  std::uint64_t batches_ KUBE_GUARDED_BY(mutex_) = 0;
  bool populated_ KUBE_GUARDED_BY(mutex_) = false;
  bool closed_ KUBE_GUARDED_BY(mutex_) = false;
  // Deltas of the initial state: those in the queue, and with them those that consumers have taken
  // and not finished. With several consumers the first number is 0 before the second.
  std::size_t initial_queued_ KUBE_GUARDED_BY(mutex_) = 0;
  std::size_t initial_left_ KUBE_GUARDED_BY(mutex_) = 0;
  // batches up to this number were taken before the initial state was queued
  std::uint64_t earlier_batches_ KUBE_GUARDED_BY(mutex_) = 0;
};

}  // namespace kube::cache
