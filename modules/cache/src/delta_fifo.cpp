// SPDX-License-Identifier: Apache-2.0
//
// The queue of changes between reflector and store.
#include "delta_fifo.hpp"

#include <algorithm>

namespace kube::cache {

void DeltaFifo::append(DeltaType type, CellRef object) {
  populated_ = true;
  deltas_.push_back({type, std::move(object), nullptr});
}

void DeltaFifo::replace(std::vector<CellRef> items, std::string resource_version) {
  auto list = std::make_unique<Delta::List>();
  list->items = std::move(items);
  list->resource_version = std::move(resource_version);
  deltas_.push_back({DeltaType::Replaced, {}, std::move(list)});
  if (!populated_) initial_left_ = deltas_.size();
  populated_ = true;
}

void DeltaFifo::resync() {
  deltas_.push_back({DeltaType::Sync, {}, nullptr});
}

void DeltaFifo::bookmark(CellRef metadata) {
  deltas_.push_back({DeltaType::Bookmark, std::move(metadata), nullptr});
}

DeltaFifo::Batch DeltaFifo::pop_batch(std::size_t limit) {
  Batch batch;
  batch.is_initial = !has_synced();
  if (batch.is_initial && initial_left_ > 0) limit = std::min(limit, initial_left_);
  const auto alone = [](const Delta& delta) {
    return delta.type == DeltaType::Replaced || delta.type == DeltaType::Sync ||
           delta.type == DeltaType::Bookmark;
  };
  if (!deltas_.empty() && alone(deltas_.front())) limit = std::min<std::size_t>(limit, 1);
  batch.deltas.reserve(std::min(limit, deltas_.size()));
  while (!deltas_.empty() && batch.deltas.size() < limit) {
    if (alone(deltas_.front()) && !batch.deltas.empty()) break;
    batch.deltas.push_back(std::move(deltas_.front()));
    deltas_.pop_front();
  }
  return batch;
}

void DeltaFifo::finished(const Batch& batch) {
  initial_left_ -= std::min(initial_left_, batch.deltas.size());
}

void DeltaFifo::clear() {
  if (!has_synced()) {
    populated_ = false;
    initial_left_ = 0;
  }
  deltas_.clear();
}

}  // namespace kube::cache
