// SPDX-License-Identifier: Apache-2.0
//
// kube::DeltaFifo<T>: changes of objects on their way from a source to a store, in the order in
// which they arrived. It is the queue that informers have.
//
//   Store<Pod> pods;
//   DeltaFifo<Pod> queue({.known_objects = pods.indexer()});
//   if (auto queued = queue.add(pod); !queued) return queued;  // any thread, and a Reflector
//   const auto apply = [&](const Delta<Pod>& delta, bool) {
//     const bool is_gone = delta.type == DeltaType::Deleted;
//     return is_gone ? pods.remove(delta.object) : pods.update(delta.object);
//   };
//   const auto popped = queue.pop(apply, stop);  // the consumer's thread, again and again
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/cached_list.hpp>
#include <kube/cache/detail/delta_fifo.hpp>
#include <kube/cache/detail/object_cells.hpp>
#include <kube/cache/event_handler.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/cache/key_func.hpp>
#include <kube/cache/reflector_store.hpp>
#include <kube/cache/transform.hpp>

namespace kube {

/// One change. Without an object it concerns all: Replaced by `list`, Sync of all that is known.
template <Object T>
struct Delta {
  DeltaType type = DeltaType::Sync;
  /// The new state; of a deletion, the last known one.
  Cached<T> object{};
  bool final_state_unknown = false;  ///< Deleted: inferred from a list.
  CachedList<T> list{};              ///< Replaced, without known objects.
  std::string resource_version{};    ///< Of the list, or of the Bookmark.
};

/// Deltas of one object, in order.
template <Object T>
using Deltas = cache::ValueList<Delta<T>>;

template <Object T>
struct DeltaFifoOptions {
  KeyFunc<T> key_func{};  ///< Empty: meta_namespace_key_func().
  /// Changes each object that arrives, once; inferred deletions carry changed objects already.
  Transform<T> transform{};
  /// What the consumer has: the store to which it applies the deltas. See DeltaFifo.
  std::optional<Indexer<T>> known_objects{};
  std::shared_ptr<Clock> clock = real_clock();
};

/// A queue of deltas for any number of producers, and for one consumer that applies them to a
/// store.
///
/// Without known objects, as in an informer, a list is one Replaced delta, a resync one Sync, and a
/// bookmark one Bookmark; the consumer compares the list with its store. With known objects, these
/// become deltas of single objects: replace() first queues a Deleted (final_state_unknown) for each
/// object that is queued or known and not in the list, with its last state, and then a Replaced for
/// each object of the list; resync() queues a Sync for each known object that has no delta in the
/// queue; a bookmark queues nothing.
///
/// @par Promises
///  [D1] Deltas are taken in the order in which they were queued, over all keys, and none is merged
///       or dropped: deletions of objects that nobody has seen too.
///  [D2] What a consumer has taken, and not yet applied, counts as queued for [D1]'s inferred
///       deletions and for resync().
///  [D3] has_synced() is true when the first thing queued was a list, and all of it has been
///       processed, by every consumer that took a part; or when the first thing was an object.
///  [D4] No lock is held while key, transform and process functions run.
/// @par Bounds   None: producers never wait. An informer is slowed down by its transport instead.
/// @par Errors   Of functions that add: those of the key function, with the object's name, and of
///   the transform; then nothing was queued. Cancelled: the queue is closed.
/// @par Thread safety   All functions may be called from any thread. With several consumers, the
///   order is that of taking.
/// @par Cost   A lock for each call. With known objects, replace() and resync() look at everything
///   that is queued and known; list() copies references to everything that is queued, get() looks
///   at it.
template <Object T>
class DeltaFifo final : public ReflectorStore<T> {
 public:
  /// Processes a delta; with `is_in_initial_list`, it belongs to what has to be processed before
  /// the queue has synced.
  using Process = std::function<Result<void>(const Delta<T>& delta, bool is_in_initial_list)>;
  using ProcessBatch =
      std::function<Result<void>(const std::vector<Delta<T>>& deltas, bool is_in_initial_list)>;

  explicit DeltaFifo(DeltaFifoOptions<T> options = {})
      : cells_(std::move(options.key_func), std::move(options.transform)),
        clock_(std::move(options.clock)),
        deltas_(options.known_objects ? options.known_objects->store() : nullptr) {}

