// SPDX-License-Identifier: Apache-2.0
#include "store_writer.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "store_impl.hpp"

namespace kube::cache {
namespace {

// Queries of many objects wait for so many changes at most.
constexpr std::size_t kAtOnce = 64;

/// The indexes at one moment, and what they say of some cells.
struct Prepared {
  std::vector<std::shared_ptr<NamedIndex>> indexes;
  std::uint64_t version = 0;
  /// values[i * indexes.size() + k]: of the i-th cell in the k-th index.
  std::vector<std::vector<std::string>> values;
};

}  // namespace

CellRef StoreWriter::find(std::string_view key) const {
  const CellRef* found = store_->impl_->find(key);
  return found == nullptr ? CellRef() : *found;
}

void StoreWriter::set_resource_version(std::string_view version) {
  const MutexLock lock(store_->impl_->version_mutex);
  store_->impl_->version = version;
}

bool StoreWriter::apply(std::span<StoreChange> changes) {
  if (changes.empty()) return true;
  Store::Impl& impl = *store_->impl_;

  Prepared prepared;
  const auto prepare = [&](std::span<const StoreChange> rest) {
    {
      const std::shared_lock lock(impl.structure);
      prepared.indexes = impl.indexes;
      prepared.version = impl.indexes_version;
    }
    prepared.values.clear();
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

  for (std::size_t begin = 0; begin < changes.size(); begin += kAtOnce) {
    const auto chunk = changes.subspan(begin, std::min(kAtOnce, changes.size() - begin));
    if (!prepare(chunk)) return false;
    std::unique_lock lock(impl.structure);
    while (prepared.version != impl.indexes_version) {
      // An index came; it wants to be asked too, which must not happen under the lock.
      lock.unlock();
      if (!prepare(chunk)) return false;
      lock.lock();
    }
    const std::size_t width = prepared.indexes.size();
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      apply_one(chunk[i], std::span(prepared.values).subspan(i * width, width));
    }
  }
  set_resource_version(changes.back().cell->resource_version());
  return true;
}

void StoreWriter::apply_one(StoreChange& change, std::span<const std::vector<std::string>> values) {
  Store::Impl& impl = *store_->impl_;
  const std::string_view key = change.cell->key();
  const std::size_t hash = hash_key(key);
  Store::Impl::Shard& shard = impl.shard_of(hash);
  const Cell* cell = change.cell.get();

  std::vector<CellTable::Slot> room;
  if (!change.remove) room = shard.cells.room_for_one_more();
  {
    const MutexLock lock(shard.mutex);
    if (!room.empty()) room = shard.cells.grow_into(std::move(room));
    change.old = change.remove ? shard.cells.erase(key, hash) : shard.cells.put(change.cell, hash);
    const Cell* old = change.old.get();
    if (old == cell) return;  // the same cell again: nothing moves

    if (change.remove) {
      if (old != nullptr) {
        impl.namespaces.erase(old->namespace_(), old);
        for (const auto& named : impl.indexes) named->index.erase(old);
      }
    } else if (old == nullptr) {
      impl.namespaces.insert(cell->namespace_(), cell);
      for (std::size_t k = 0; k < values.size(); ++k)
        impl.indexes[k]->index.insert(cell, values[k]);
    } else {
      impl.namespaces.replace(cell->namespace_(), old, cell);  // part of the key: the same
      for (std::size_t k = 0; k < values.size(); ++k) {
        impl.indexes[k]->index.replace(old, cell, values[k]);
      }
    }
  }
  if (change.old) {
    impl.bytes.fetch_sub(change.old->memory(), std::memory_order_relaxed);
    if (change.remove) impl.size.fetch_sub(1, std::memory_order_relaxed);
  } else if (!change.remove) {
    impl.size.fetch_add(1, std::memory_order_relaxed);
  }
  if (!change.remove) impl.bytes.fetch_add(cell->memory(), std::memory_order_relaxed);
}

std::optional<std::vector<StoreReplacement>> StoreWriter::replace(std::vector<CellRef> items,
                                                                  std::string version) {
  Store::Impl& impl = *store_->impl_;

  // Everything that takes time is done aside.
  std::array<CellTable, Store::Impl::kShards> tables;
  ValueSets namespaces;
  std::size_t bytes = 0;
  std::size_t size = 0;
  for (CellTable& table : tables) table.reserve(items.size() / tables.size());
  const auto table_of = [&](std::size_t hash) -> CellTable& {
    return tables[static_cast<std::size_t>(&impl.shard_of(hash) - impl.shards.data())];
  };
  for (CellRef& item : items) {
    const std::size_t hash = hash_key(item->key());
    CellTable& table = table_of(hash);
    if (auto room = table.room_for_one_more(); !room.empty()) table.grow_into(std::move(room));
    if (CellRef twice = table.put(item, hash)) {
      namespaces.erase(twice->namespace_(), twice.get());
      bytes -= twice->memory();
      --size;
    }
    namespaces.insert(item->namespace_(), item.get());
    bytes += item->memory();
    ++size;
  }

  std::vector<StoreReplacement> replacements;
  replacements.reserve(items.size());
  for (const Store::Impl::Shard& shard : impl.shards) {
    shard.cells.for_each([&](const CellRef& old) {
      const std::size_t hash = hash_key(old->key());
      if (table_of(hash).find(old->key(), hash) == nullptr) replacements.push_back({old, {}});
    });
  }
  for (CellRef& item : items) {
    const std::size_t hash = hash_key(item->key());
    if (*table_of(hash).find(item->key(), hash) != item) continue;  // a later one counts
    replacements.push_back({find(item->key()), std::move(item)});
  }

  // What an index says of a cell that stays is known; the others are asked about, outside the lock.
  std::vector<std::shared_ptr<NamedIndex>> indexes;
  std::vector<UserIndex> contents;
  for (;;) {
    std::uint64_t indexes_version = 0;
    std::vector<std::vector<std::pair<const Cell*, std::vector<std::string>>>> known;
    {
      const std::shared_lock lock(impl.structure);
      indexes = impl.indexes;
      indexes_version = impl.indexes_version;
      known.resize(indexes.size());
      for (std::size_t k = 0; k < indexes.size(); ++k) {
        for (const StoreReplacement& r : replacements) {
          if (r.now && r.now == r.old && indexes[k]->index.contains(r.now.get())) {
            known[k].emplace_back(r.now.get(), indexes[k]->index.values_of(r.now.get()));
          }
        }
      }
    }
    contents.clear();
    contents.resize(indexes.size());
    for (std::size_t k = 0; k < indexes.size(); ++k) {
      for (const auto& [cell, values] : known[k]) contents[k].insert(cell, values);
      for (const StoreReplacement& r : replacements) {
        if (!r.now || contents[k].contains(r.now.get())) continue;
        const auto values = indexes[k]->values(r.now);
        if (!values) return std::nullopt;
        contents[k].insert(r.now.get(), *values);
      }
    }

    const std::unique_lock lock(impl.structure);
    if (indexes_version != impl.indexes_version) continue;
    const Store::Impl::AllShards all(impl);
    for (std::size_t i = 0; i < tables.size(); ++i) std::swap(impl.shards[i].cells, tables[i]);
    std::swap(impl.namespaces, namespaces);
    for (std::size_t k = 0; k < indexes.size(); ++k) std::swap(indexes[k]->index, contents[k]);
    impl.size.store(size, std::memory_order_relaxed);
    impl.bytes.store(bytes, std::memory_order_relaxed);
    break;
  }
  set_resource_version(version);
  return replacements;  // the old state goes here, with no lock held
}

}  // namespace kube::cache
