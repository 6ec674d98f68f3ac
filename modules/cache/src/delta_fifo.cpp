// SPDX-License-Identifier: Apache-2.0
//
// The queue of changes between a source and a store.
#include <kube/cache/detail/delta_fifo.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <kube/transport/no_waiting.hpp>

#include "all_cells.hpp"

namespace kube::cache {
namespace {

/// Whether the delta concerns more than one object, or none.
bool is_whole(const Delta& delta) {
  return !delta.cell || delta.type == DeltaType::Bookmark;
}

bool has_list(const Delta& delta) {
  return !delta.cell && delta.type == DeltaType::Replaced;
}

/// The order of a store is that of its hashes.
std::vector<CellRef> sorted_cells_of(const Store& store) {
  std::vector<CellRef> cells = all_cells_of(store);
  std::sort(cells.begin(), cells.end(),
            [](const CellRef& a, const CellRef& b) { return a->key() < b->key(); });
  return cells;
}

}  // namespace

void DeltaFifo::append(Delta delta) {
  deltas_.push_back(std::move(delta));
  if (waiting_ > 0) changed_.notify_all();
}

bool DeltaFifo::push(Delta delta) {
  const MutexLock lock(mutex_);
  if (closed_) return false;
  const bool of_object = delta.type != DeltaType::Bookmark;
  if (known_ && !of_object) return true;
  populated_ = populated_ || of_object;
  append(std::move(delta));
  return true;
}

bool DeltaFifo::replace(std::vector<CellRef> items, std::string resource_version) {
  const MutexLock lock(mutex_);
  if (closed_) return false;
  if (known_) {
    replace_each(std::move(items));
  } else {
    lists_.reserve(lists_.size() + 1);  // so that both are queued, or none
    append({.type = DeltaType::Replaced});
    lists_.push_back({std::move(items), std::move(resource_version)});
  }
  if (!populated_) initial_left_ = deltas_.size();
  if (!populated_) {
    initial_queued_ = deltas_.size();
    earlier_batches_ = batches_;
  }
  populated_ = true;
  if (waiting_ > 0) changed_.notify_all();  // an empty list may have been the initial state
  return true;
}

template <class F>
void DeltaFifo::for_each_pending(const F& visit) const {
  for (const auto& [number, delta] : in_process_) {
    if (delta.cell) visit(delta);
  }
  for (const Delta& delta : deltas_) {
    if (!is_whole(delta)) visit(delta);
  }
}

// An object that is on its way is newer here than in the store.
void DeltaFifo::replace_each(std::vector<CellRef> items) {
  std::unordered_set<std::string_view> listed;
  for (const CellRef& item : items) listed.insert(item->key());
  std::unordered_map<std::string_view, const Delta*> newest;
  std::vector<std::string_view> keys;  // in the order of their arrival
  for_each_pending([&](const Delta& delta) {
    const auto [at, is_new] = newest.insert_or_assign(delta.cell->key(), &delta);
    if (is_new) keys.push_back(at->first);
  });
  std::vector<CellRef> gone;
  for (const std::string_view key : keys) {
    const Delta& last = *newest.at(key);
    if (!listed.contains(key) && last.type != DeltaType::Deleted) gone.push_back(last.cell);
  }
  for (CellRef& known : sorted_cells_of(*known_)) {
    const std::string_view key = known->key();
    if (!listed.contains(key) && !newest.contains(key)) gone.push_back(std::move(known));
  }
  for (CellRef& cell : gone) {
    append({.type = DeltaType::Deleted, .final_state_unknown = true, .cell = std::move(cell)});
  }
  for (CellRef& item : items) append({.type = DeltaType::Replaced, .cell = std::move(item)});
}

bool DeltaFifo::resync() {
  const MutexLock lock(mutex_);
  if (closed_) return false;
  if (known_) {
    resync_each();
  } else {
    append({.type = DeltaType::Sync});
  }
  return true;
}

void DeltaFifo::resync_each() {
  std::unordered_set<std::string_view> pending;
  for_each_pending([&](const Delta& delta) { pending.insert(delta.cell->key()); });
  std::vector<CellRef> all = sorted_cells_of(*known_);
  std::erase_if(all, [&](const CellRef& cell) { return pending.contains(cell->key()); });
  for (CellRef& cell : all) append({.type = DeltaType::Sync, .cell = std::move(cell)});
}

DeltaFifo::Batch DeltaFifo::take(std::size_t limit) {
  Batch batch;
  // What was queued behind the initial state does not belong to it, whoever still processes that.
  batch.is_initial = deltas_.empty() ? !is_synced() : !populated_ || initial_queued_ > 0;
  batch.number = ++batches_;
  if (initial_queued_ > 0) limit = std::min(limit, initial_queued_);
  if (!deltas_.empty() && is_whole(deltas_.front())) limit = std::min<std::size_t>(limit, 1);
  batch.deltas.reserve(std::min(limit, deltas_.size()));
  while (!deltas_.empty() && batch.deltas.size() < limit) {
    if (is_whole(deltas_.front()) && !batch.deltas.empty()) break;
    batch.deltas.push_back(std::move(deltas_.front()));
    deltas_.pop_front();
  }
  if (!batch.deltas.empty() && has_list(batch.deltas.front())) {
    batch.list = std::move(lists_.front());
    lists_.erase(lists_.begin());
  }
  initial_queued_ -= std::min(initial_queued_, batch.deltas.size());
  if (known_) {
    for (const Delta& delta : batch.deltas) in_process_.emplace_back(batch.number, delta);
  }
  return batch;
}

DeltaFifo::Batch DeltaFifo::pop_batch(std::size_t limit) {
  const MutexLock lock(mutex_);
  return take(limit);
}

Result<DeltaFifo::Batch> DeltaFifo::pop_batch(std::size_t limit, Clock& clock,
                                              std::stop_token stop) {
  if (const auto allowed = transport::may_wait(); !allowed) return allowed.error();
  MutexLock lock(mutex_);
  ++waiting_;
  const WaitStatus status =
      clock.wait_until(lock, changed_, TimePoint::max(), std::move(stop),
                       [this]() KUBE_REQUIRES(mutex_) { return closed_ || !deltas_.empty(); });
  --waiting_;
  if (!deltas_.empty() && status == WaitStatus::Ready) return take(limit);
  return Error(ErrorCode::Cancelled,
               closed_ ? "the queue is closed" : "stopped while waiting for a delta");
}

void DeltaFifo::finished(const Batch& batch) {
  const MutexLock lock(mutex_);
  if (batch.is_initial && batch.number > earlier_batches_) {
    initial_left_ -= std::min(initial_left_, batch.deltas.size());
  }
  if (known_) {
    std::erase_if(in_process_, [&](const auto& each) { return each.first == batch.number; });
  }
  if (waiting_ > 0) changed_.notify_all();
}

void DeltaFifo::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool DeltaFifo::is_closed() const {
  const MutexLock lock(mutex_);
  return closed_;
}

bool DeltaFifo::has_synced() const {
  const MutexLock lock(mutex_);
  return is_synced();
}

bool DeltaFifo::wait_for_sync(Clock& clock, std::stop_token stop) const {
  MutexLock lock(mutex_);
  if (!transport::may_wait()) return is_synced();
  ++waiting_;
  clock.wait_until(lock, changed_, TimePoint::max(), std::move(stop),
                   [this]() KUBE_REQUIRES(mutex_) { return closed_ || is_synced(); });
  --waiting_;
  return is_synced();
}

std::size_t DeltaFifo::size() const {
  const MutexLock lock(mutex_);
  return deltas_.size();
}

template <class F>
void DeltaFifo::for_each_queued(const F& visit) const {
  auto list = lists_.begin();
  for (const Delta& delta : deltas_) {
    if (has_list(delta)) {
      for (const CellRef& item : (list++)->items) visit(delta, item);
    } else if (!is_whole(delta)) {
      visit(delta, delta.cell);
    }
  }
}

std::vector<Delta> DeltaFifo::deltas() const {
  std::vector<Delta> all;
  const MutexLock lock(mutex_);
  for_each_queued([&](const Delta& delta, const CellRef& cell) {
    all.push_back(delta);
    all.back().cell = cell;
  });
  return all;
}

std::vector<Delta> DeltaFifo::deltas(std::string_view key) const {
  std::vector<Delta> found;
  const MutexLock lock(mutex_);
  for_each_queued([&](const Delta& delta, const CellRef& cell) {
    if (cell->key() != key) return;
    found.push_back(delta);
    found.back().cell = cell;
  });
  return found;
}

// A whole list ends what was before it.
DeltaFifo::States DeltaFifo::states() const {
  States states;
  states.known_ = known_;
  const MutexLock lock(mutex_);
  const auto take = [&](const Delta& delta) {
    CellRef& state = states.pending_[std::string(delta.cell->key())];
    state = delta.type == DeltaType::Deleted ? CellRef() : delta.cell;
  };
  for (const auto& [number, delta] : in_process_) take(delta);
  auto list = lists_.begin();
  for (const Delta& delta : deltas_) {
    if (has_list(delta)) {
      states.pending_.clear();
      for (const CellRef& item : (list++)->items) {
        take({.type = DeltaType::Replaced, .cell = item});
      }
    } else if (!is_whole(delta)) {
      take(delta);
    }
  }
  return states;
}

CellRef DeltaFifo::States::find(const std::string& key) const {
  const auto at = pending_.find(key);
  if (at != pending_.end()) return at->second;
  return known_ ? known_->get(key).ref() : CellRef();
}

CellRef DeltaFifo::States::find_by_names(const ObjectKey& names) const {
  for (const auto& [key, cell] : pending_) {
    if (cell && cell->namespace_() == names.namespace_ && cell->name() == names.name) return cell;
  }
  const CellRef known = known_ ? cache::find_by_names(*known_, names) : CellRef();
  return known && !pending_.contains(std::string(known->key())) ? known : CellRef();
}

void DeltaFifo::clear() {
  std::deque<Delta> dropped;  // destroyed without the lock
  std::vector<List> dropped_lists;
  const MutexLock lock(mutex_);
  if (!is_synced()) {
    populated_ = false;
    initial_left_ = 0;
  }
  initial_queued_ = 0;
  dropped.swap(deltas_);
  dropped_lists.swap(lists_);
}

}  // namespace kube::cache
