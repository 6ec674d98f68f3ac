// SPDX-License-Identifier: Apache-2.0
//
// The state of a Store, shared by its readers' and its writer's side.
//
// Locks, in the order in which they are taken:
//   structure     everything that concerns more than one object: indexes, and the set of objects.
//                 The writer holds it for each change, queries of many objects hold it shared.
//   Shard::mutex  one part of the objects. get() takes only this one, so that it waits neither for
//                 other queries nor for writes to other parts.
// The writer changes an object and its index entries while it holds both, so that a reader who has
// seen one of the changes sees the others too [S2]. A relist is built outside the locks and swapped
// in while the writer holds all of them [S1]. Only the writer may read without a lock, since no
// other thread writes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cell_index.hpp"
#include "cell_table.hpp"
#include "fair_shared_mutex.hpp"

#include <kube/base/mutex.hpp>
#include <kube/cache/detail/store.hpp>

namespace kube::cache {

struct StoreChange;

/// One index by a user's function. Immutable.
struct NamedIndex {
  std::string name;
  CellIndexFunc function;
  Store::IndexFailure failed;

  /// Returns the function's values; none when it fails, nullopt when it was stopped (Cancelled).
  /// Calls user code: no lock may be held.
  std::optional<std::vector<std::string>> values(const CellRef& cell) const;
};

struct Store::Impl {
  static constexpr std::size_t kShards = 32;
  using Tables = std::array<CellTable, kShards>;
  struct alignas(64) Shard {
    Mutex mutex;
    CellTable cells KUBE_GUARDED_BY(mutex);

    /// Requires structure, or the writer's thread. Clang can't express that either of two locks is
    /// enough to read, nor that one thread needs none.
    const CellTable& read() const KUBE_NO_THREAD_SAFETY_ANALYSIS { return cells; }
  };
  struct Index {
    std::shared_ptr<const NamedIndex> named;
    bool ready = false;  ///< Contains every object.
    UserIndex contents{};
  };

  explicit Impl(meta::GroupResource resource) : subject(std::move(resource)) {}

  // The low bits find the slot in a shard.
  static std::size_t shard_index(std::size_t hash) { return (hash >> 40) % kShards; }
  Shard& shard_of(std::size_t hash) { return shards[shard_index(hash)]; }
  const CellRef* find(std::string_view key) KUBE_REQUIRES_SHARED(structure) {
    return find_as_writer(key, hash_key(key));
  }
  const CellRef* find_as_writer(std::string_view key, std::size_t hash) {
    return shard_of(hash).read().find(key, hash);
  }
  template <class F>
  void for_each_cell(F&& visit) const KUBE_REQUIRES_SHARED(structure) {
    for (const Shard& shard : shards) shard.read().for_each(visit);
  }
  /// Returns the index of this name if it may be queried; otherwise null.
  const Index* ready_index(std::string_view name) const KUBE_REQUIRES_SHARED(structure);
  /// Returns the cells of a value, null if there are none; nullopt for an unknown index.
  std::optional<const ValueSets::Cells*> cells_of(std::string_view name,
                                                  std::string_view value) const
      KUBE_REQUIRES_SHARED(structure);
  std::vector<std::shared_ptr<const NamedIndex>> named_indexes() const
      KUBE_REQUIRES_SHARED(structure);
  /// Applies one change; `values` are the new object's, by index.
  void apply(StoreChange& change, std::span<const std::vector<std::string>> values)
      KUBE_REQUIRES(structure);
  /// Exchanges all objects in one step.
  void swap_cells(Tables& tables) KUBE_REQUIRES(structure);

  const meta::GroupResource subject;
  std::array<Shard, kShards> shards;

  FairSharedMutex structure;
  ValueSets namespaces KUBE_GUARDED_BY(structure);
  std::vector<Index> indexes KUBE_GUARDED_BY(structure);         // never shrinks
  std::uint64_t indexes_version KUBE_GUARDED_BY(structure) = 0;  // counts additions to `indexes`

  std::atomic<std::size_t> size{0};
  std::atomic<std::size_t> bytes{0};

  mutable Mutex version_mutex;
  std::string version KUBE_GUARDED_BY(version_mutex);
};

}  // namespace kube::cache
