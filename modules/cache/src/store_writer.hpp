// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::StoreWriter: the only writer of a Store.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kube/cache/detail/store.hpp>

namespace kube::cache {

struct StoreIndex;

/// One change to a store, and what it replaced.
struct StoreChange {
  CellRef cell;         ///< The new object, or the last state of the deleted one.
  bool remove = false;  ///< Otherwise the object is stored under its key, replacing an older one.
  CellRef old{};        ///< Set by apply(): the object that the store had; null if none.
};

/// The effect of a relist on one object.
struct StoreReplacement {
  CellRef old;  ///< Null: the object is new.
  CellRef now;  ///< Null: the object was deleted.
};

/// @par Thread safety   Not thread-safe: used by one thread at a time, the only writer of its
/// store.
class StoreWriter {
 public:
  explicit StoreWriter(std::shared_ptr<Store> store) : store_(std::move(store)) {}

  /// Returns the object with this key; null if there is none. Takes no lock.
  CellRef find(std::string_view key) const;

  /// Applies the changes in order, and sets the version of the last one that has one. Readers never
  /// see a part of a change, and see all of them after it returns. Returns false when an index
  /// function was stopped (Cancelled); then only the first changes were applied.
  bool apply(std::span<StoreChange> changes);

  /// Replaces all objects of the store by `items` in one step, and sets the version. For a
  /// duplicate key the later item wins. Returns the deletions, in no order, then the others in the
  /// order of `items`; nullopt, without a change, when an index function was stopped.
  std::optional<std::vector<StoreReplacement>> replace(std::vector<CellRef> items,
                                                       std::string_view version);

  /// An empty version is ignored.
  void set_resource_version(std::string_view version);

  const Store& store() const { return *store_; }

 private:
  struct Contents;

  // The steps of replace(), after the new contents are built.
  /// Returns the deletions, then the other replacements; `hashes` belong to the items' keys.
  std::vector<StoreReplacement> difference(const Contents& contents, std::vector<CellRef> items,
                                           std::span<const std::size_t> hashes) const;
  /// Returns nullopt when an index function was stopped.
  std::optional<std::vector<std::shared_ptr<StoreIndex>>> index(
      std::span<const StoreReplacement> replacements) const;
  /// Returns false, without a change, when indexes were added meanwhile.
  bool swap_in(Contents& contents, std::vector<std::shared_ptr<StoreIndex>> indexes);

  std::shared_ptr<Store> store_;
};

}  // namespace kube::cache
