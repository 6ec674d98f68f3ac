// SPDX-License-Identifier: Apache-2.0
//
// The state of a Store, shared by its readers' and its writer's side.
//
// Locks, in the order in which they are taken:
//   structure     everything that concerns more than one object: indexes, and the set of objects.
//                 The writer holds it for each change, queries of many objects hold it shared.
//   Shard::mutex  one part of the objects. get() takes only this one, so that it waits neither for
//                 other queries nor for writes to other parts.
// The writer changes an object, its index entries included, while it holds both; so whoever has
// seen one of the changes sees the others too [S2]. A relist is built aside and swapped in while
// the writer holds all of them [S1]. Reading without a lock is the writer's privilege: nobody else
// writes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cell_index.hpp"
#include "cell_table.hpp"
#include "fair_shared_mutex.hpp"

#include <kube/base/mutex.hpp>
#include <kube/cache/store.hpp>

namespace kube::cache {

/// One index by a user's function.
struct NamedIndex {
  std::string name;
  CellIndexFunc function;
  Store::IndexFailure failed;
  // Guarded by structure.
  bool ready = false;  // knows every object
  UserIndex index{};

  /// The function's answer; no values when it fails, nullopt when it was stopped (Cancelled). Calls
  /// user code: no lock may be held.
  std::optional<std::vector<std::string>> values(const CellRef& cell) const;
};

struct Store::Impl {
  static constexpr std::size_t kShards = 32;
  struct alignas(64) Shard {
    Mutex mutex;
    CellTable cells;  // guarded by mutex and by structure: either to read, both to write
  };

  explicit Impl(meta::GroupResource resource) : subject(std::move(resource)) {}

  // The low bits find the slot in a shard.
  static std::size_t shard_index(std::size_t hash) { return (hash >> 40) % kShards; }
  Shard& shard_of(std::size_t hash) { return shards[shard_index(hash)]; }
  const CellRef* find(std::string_view key) {
    const std::size_t hash = hash_key(key);
    return shard_of(hash).cells.find(key, hash);
  }
  /// The index of this name that may be queried; null if there is none. Under structure.
  const NamedIndex* ready_index(std::string_view name) const;
  /// The cells of a value, null if there are none; nullopt for an unknown index. Under structure.
  std::optional<const ValueSets::Cells*> cells_of(std::string_view name,
                                                  std::string_view value) const;

  /// Holds every shard. Readers take no two shards, so the order is of no matter.
  class AllShards {
   public:
    explicit AllShards(Impl& impl) KUBE_NO_THREAD_SAFETY_ANALYSIS : impl_(impl) {
      for (Shard& shard : impl_.shards) shard.mutex.lock();
    }
    ~AllShards() KUBE_NO_THREAD_SAFETY_ANALYSIS {
      for (Shard& shard : impl_.shards) shard.mutex.unlock();
    }
    AllShards(const AllShards&) = delete;
    AllShards& operator=(const AllShards&) = delete;

   private:
    Impl& impl_;
  };

  const meta::GroupResource subject;
  std::array<Shard, kShards> shards;

  FairSharedMutex structure;
  // Guarded by structure.
  ValueSets namespaces;
  std::vector<std::shared_ptr<NamedIndex>> indexes;
  std::uint64_t indexes_version = 0;  // counts additions to `indexes`

  std::atomic<std::size_t> size{0};
  std::atomic<std::size_t> bytes{0};

  mutable Mutex version_mutex;
  std::string version KUBE_GUARDED_BY(version_mutex);
};

}  // namespace kube::cache
