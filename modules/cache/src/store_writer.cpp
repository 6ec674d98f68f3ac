// SPDX-License-Identifier: Apache-2.0
//
// The writer's side of a store: changes and relists.
#include "store_writer.hpp"

#include <algorithm>
#include <utility>

#include "store_impl.hpp"

namespace kube::cache {
namespace {

// Queries of many objects wait for at most this many changes.
constexpr std::size_t kChangesAtOnce = 64;

/// The indexes at one moment, and the values of some cells in them.
struct Prepared {
  std::vector<std::shared_ptr<const NamedIndex>> indexes;
  std::uint64_t version = 0;
  /// values[i * indexes.size() + k] are the values of the i-th cell in the k-th index.
  std::vector<std::vector<std::string>> values;
};

}  // namespace

CellRef StoreWriter::find(std::string_view key) const {
  const CellRef* found = store_->impl_->find_as_writer(key, hash_key(key));
  return found == nullptr ? CellRef() : *found;
}

void StoreWriter::set_resource_version(std::string_view version) {
  if (version.empty()) return;
  const MutexLock lock(store_->impl_->version_mutex);
  store_->impl_->version = version;
}

bool StoreWriter::apply(std::span<StoreChange> changes) {
  if (changes.empty()) return true;
  Store::Impl& impl = *store_->impl_;

  Prepared prepared;
  const auto prepare = [&](std::span<const StoreChange> rest) {
    {
      const ReadLock lock(impl.structure);
      prepared.indexes = impl.named_indexes();
      prepared.version = impl.indexes_version;
    }
    prepared.values.clear();
    prepared.values.reserve(rest.size() * prepared.indexes.size());
    for (const StoreChange& change : rest) {
      for (const auto& named : prepared.indexes) {
        std::optional<std::vector<std::string>> values(std::in_place);
        if (!change.remove) values = named->values(change.cell);
        if (!values) return false;
        prepared.values.push_back(*std::move(values));
      }
    }
    return true;
  };

  for (std::size_t begin = 0; begin < changes.size(); begin += kChangesAtOnce) {
    const auto chunk = changes.subspan(begin, std::min(kChangesAtOnce, changes.size() - begin));
    if (!prepare(chunk)) return false;
    WriteLock lock(impl.structure);
    while (prepared.version != impl.indexes_version) {
      // An index was added; its function must be called without the lock.
      lock.unlock();
      if (!prepare(chunk)) return false;
      lock.lock();
    }
    const std::size_t width = prepared.indexes.size();
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      impl.apply(chunk[i], std::span(prepared.values).subspan(i * width, width));
    }
  }
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    const std::string_view version = change->cell->resource_version();
    if (version.empty()) continue;
    set_resource_version(version);
    break;
  }
  return true;
}

void Store::Impl::apply(StoreChange& change, std::span<const std::vector<std::string>> values) {
  const std::string_view key = change.cell->key();
  const std::size_t hash = hash_key(key);
  Shard& shard = shard_of(hash);
  const Cell* cell = change.cell.get();

  std::vector<CellTable::Slot> room;
  if (!change.remove && shard.read().is_full()) room = shard.read().more_room();
  {
    const MutexLock lock(shard.mutex);
    if (!room.empty()) room = shard.cells.grow_into(std::move(room));
    change.old = change.remove ? shard.cells.erase(key, hash) : shard.cells.put(change.cell, hash);
    const Cell* old = change.old.get();
    if (old == cell && !change.remove) return;  // the same cell again: no index changes

    if (change.remove) {
      if (old != nullptr) {
        namespaces.erase(old->namespace_(), old);
        for (Index& index : indexes) index.contents.erase(old);
      }
    } else if (old == nullptr) {
      namespaces.insert(cell->namespace_(), cell);
      for (std::size_t k = 0; k < values.size(); ++k) indexes[k].contents.insert(cell, values[k]);
    } else {
      namespaces.replace(old->namespace_(), old, cell->namespace_(), cell);
      for (std::size_t k = 0; k < values.size(); ++k) {
        indexes[k].contents.replace(old, cell, values[k]);
      }
    }
  }
  if (change.old) {
    bytes.fetch_sub(change.old->memory(), std::memory_order_relaxed);
    if (change.remove) size.fetch_sub(1, std::memory_order_relaxed);
  } else if (!change.remove) {
    size.fetch_add(1, std::memory_order_relaxed);
  }
  if (!change.remove) bytes.fetch_add(cell->memory(), std::memory_order_relaxed);
}

// ---- replace(): everything that takes time is done without the lock

/// The objects of a relist for the store; after the swap, the objects that the store had.
struct StoreWriter::Contents {
  Store::Impl::Tables tables;
  ValueSets namespaces;
  std::size_t bytes = 0;
  std::size_t size = 0;

  CellTable& table_of(std::size_t hash) { return tables[Store::Impl::shard_index(hash)]; }
  const CellRef* find(std::string_view key, std::size_t hash) {
    return table_of(hash).find(key, hash);
  }
  /// Returns false when this cell is already there.
  bool put(const CellRef& item, std::size_t hash);
};

