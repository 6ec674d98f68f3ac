// SPDX-License-Identifier: Apache-2.0
//
// The writer's side of a store: changes and relists.
#include "store_writer.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "store_impl.hpp"

namespace kube::cache {
namespace {

// add_indexes() waits for at most this many changes.
constexpr std::size_t kChangesAtOnce = 64;

/// The indexes at one moment, and the values of some cells in them.
struct Prepared {
  std::size_t width = 0;  ///< The number of indexes; it never falls.
  /// values[i * width + k] are the values of the i-th cell in the k-th index.
  std::vector<std::vector<std::string>> values;
};

/// The values of the cells of some changes in all indexes; nullopt when an index function was
/// stopped. Calls user code.
std::optional<Prepared> prepare(const StoreState& state, std::span<const Delta> changes) {
  std::vector<std::shared_ptr<const NamedIndex>> indexes;
  {
    const ReadPin pin;
    for (const auto& index : state.all_indexes()) indexes.push_back(index->named);
  }
  Prepared prepared{indexes.size(), {}};
  prepared.values.reserve(changes.size() * indexes.size());
  for (const Delta& change : changes) {
    for (const auto& named : indexes) {
      std::optional<std::vector<std::string>> values(std::in_place);
      if (change.type != DeltaType::Deleted) values = named->values(change.cell);
      if (!values) return std::nullopt;
      prepared.values.push_back(*std::move(values));
    }
  }
  return prepared;
}

/// Of items that are the same cell, the last one remains. A relist may have a cell, another one of
/// its key, and the first one again.
void keep_last_places(std::vector<CellRef>& items) {
  std::unordered_set<const Cell*> later;
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    if (*item && !later.insert(item->get()).second) *item = {};
  }
}

}  // namespace

CellRef StoreWriter::find(std::string_view key) const {
  const Cell* found = store_->impl_->now().cells_by_key.find(key, hash_key(key));
  return found == nullptr ? CellRef() : CellRef(*found);
}

void StoreWriter::set_resource_version(std::string_view version) {
  if (version.empty()) return;
  const MutexLock lock(store_->impl_->version_mutex);
  store_->impl_->version = version;
}

bool StoreWriter::apply(std::span<Delta> changes) {
  if (changes.empty()) return true;
  Store::Impl& impl = *store_->impl_;
  StoreState& state = impl.now();
  for (std::size_t begin = 0; begin < changes.size(); begin += kChangesAtOnce) {
    const auto chunk = changes.subspan(begin, std::min(kChangesAtOnce, changes.size() - begin));
    std::optional<Prepared> prepared = prepare(state, chunk);
    if (!prepared) return false;
    MutexLock lock(impl.writing);
    while (prepared->width != state.all_indexes().size()) {
      // An index was added; its function must be called without the lock.
      lock.unlock();
      prepared = prepare(state, chunk);
      if (!prepared) return false;
      lock.lock();
    }
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      impl.apply(chunk[i],
                 std::span(prepared->values).subspan(i * prepared->width, prepared->width));
    }
    impl.collect();
  }
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    const std::string_view version = change->cell->resource_version();
    if (version.empty() || change->final_state_unknown) continue;  // that is an older state's
    set_resource_version(version);
    break;
  }
  return true;
}

