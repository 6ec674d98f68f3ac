// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::DeltaFifo: the changes that the reflector saw and the store did not, in their order.
//
// It has the semantics of client-go's default pipeline (atomic Replace;
// docs/reference/informers-and-queues.md ch. 14): every delta is delivered, in arrival order over
// all keys, unmerged; a relist is one delta, whose deletions the consumer finds by comparing with
// the store. Unlike client-go's, it belongs to one strand: no thread blocks on it or locks it
// (docs/decisions/0003).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kube/cache/detail/cell.hpp>

namespace kube::cache {

enum class DeltaType : std::uint8_t {
  Added,
  Updated,
  Deleted,
  Replaced,  ///< The whole content: a list.
  Sync,      ///< Redeliver everything in the store.
  Bookmark,  ///< Only the version has changed.
};

struct Delta {
  struct List {
    std::vector<CellRef> items;
    std::string resource_version;
  };
  DeltaType type;
  CellRef cell{};                ///< Added, Updated, Deleted: the object. Bookmark: its metadata.
  std::unique_ptr<List> list{};  ///< Replaced.
};

/// @par Thread safety   Not thread-safe: belongs to one strand.
class DeltaFifo {
 public:
  static constexpr std::size_t kMaxBatch = 1000;

  void add(CellRef object) { append(DeltaType::Added, std::move(object)); }
  void update(CellRef object) { append(DeltaType::Updated, std::move(object)); }
  void remove(CellRef object) { append(DeltaType::Deleted, std::move(object)); }
  void replace(std::vector<CellRef> items, std::string resource_version);
  void resync();
  void bookmark(CellRef metadata);

  /// The deltas to process together: one Replaced, Sync or Bookmark; or up to `limit` of the
  /// others, but not beyond the end of the initial state. Empty when the queue is empty. Call
  /// finished() when the batch was processed, before taking the next one.
  struct Batch {
    std::vector<Delta> deltas;
    bool is_initial = false;  ///< Belongs to the initial state.
  };
  Batch pop_batch(std::size_t limit = kMaxBatch);
  void finished(const Batch& batch);

  /// Whether the first Replaced, and everything queued before it, has been processed; true at once
  /// when something else came first.
  bool has_synced() const { return populated_ && initial_left_ == 0; }

  std::size_t size() const { return deltas_.size(); }
  /// Drops everything; unless it has synced, the next Replaced is the initial state.
  void clear();

 private:
  void append(DeltaType type, CellRef object);

  std::deque<Delta> deltas_;
  bool populated_ = false;
  std::size_t initial_left_ = 0;  // deltas of the initial state that are not processed
};

}  // namespace kube::cache
