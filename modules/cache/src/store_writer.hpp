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

#include <kube/cache/detail/delta.hpp>
#include <kube/cache/detail/store.hpp>

namespace kube::cache {

struct StoreIndex;

/// @par Thread safety   Not thread-safe: used by one thread at a time, the only writer of its
/// store.
class StoreWriter {
 public:
  explicit StoreWriter(std::shared_ptr<Store> store) : store_(std::move(store)) {}

  /// Returns the object with this key; null if there is none. Takes no lock.
  CellRef find(std::string_view key) const;

  /// Applies the changes in order, and sets the version of the last one that has one. Objects that
  /// are not Deleted are stored under their keys. Writes to each change what the store had, and by
  /// that whether it was Added or Updated. Readers never see a part of a change, and see all of
  /// them after it returns. Returns false when an index function was stopped (Cancelled); then only
  /// the first changes were applied.
  bool apply(std::span<Delta> changes);

  /// Replaces all objects of the store by `items` in one step, and sets the version. For a
  /// duplicate key the later item wins. Returns the changes, as apply() writes them: the deletions,
  /// in no order and inferred, then the others in the order of `items`; nullopt, without a change,
  /// when an index function was stopped.
  std::optional<std::vector<Delta>> replace(std::vector<CellRef> items, std::string_view version);

  /// An empty version is ignored.
  void set_resource_version(std::string_view version);

  const Store& store() const { return *store_; }

 private:
  struct Contents;

  // The steps of replace(), after the new contents are built.
  /// Returns the deletions, then the other changes; `hashes` belong to the items' keys.
  std::vector<Delta> difference(const Contents& contents, std::vector<CellRef> items,
                                std::span<const std::size_t> hashes) const;
  /// Returns nullopt when an index function was stopped.
  std::optional<std::vector<std::shared_ptr<StoreIndex>>> index(
      std::span<const Delta> changes) const;
  /// Returns false, without a change, when indexes were added meanwhile.
  bool swap_in(Contents& contents, std::vector<std::shared_ptr<StoreIndex>> indexes);

  std::shared_ptr<Store> store_;
};

}  // namespace kube::cache