void Store::Impl::apply(Delta& change, std::span<const std::vector<std::string>> values) noexcept {
  StoreState& at = now();
  ChangeLog& log = at.log;
  const std::string_view key = change.cell->key();
  const std::size_t hash = hash_key(key);
  CellTable::Slot* slot = at.cells_by_key.slot_of(key, hash);
  const Cell* old = slot == nullptr ? nullptr : slot->item.load(std::memory_order_relaxed);
  const bool removes = change.type == DeltaType::Deleted;
  const Cell* cell = removes ? nullptr : change.cell.get();
  change.old = old == nullptr ? CellRef() : CellRef(*old);
  if (!removes) change.type = old == nullptr ? DeltaType::Added : DeltaType::Updated;
  if (old == cell) return;  // the same cell again, or nothing to remove: no index changes

  log.plan(nullptr, old, cell);
  at.plan_namespaces(old, cell, retired);
  const StoreIndexes& indexes = at.all_indexes();
  for (std::size_t k = 0; k < indexes.size(); ++k) {
    indexes[k]->contents.plan(old, cell, values[k], log, retired);
  }

  const ChangeRecord& before = *log.committed();
  const std::size_t size = before.size + (old == nullptr ? 1 : 0) - (cell == nullptr ? 1 : 0);
  const std::size_t bytes =
      before.bytes + (cell == nullptr ? 0 : cell->memory()) - (old == nullptr ? 0 : old->memory());
  if (old == nullptr) retired.add(at.cells_by_key.make_room());
  // The log takes over the table's reference to the old cell, and the table gets one to the new.
  const ChangeRecord* step =
      log.link(CellRef::adopt(old), slot == nullptr ? 0 : slot->birth, size, bytes);
  while ((step = step->next.load(std::memory_order_relaxed)) != nullptr) {
    retired.add(step->where->change(step->old, step->now, hash));
    if (step->now == nullptr && step->where->size() == 0) at.note_emptied(*step);
  }
  if (cell != nullptr) static_cast<void>(CellRef(*cell).release());
  if (old == nullptr) {
    at.cells_by_key.insert(cell, hash, leases->birth());
  } else if (cell == nullptr) {
    at.cells_by_key.erase(*slot);
  } else {
    CellTable::replace(*slot, cell, leases->birth());
  }
  log.commit();
}

void Store::Impl::collect() {
  StoreState& at = now();
  const std::uint64_t epoch = epochs::advance();
  const std::uint64_t oldest = epochs::oldest_pinned();
  at.log.mark(epoch);
  at.log.free_before(oldest);
  retired.mark(epoch);
  retired.free_before(oldest);
  if (is_left_to_readers()) free_left_to_readers();
  // What this takes out can be seen in the new epoch, too: the next call marks it.
  at.remove_emptied(epoch, oldest, retired);
}

// ---- replace(): everything that takes time is done without the lock

/// The objects of a relist for the store.
struct StoreWriter::Contents {
  explicit Contents(std::shared_ptr<CellLeases> leases)
      : state(std::make_unique<StoreState>(std::move(leases))) {}

  std::unique_ptr<StoreState> state;
  Retired unused;  // what no reader has seen
  std::size_t bytes = 0;
  bool has_displaced = false;  // put() has put an item in the place of another one

  /// Returns false when this cell is already there.
  bool put(const CellRef& item, std::size_t hash);
};

bool StoreWriter::Contents::put(const CellRef& item, std::size_t hash) {
  CellTable& table = state->cells_by_key;
  ValueSets& names = state->namespaces;
  CellTable::Slot* slot = table.slot_of(item->key(), hash);
  const Cell* twice = slot == nullptr ? nullptr : slot->item.load(std::memory_order_relaxed);
  if (twice == item.get()) return false;
  const CellRef replaced = CellRef::adopt(twice);  // the table's
  if (twice == nullptr) {
    unused.add(table.make_room());
    table.insert(CellRef(item).release(), hash, state->leases->birth());
  } else {
    has_displaced = true;
    CellTable::replace(*slot, CellRef(item).release(), state->leases->birth());
    ValueSet* set = names.set_of(twice->namespace_(), unused);
    unused.add(set->change(twice, nullptr, hash));
    if (set->size() == 0) names.remove(set, unused);
    bytes -= twice->memory();
  }
  unused.add(names.set_of(item->namespace_(), unused)->insert(item.get(), hash));
  bytes += item->memory();
  return true;
}

