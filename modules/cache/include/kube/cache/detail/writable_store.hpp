// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::WritableStore: the store of an informer with a writer that any thread may use. Does
// for Store<T> what does not depend on T.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/cache/detail/delta.hpp>
#include <kube/cache/detail/store.hpp>
#include <kube/cache/detail/turn.hpp>

namespace kube::cache {

/// @par Thread safety   All functions may be called from any thread; they write one after the
///   other. No lock is held while index functions run.
/// @par Errors   InvalidArgument: an index function of this store calls them.
class WritableStore {
 public:
  explicit WritableStore(meta::GroupResource subject);
  ~WritableStore();
  WritableStore(const WritableStore&) = delete;
  WritableStore& operator=(const WritableStore&) = delete;

  /// Applies the changes, Deleted or anything else, in one step. The version becomes that of the
  /// last cell that has one.
  /// @par Cost   More than one change cost a replace().
  Result<void> apply(std::vector<Delta> changes);
  /// Removes a cell, unless another one has taken its place.
  Result<void> remove_if_same(const CellRef& cell);
  Result<void> replace(std::vector<CellRef> cells, std::string_view version);
  /// An empty version is ignored.
  Result<void> set_resource_version(std::string_view version);
  /// @par Errors   InvalidArgument: a name is in use; then none is added. As apply().
  Result<void> add_indexes(std::map<std::string, CellIndexFunc> functions,
                           const Store::IndexFailure& failed);

  std::shared_ptr<const Store> store() const;

 private:
  struct Writer;
  void apply_together(std::vector<Delta> changes);

  const std::unique_ptr<Writer> writer_;
  Turn turn_;
};

}  // namespace kube::cache
