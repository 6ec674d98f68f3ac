// SPDX-License-Identifier: Apache-2.0
//
// The one who writes a Store.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kube/cache/detail/store.hpp>

namespace kube::cache {

/// One change to a store, and what it replaced.
struct StoreChange {
  CellRef cell;         ///< The new object, or the last state of the deleted one.
  bool remove = false;  ///< Else the object is put under its key, be it new or not.
  CellRef old{};        ///< Set by apply(): what the store had; null if nothing.
};

/// What a relist did to one object.
struct StoreReplacement {
  CellRef old;  ///< Null: was not there.
  CellRef now;  ///< Null: is gone.
};

/// @par Thread safety   Not thread-safe: used by one thread at a time, the only writer of its
/// store.
class StoreWriter {
 public:
  explicit StoreWriter(std::shared_ptr<Store> store) : store_(std::move(store)) {}

  /// What the store has under this key; null if nothing. Takes no lock.
  CellRef find(std::string_view key) const;

  /// Applies the changes in order and takes over the version of the last one that has one. Readers
  /// see each change whole, and all of them when it returns. False when an index function was
  /// stopped (Cancelled); then only some of the changes, in order, were applied.
  bool apply(std::span<StoreChange> changes);

  /// Makes the store hold exactly these objects, in one step, at this version. Of two with the same
  /// key the later one counts. Returns the deletions, in no order, then the others in the order of
  /// `items`. Nullopt, and nothing changed, when an index function was stopped.
  std::optional<std::vector<StoreReplacement>> replace(std::vector<CellRef> items,
                                                       std::string_view version);

  /// An empty one changes nothing: the last good one stays.
  void set_resource_version(std::string_view version);

  const Store& store() const { return *store_; }

 private:
  struct Contents;
  struct IndexContents;

  // The steps of replace(), after the new contents are built.
  /// The deletions, then the other replacements.
  std::vector<StoreReplacement> difference(Contents& contents, std::vector<CellRef> items) const;
  /// False when an index function was stopped.
  bool index(std::span<const StoreReplacement> replacements, IndexContents& out) const;
  /// False, and nothing is done, when indexes came meanwhile.
  bool swap_in(Contents& contents, IndexContents& indexes);

  std::shared_ptr<Store> store_;
};

}  // namespace kube::cache
