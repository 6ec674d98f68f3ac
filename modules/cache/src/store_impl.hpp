// SPDX-License-Identifier: Apache-2.0
//
// The state of a Store, shared by its readers' and its writer's side.
//
// Readers take no lock. A reader pins itself (ReadPin), takes the StoreState, and looks at its
// tables while the writer changes them; nothing that it can find is freed before it is done.
//
//   get()    sees the slot of one object: a change takes effect when that slot is written.
//   others   begin at a change (StoreState::now()), look at a table or a set of cells, and then
//            take back what the log says has changed since (as_of()). So they see one state [S1].
//            An index is written before the slot of its object, and now() includes a change whose
//            slot is written, so that no query sees less than an earlier one did [S2].
//   long     lists take a lease of the cells (CellLeases) in place of a reference to each.
//   relists  make a new StoreState and publish it with one store [S1].
//
// The writer and add_indexes() exclude each other by `writing`. Only the writer may look at the
// tables without a pin, since no other thread frees anything.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cell_index.hpp"
#include "cell_leases.hpp"
#include "cell_table.hpp"
#include "change_log.hpp"
#include "read_pins.hpp"
#include "retired.hpp"

#include <kube/base/mutex.hpp>
#include <kube/cache/detail/store.hpp>

namespace kube::cache {

struct Delta;

/// One index by a user's function. Immutable.
struct NamedIndex {
  std::string name;
  CellIndexFunc function;
  std::string label;  ///< The label whose value it has; "" for other functions.
  Store::IndexFailure failed;

  /// Returns the function's values; none when it fails, nullopt when it was stopped (Cancelled).
  /// Calls user code: no lock may be held.
  std::optional<std::vector<std::string>> values(const CellRef& cell) const;
};

/// An index and its content in one StoreState.
struct StoreIndex {
  explicit StoreIndex(std::shared_ptr<const NamedIndex> named_in) : named(std::move(named_in)) {}
  const std::shared_ptr<const NamedIndex> named;
  std::atomic<bool> ready{false};  ///< Contains every object.
  UserIndex contents;
};
using StoreIndexes = std::vector<std::shared_ptr<StoreIndex>>;

/// What a query takes back of one set of cells: the changes since it began.
class ChangesOfSet {
 public:
  void add(const ChangeRecord& record);
  bool empty() const { return touched_.size() == 0; }
  void take_back(std::vector<const Cell*>& cells) const;

 private:
  PointerTable<Nothing> touched_;
  std::vector<const Cell*> was_;
};

/// The same for a query of many sets, which walks the log once: each walk of its own would take
/// longer than the one before, as long as the store is written.
class ChangesSince {
 public:
  explicit ChangesSince(const ChangeRecord* began) : last_(began) {}
  /// Returns the changes of a set that the query has looked at before; null when there are none.
  const ChangesOfSet* of(const ValueSet& set);

 private:
  const ChangeRecord* last_;  // that was read
  std::unordered_map<const ValueSet*, ChangesOfSet> sets_;
};

/// All objects of a store and its indexes; replaced as a whole by a relist.
struct StoreState {
  explicit StoreState(std::shared_ptr<CellLeases> leases_in)
      : leases(std::move(leases_in)), indexes(new StoreIndexes), log(*leases) {}
  StoreState(const StoreState&) = delete;
  StoreState& operator=(const StoreState&) = delete;
  ~StoreState();

  // ---- for readers that are pinned
  const StoreIndexes& all_indexes() const { return *indexes.load(std::memory_order_acquire); }
  /// Returns the index of this name if it may be queried; otherwise null.
  const StoreIndex* ready_index(std::string_view name) const;
  /// Returns the change up to which a query sees all.
  const ChangeRecord* now() const;
  /// Returns the cells of a set (null: all cells) as they were after a change.
  std::vector<const Cell*> cells(const ValueSet* set, const ChangeRecord* since) const;
  /// Returns the number of cells of a set after a change.
  std::size_t count(const ValueSet& set, const ChangeRecord* since) const;
  /// The same for queries of many sets.
  static std::vector<const Cell*> cells(const ValueSet& set, ChangesSince& since);
  static bool is_empty(const ValueSet& set, ChangesSince& since);

  // ---- for the writer
  /// Adds an index to the published ones.
  void add_index(std::shared_ptr<StoreIndex> index, Retired& retired);
  /// Plans the steps of a change in the sets of namespaces.
  void plan_namespaces(const Cell* old, const Cell* cell, Retired& retired);
  /// Notes a set that has lost its last cell in this step, and takes out such sets when no reader
  /// can find a cell in them.
  void note_emptied(const ChangeRecord& step);
  void remove_emptied(std::uint64_t epoch, std::uint64_t oldest, Retired& retired);

  const std::shared_ptr<CellLeases> leases;
  CellTable cells_by_key;  ///< Owns a reference to each.
  ValueSets namespaces;
  std::atomic<const StoreIndexes*> indexes;  ///< Never shrinks.
  ChangeLog log;

  /// A set that a change has left without cells.
  struct Emptied {
    ValueSet* set;
    std::uint32_t times;
    std::uint64_t epoch;
  };
  std::deque<Emptied> emptied;
  std::size_t marked_emptied = 0;  // the first ones
};

struct Store::Impl {
  explicit Impl(meta::GroupResource resource)
      : subject(std::move(resource)), state(new StoreState(leases)) {}
  ~Impl() { delete state.load(std::memory_order_relaxed); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// For readers that are pinned, and the writer.
  StoreState& now() const { return *state.load(std::memory_order_acquire); }

  /// Applies one change; `values` are the new object's, by index. Without memory for it the process
  /// ends: indexes of which some have a change would answer wrongly from then on.
  void apply(Delta& change, std::span<const std::vector<std::string>> values) noexcept
      KUBE_REQUIRES(writing);
  /// Frees what no reader can see any more.
  void collect() KUBE_REQUIRES(writing);
  /// Adds these cells to the index at a place of StoreState::all_indexes(). Calls user code.
  void fill(std::size_t place, const NamedIndex& index, const std::vector<CellRef>& cells);

  const meta::GroupResource subject;
  const std::shared_ptr<CellLeases> leases = std::make_shared<CellLeases>();
  std::atomic<StoreState*> state;

  Mutex writing;
  Retired retired KUBE_GUARDED_BY(writing);

  mutable Mutex version_mutex;
  std::string version KUBE_GUARDED_BY(version_mutex);
};

}  // namespace kube::cache