struct StoreWriter::IndexContents {
  std::vector<std::shared_ptr<const NamedIndex>> indexes;
  std::uint64_t version = 0;
  std::vector<UserIndex> contents;
};

std::optional<std::vector<StoreReplacement>> StoreWriter::replace(std::vector<CellRef> items,
                                                                  std::string_view version) {
  Contents contents;
  for (CellTable& table : contents.tables) table.reserve(items.size() / contents.tables.size());
  std::vector<std::size_t> hashes;
  hashes.reserve(items.size());
  for (CellRef& item : items) {
    hashes.push_back(hash_key(item->key()));
    if (!contents.put(item, hashes.back())) item = {};
  }
  std::vector<StoreReplacement> replacements = difference(contents, std::move(items), hashes);
  IndexContents indexes;
  do {
    if (!index(replacements, indexes)) return std::nullopt;
  } while (!swap_in(contents, indexes));
  set_resource_version(version);
  return replacements;  // the old state is destroyed here, with no lock held
}

bool StoreWriter::Contents::put(const CellRef& item, std::size_t hash) {
  if (const CellRef twice = table_of(hash).put(item, hash)) {
    if (twice == item) return false;
    namespaces.erase(twice->namespace_(), twice.get());
    bytes -= twice->memory();
    --size;
  }
  namespaces.insert(item->namespace_(), item.get());
  bytes += item->memory();
  ++size;
  return true;
}

std::vector<StoreReplacement> StoreWriter::difference(Contents& contents,
                                                      std::vector<CellRef> items,
                                                      std::span<const std::size_t> hashes) const {
  std::vector<StoreReplacement> replacements;
  replacements.reserve(items.size());
  for (const Store::Impl::Shard& shard : store_->impl_->shards) {
    shard.read().for_each([&](const CellRef& old) {
      const std::string_view key = old->key();
      if (contents.find(key, hash_key(key)) == nullptr) replacements.push_back({old, {}});
    });
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    CellRef& item = items[i];
    if (!item) continue;
    const std::string_view key = item->key();
    const std::size_t hash = hashes[i];
    if (*contents.find(key, hash) != item) continue;  // a later one replaced it
    const CellRef* old = store_->impl_->find_as_writer(key, hash);
    replacements.push_back({old == nullptr ? CellRef() : *old, std::move(item)});
  }
  return replacements;
}

// The values of cells that remain are known; for the others, the functions are called without the
// lock.
bool StoreWriter::index(std::span<const StoreReplacement> replacements, IndexContents& out) const {
  Store::Impl& impl = *store_->impl_;
  std::vector<std::vector<std::pair<const Cell*, std::vector<std::string>>>> known;
  {
    const ReadLock lock(impl.structure);
    out.indexes = impl.named_indexes();
    out.version = impl.indexes_version;
    known.resize(out.indexes.size());
    for (std::size_t k = 0; k < out.indexes.size(); ++k) {
      const UserIndex& now = impl.indexes[k].contents;
      for (const StoreReplacement& r : replacements) {
        if (r.now && r.now == r.old && now.contains(r.now.get())) {
          known[k].emplace_back(r.now.get(), now.values_of(r.now.get()));
        }
      }
    }
  }
  out.contents.clear();
  out.contents.resize(out.indexes.size());
  for (std::size_t k = 0; k < out.indexes.size(); ++k) {
    UserIndex& content = out.contents[k];
    for (const auto& [cell, values] : known[k]) content.insert(cell, values);
    for (const StoreReplacement& r : replacements) {
      if (!r.now || content.contains(r.now.get())) continue;
      const auto values = out.indexes[k]->values(r.now);
      if (!values) return false;
      content.insert(r.now.get(), *values);
    }
  }
  return true;
}

// Clang can't express a loop that takes a lock of each element. No reader holds two shards, so lock
// order does not matter.
void Store::Impl::swap_cells(Tables& tables) KUBE_NO_THREAD_SAFETY_ANALYSIS {
  for (Shard& shard : shards) shard.mutex.lock();
  for (std::size_t i = 0; i < kShards; ++i) std::swap(shards[i].cells, tables[i]);
  for (Shard& shard : shards) shard.mutex.unlock();
}

bool StoreWriter::swap_in(Contents& contents, IndexContents& indexes) {
  Store::Impl& impl = *store_->impl_;
  const WriteLock lock(impl.structure);
  if (indexes.version != impl.indexes_version) return false;
  impl.swap_cells(contents.tables);
  std::swap(impl.namespaces, contents.namespaces);
  for (std::size_t k = 0; k < indexes.indexes.size(); ++k) {
    std::swap(impl.indexes[k].contents, indexes.contents[k]);
  }
  impl.size.store(contents.size, std::memory_order_relaxed);
  impl.bytes.store(contents.bytes, std::memory_order_relaxed);
  return true;
}

}  // namespace kube::cache