  using ReflectorStore<T>::add;
  using ReflectorStore<T>::update;
  using ReflectorStore<T>::remove;
  /// @par Errors   See above.
  Result<void> add(const Cached<T>& object) override { return push(DeltaType::Added, object); }
  Result<void> update(const Cached<T>& object) override { return push(DeltaType::Updated, object); }
  /// A deletion needs no state: the object is queued as it is when the transform fails.
  /// @par Errors   Those of the key function. Cancelled: the queue is closed.
  Result<void> remove(const Cached<T>& object) override {
    auto cell = cells_.make(object);
    if (!cell) cell = cells_.make_untransformed(object);
    if (!cell) return cell.error();
    return queued(deltas_.push({.type = DeltaType::Deleted, .cell = *std::move(cell)}));
  }
  /// Queues a deletion as it is, inferred or not; its object is not transformed.
  Result<void> remove(const DeletedObject<T>& deleted);
  Result<void> remove_last_known(const Cached<T>& object) override {
    return queued(deltas_.push(
        {.type = DeltaType::Deleted, .final_state_unknown = true, .cell = object.ref()}));
  }
  /// Queues a list. An object that can't be decoded, though the key function or the transform needs
  /// it, or for which the transform throws, is left out alone: its place takes the state before
  /// that is queued or known. Without known objects, the consumer finds such an object missing.
  /// @par Errors   See above. When some were left out, and the others queued: transaction_error()
  ///   says which.
  Result<void> replace(std::vector<Cached<T>> objects, std::string_view resource_version) override {
    struct Known {
      const cache::DeltaFifo& deltas;
      std::optional<cache::DeltaFifo::States> read{};  // when they are asked for
      const cache::DeltaFifo::States& states() {
        return read ? *read : read.emplace(deltas.states());
      }
      cache::CellRef find(const std::string& key) { return states().find(key); }
      cache::CellRef find_by_names(const ObjectKey& names) { return states().find_by_names(names); }
    };
    auto list = cells_.make_all(objects, Known{deltas_});
    if (!list) return list.error();
    auto done = queued(deltas_.replace(std::move(list->cells), std::string(resource_version)));
    return done ? std::move(*list).result() : done;
  }
  Cached<T> known(const ObjectKey& names) const override {
    return Cached<T>(deltas_.states().find_by_names(names));
  }
  Result<void> resync() override { return queued(deltas_.resync()); }
  Result<void> bookmark(std::string_view resource_version) override {
    cache::Cell::Parts parts;
    parts.resource_version = resource_version;
    return queued(deltas_.push(
        {.type = DeltaType::Bookmark, .cell = cache::Cell::make(cache::cell_type<T>(), parts)}));
  }

  /// Takes the next delta and processes it. What is queued can be taken after close().
  /// @par Errors   Those of `process`; the delta counts as processed, also when it throws, and is
  ///   not queued again, as in client-go: it would come after newer ones of its object. Keep a key
  ///   that has to be tried again in a work queue.
  ///   Cancelled: `stop` is requested or the queue is closed, and it is empty. InvalidArgument in a
  ///   response handler, as RestClient::send().
  /// @par Blocks   Until there is a delta or one of these, and while `process` runs.
  Result<void> pop(const Process& process, std::stop_token stop = {}) {
    return pop_batch(
        1,
        [&](const std::vector<Delta<T>>& deltas, bool initial) {
          return process(deltas.front(), initial);
        },
        std::move(stop));
  }
  /// Takes and processes up to `limit` deltas: all of the initial list, or none; a whole list, the
  /// Sync of everything and a Bookmark come alone. A key may come more than once.
  /// @par Errors   As pop().
  /// @par Blocks   As pop().
  Result<void> pop_batch(std::size_t limit, const ProcessBatch& process, std::stop_token stop = {});

  /// Refuses additions from now on, and ends pop() once the queue is empty. Idempotent.
  void close() { deltas_.close(); }
  bool is_closed() const { return deltas_.is_closed(); }

  bool has_synced() const { return deltas_.has_synced(); }
  /// The queue does not know its source: that of a reflector that has stopped is closed by the
  /// program, or it waits with a token.
  /// @par Blocks   Until the queue has synced (true), or `stop` is requested or the queue is closed
  ///   before (false). Does not block in a response handler, as RestClient::send().
  bool wait_for_sync(std::stop_token stop = {}) const {
    return deltas_.wait_for_sync(*clock_, std::move(stop));
  }

  /// Returns the number of deltas; a whole list is one.
  std::size_t size() const { return deltas_.size(); }
  /// Returns the newest queued state of each object that is queued, deleted ones too, in the order
  /// in which they were first queued.
  CachedList<T> list() const;
  std::vector<std::string> list_keys() const;
  /// Returns the queued deltas of the object with this key, in order; a whole list has a Replaced
  /// for each of its objects.
  Deltas<T> get_by_key(std::string_view key) const;
  /// @par Errors   Those of the key function.
  Result<Deltas<T>> get(const Cached<T>& object) const {
    auto key = cells_.key(object);
    if (!key) return key.error();
    return get_by_key(*key);
  }