std::optional<std::vector<Delta>> StoreWriter::replace(std::vector<CellRef> items,
                                                       std::string_view version) {
  Contents contents(store_->impl_->leases);
  contents.state->cells_by_key.reserve(items.size());
  std::vector<std::size_t> hashes;
  hashes.reserve(items.size());
  for (CellRef& item : items) {
    hashes.push_back(hash_key(item->key()));
    if (!contents.put(item, hashes.back())) item = {};
  }
  if (contents.has_displaced) keep_last_places(items);
  contents.state->log.start(contents.state->cells_by_key.size(), contents.bytes);
  std::vector<Delta> changes = difference(contents, std::move(items), hashes);
  std::optional<StoreIndexes> indexes;
  do {
    indexes = index(changes);
    if (!indexes) return std::nullopt;
  } while (!swap_in(contents, *std::move(indexes)));
  set_resource_version(version);
  return changes;
}

std::vector<Delta> StoreWriter::difference(const Contents& contents, std::vector<CellRef> items,
                                           std::span<const std::size_t> hashes) const {
  CellTable& before = store_->impl_->now().cells_by_key;
  CellTable& after = contents.state->cells_by_key;
  std::vector<Delta> changes;
  changes.reserve(items.size());
  before.for_each([&](const Cell& old) {
    const std::string_view key = old.key();
    if (after.find(key, hash_key(key)) != nullptr) return;
    changes.push_back(
        {.type = DeltaType::Deleted, .final_state_unknown = true, .cell = CellRef(old)});
  });
  for (std::size_t i = 0; i < items.size(); ++i) {
    CellRef& item = items[i];
    if (!item) continue;
    const std::string_view key = item->key();
    CellTable::Slot& now = *after.slot_of(key, hashes[i]);
    if (now.item.load(std::memory_order_relaxed) != item.get()) continue;  // a later one's
    const CellTable::Slot* slot = before.slot_of(key, hashes[i]);
    const Cell* old = slot == nullptr ? nullptr : slot->item.load(std::memory_order_relaxed);
    if (old == item.get()) now.birth = slot->birth;  // leases may have it already
    changes.push_back({.type = old == nullptr ? DeltaType::Added : DeltaType::Updated,
                       .cell = std::move(item),
                       .old = old == nullptr ? CellRef() : CellRef(*old)});
  }
  return changes;
}

// The values of cells that remain are known; for the others, the functions are called without the
// lock.
std::optional<StoreIndexes> StoreWriter::index(std::span<const Delta> changes) const {
  Store::Impl& impl = *store_->impl_;
  StoreIndexes indexes;
  Retired unused;  // arrays that no reader has seen
  {
    const MutexLock lock(impl.writing);
    for (const auto& known : impl.now().all_indexes()) {
      indexes.push_back(std::make_shared<StoreIndex>(known->named));
      for (const Delta& change : changes) {
        const Cell* cell = change.cell.get();
        if (!change.changes_nothing() || !known->contents.contains(cell)) continue;
        indexes.back()->contents.insert(cell, hash_key(cell->key()),
                                        known->contents.values_of(cell), unused);
      }
    }
  }
  for (const auto& made : indexes) {
    for (const Delta& change : changes) {
      const Cell* cell = change.cell.get();
      if (change.type == DeltaType::Deleted || made->contents.contains(cell)) continue;
      const auto values = made->named->values(change.cell);
      if (!values) return std::nullopt;
      made->contents.insert(cell, hash_key(cell->key()), *values, unused);
    }
  }
  return indexes;
}

bool StoreWriter::swap_in(Contents& contents, StoreIndexes indexes) {
  Store::Impl& impl = *store_->impl_;
  const MutexLock lock(impl.writing);
  const StoreIndexes& before = impl.now().all_indexes();
  if (indexes.size() != before.size()) return false;
  for (std::size_t k = 0; k < indexes.size(); ++k) {
    indexes[k]->ready.store(before[k]->ready.load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
  }
  for (auto& index : indexes) contents.state->add_index(std::move(index), contents.unused);
  std::unique_ptr<StoreState> old(
      impl.state.exchange(contents.state.release(), std::memory_order_acq_rel));
  impl.retired.add(std::move(old));
  impl.collect();
  impl.retired.leave_to_readers();
  return true;
}

}  // namespace kube::cache
