// SPDX-License-Identifier: Apache-2.0
//
// What a query sees of a store that is being written.
#include "store_impl.hpp"

#include <algorithm>

namespace kube::cache {
namespace {

/// Returns what a query takes back of one set: the changes after the one at which it began.
ChangesOfSet changes_of(const ValueSet* set, const ChangeRecord* since) {
  ChangesOfSet changes;
  while ((since = since->next.load(std::memory_order_acquire)) != nullptr) {
    if (since->where == set) changes.add(*since);
  }
  return changes;
}

}  // namespace

void ChangesOfSet::add(const ChangeRecord& record) {
  // A cell that a later change has brought was not there.
  if (record.old != nullptr && !touched_.contains(record.old)) was_.push_back(record.old);
  for (const Cell* cell : {record.old, record.now}) {
    if (cell != nullptr && !touched_.contains(cell)) touched_.insert(cell);
  }
}

void ChangesOfSet::take_back(std::vector<const Cell*>& cells) const {
  std::erase_if(cells, [&](const Cell* cell) { return touched_.contains(cell); });
  cells.insert(cells.end(), was_.begin(), was_.end());
}

const ChangesOfSet* ChangesSince::of(const ValueSet& set) {
  while (const ChangeRecord* next = last_->next.load(std::memory_order_acquire)) {
    last_ = next;
    if (next->where != nullptr) sets_[next->where].add(*next);
  }
  const auto found = sets_.find(&set);
  return found == sets_.end() ? nullptr : &found->second;
}

StoreState::~StoreState() {
  cells_by_key.for_each_birth([this](const Cell& cell, std::uint32_t birth) {
    leases->let_go(CellRef::adopt(&cell), birth);
  });
  delete indexes.load(std::memory_order_relaxed);
}

const StoreIndex* StoreState::ready_index(std::string_view name) const {
  for (const auto& index : all_indexes()) {
    if (index->named->name == name && index->ready.load(std::memory_order_acquire)) {
      return index.get();
    }
  }
  return nullptr;
}

// The log's last change may be under way. It is seen by get() when its slot is written, or when the
// log has moved on; otherwise the state before it is the present one.
const ChangeRecord* StoreState::now() const {
  const ChangeRecord* committed = log.committed();
  const ChangeRecord* next = committed->next.load(std::memory_order_acquire);
  if (next == nullptr) return committed;
  const std::string_view key = (next->old != nullptr ? next->old : next->now)->key();
  if (cells_by_key.find(key, hash_key(key)) == next->old && log.committed() == committed) {
    return committed;
  }
  while (!next->ends_change) next = next->next.load(std::memory_order_acquire);
  return next;
}

std::vector<const Cell*> StoreState::cells(const ValueSet* set, const ChangeRecord* since) const {
  std::vector<const Cell*> cells;
  const auto take = [&](const Cell& cell) { cells.push_back(&cell); };
  if (set != nullptr) {
    cells.reserve(set->size() + 1);
    set->for_each(take);
  } else {
    cells.reserve(since->size + 64);
    cells_by_key.for_each(take);
  }
  if (since->next.load(std::memory_order_acquire) != nullptr) {
    if (const ChangesOfSet changes = changes_of(set, since); !changes.empty())
      changes.take_back(cells);
  }
  return cells;
}

std::vector<const Cell*> StoreState::cells(const ValueSet& set, ChangesSince& since) {
  std::vector<const Cell*> cells;
  cells.reserve(set.size() + 1);
  set.for_each([&](const Cell& cell) { cells.push_back(&cell); });
  if (const ChangesOfSet* changes = since.of(set)) changes->take_back(cells);
  return cells;
}

std::size_t StoreState::count(const ValueSet& set, const ChangeRecord* since) const {
  const std::size_t size = set.size();
  if (since->next.load(std::memory_order_acquire) == nullptr) return size;
  return changes_of(&set, since).empty() ? size : cells(&set, since).size();
}

bool StoreState::is_empty(const ValueSet& set, ChangesSince& since) {
  const std::size_t size = set.size();
  return since.of(set) == nullptr ? size == 0 : cells(set, since).empty();
}

void StoreState::add_index(std::shared_ptr<StoreIndex> index, Retired& retired) {
  auto more = std::make_unique<StoreIndexes>(all_indexes());
  more->push_back(std::move(index));
  const StoreIndexes* old = indexes.exchange(more.release(), std::memory_order_acq_rel);
  retired.add(std::unique_ptr<const StoreIndexes>(old));
}

void StoreState::plan_namespaces(const Cell* old, const Cell* cell, Retired& retired) {
  ValueSet* before = old == nullptr ? nullptr : namespaces.set_of(old->namespace_(), retired);
  if (before != nullptr && cell != nullptr && before->key() == cell->namespace_()) {
    log.plan(before, old, cell);
    return;
  }
  if (before != nullptr) log.plan(before, old, nullptr);
  if (cell != nullptr) log.plan(namespaces.set_of(cell->namespace_(), retired), nullptr, cell);
}

void StoreState::note_emptied(const ChangeRecord& step) {
  emptied.push_back({step.where, ++step.where->times_emptied, 0});
}

// A set may have got cells again, and lost them again: then a later entry is about it, too.
void StoreState::remove_emptied(std::uint64_t epoch, std::uint64_t oldest, Retired& retired) {
  for (; marked_emptied < emptied.size(); ++marked_emptied) emptied[marked_emptied].epoch = epoch;
  while (!emptied.empty() && emptied.front().epoch < oldest) {
    const Emptied it = emptied.front();
    emptied.pop_front();
    --marked_emptied;
    if (it.set->size() == 0 && it.set->times_emptied == it.times)
      it.set->in().remove(it.set, retired);
  }
}

}  // namespace kube::cache