  /// Returns the key under which the queue has an object, a deletion, a delta, or the newest of
  /// several deltas of one object.
  /// @par Errors   Those of the key function. InvalidArgument: there is no key.
  Result<std::string> key_of(const Cached<T>& object) const { return cells_.key(object); }
  Result<std::string> key_of(const DeletedObject<T>& deleted) const {
    if (deleted.object && !deleted.final_state_unknown) return cells_.key(deleted.object);
    return deletion_handling_meta_namespace_key_func(deleted);
  }
  Result<std::string> key_of(const Delta<T>& delta) const {
    if (delta.object) return std::string(delta.object.key());
    return Error(ErrorCode::InvalidArgument, "the delta has no object");
  }
  Result<std::string> key_of(const std::vector<Delta<T>>& deltas) const {
    if (deltas.empty()) return Error(ErrorCode::InvalidArgument, "there is no delta");
    return key_of(deltas.back());
  }

 private:
  static Result<void> queued(bool queued) {
    if (queued) return {};
    return Error(ErrorCode::Cancelled, "the queue is closed");
  }
  Result<void> push(DeltaType type, const Cached<T>& object) {
    auto cell = cells_.make(object);
    if (!cell) return cell.error();
    return queued(deltas_.push({.type = type, .cell = *std::move(cell)}));
  }
  static Delta<T> to_delta(const cache::Delta& change);

  const cache::ObjectCells<T> cells_;
  const std::shared_ptr<Clock> clock_;
  cache::DeltaFifo deltas_;
};

template <Object T>
Result<void> DeltaFifo<T>::remove(const DeletedObject<T>& deleted) {
  auto key = key_of(deleted);
  if (!key) return key.error();
  auto cell = deleted.object ? cache::with_key(deleted.object, *key)
                             : Result<cache::CellRef>(cache::removal_of(deleted.object, *key));
  if (!cell) return cell.error();
  return queued(deltas_.push({.type = DeltaType::Deleted,
                              .final_state_unknown = deleted.final_state_unknown,
                              .cell = *std::move(cell)}));
}

template <Object T>
Delta<T> DeltaFifo<T>::to_delta(const cache::Delta& change) {
  Delta<T> delta;
  delta.type = change.type;
  delta.final_state_unknown = change.final_state_unknown;
  if (change.type == DeltaType::Bookmark) {
    delta.resource_version = change.cell->resource_version();
  } else {
    delta.object = Cached<T>(change.cell);
  }
  return delta;
}

template <Object T>
Result<void> DeltaFifo<T>::pop_batch(std::size_t limit, const ProcessBatch& process,
                                     std::stop_token stop) {
  auto batch = deltas_.pop_batch(std::max<std::size_t>(limit, 1), *clock_, std::move(stop));
  if (!batch) return batch.error();
  struct Finish {
    cache::DeltaFifo& queue;
    const cache::DeltaFifo::Batch& batch;
    ~Finish() { queue.finished(batch); }
  } const finish{deltas_, *batch};
  std::vector<Delta<T>> deltas;
  deltas.reserve(batch->deltas.size());
  for (const cache::Delta& change : batch->deltas) deltas.push_back(to_delta(change));
  if (batch->list) {
    std::vector<Cached<T>> objects(batch->list->items.begin(), batch->list->items.end());
    deltas.front().list = std::move(objects);
    deltas.front().resource_version = std::move(batch->list->resource_version);
  }
  return process(deltas, batch->is_initial);
}

template <Object T>
CachedList<T> DeltaFifo<T>::list() const {
  std::vector<Cached<T>> newest;
  std::unordered_map<std::string_view, std::size_t> places;
  const std::vector<cache::Delta> all = deltas_.deltas();
  for (const cache::Delta& delta : all) {
    const auto [at, is_new] = places.try_emplace(delta.cell->key(), newest.size());
    if (is_new) {
      newest.emplace_back(delta.cell);
    } else {
      newest[at->second] = Cached<T>(delta.cell);
    }
  }
  return newest;
}

template <Object T>
std::vector<std::string> DeltaFifo<T>::list_keys() const {
  std::vector<std::string> keys;
  for (const Cached<T>& object : list()) keys.emplace_back(object.key());
  return keys;
}

template <Object T>
Deltas<T> DeltaFifo<T>::get_by_key(std::string_view key) const {
  std::vector<Delta<T>> found;
  for (const cache::Delta& delta : deltas_.deltas(key)) found.push_back(to_delta(delta));
  return found;
}

}  // namespace kube
