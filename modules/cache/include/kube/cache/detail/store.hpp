// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Store: the objects of an informer and their indexes, as cells. Lister<T> and
// Indexer<T> are the typed views of it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/names/group_version.hpp>
#include <kube/names/labels.hpp>
#include <kube/names/object_key.hpp>

namespace kube::cache {

/// The index that every store has: the namespace of an object, "" for cluster-scoped objects.
inline constexpr std::string_view kNamespaceIndex = "namespace";

/// Returns the values under which an index finds an object; an Error when it can't read the object.
using CellIndexFunc = std::function<Result<std::vector<std::string>>(const CellRef&)>;

/// An index function by the value of one label, so that queries with label selectors can use the
/// index: add_indexes() recognises it.
/// @par Thread safety   As CellIndexFunc.
struct LabelIndexFunc {
  std::string label;
  CellIndexFunc read;
  /// @par Errors   Decode: the labels can't be read.
  Result<std::vector<std::string>> operator()(const CellRef& cell) const { return read(cell); }
};

/// Takes the result of a query. No lock is held, but the store frees nothing while it is called.
/// @par Thread safety   Called by the thread of the query.
class CellSink {
 public:
  virtual ~CellSink() = default;
  /// Called once at most. The cells are valid during the call; who keeps one makes a CellRef or a
  /// CellUser of it.
  virtual void take(std::span<const Cell* const> cells) = 0;
  /// Called instead of take() with at least half of the store's cells, which are valid as long as
  /// the lease, too.
  virtual void take_leased(std::span<const Cell* const> cells, CellLease&& /*lease*/) {
    take(cells);
  }
};

/// Written by one StoreWriter, read from any thread.
///
/// @par Promises
///  [S1] A query sees one state of the store: never a part of a change, an index without its
///       object, or a part of a relist.
///  [S2] A query never sees an older state than an earlier query of the same thread.
///  [S3] Queries take no lock: they wait neither for writers nor for one another. A query that is
///       interrupted delays the freeing of memory, and nothing else.
/// @par Thread safety   All functions may be called from any thread.
class Store {
 public:
  /// `subject` names the resource in errors.
  explicit Store(meta::GroupResource subject);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Returns the object with this key; null when there is none.
  CellUser get(std::string_view key) const;
  CellUser get(std::string_view namespace_, std::string_view name) const;

  void list(CellSink& sink) const;
  std::vector<std::string> list_keys() const;
  std::size_t size() const;
  /// Returns the sum of the cells' memory().
  std::size_t bytes() const;

  /// Finds the objects that have this value.
  /// @par Errors   InvalidArgument: there is no such index.
  Result<void> by_index(std::string_view index, std::string_view value, CellSink& sink) const;
  /// Finds the objects that have any of the values, each once.
  Result<void> by_index(std::string_view index, const std::vector<std::string>& values,
                        CellSink& sink) const;
  /// Finds some objects, all those among them that are in this namespace ("": in any) and match the
  /// selector: by the index, of the namespace or of a label, that has the fewest. Returns whether
  /// they are known to match, all of them.
  bool list_candidates(std::string_view scope, const labels::Selector& selector,
                       CellSink& sink) const;
  /// Returns the keys of the objects that have this value, sorted.
  Result<std::vector<std::string>> index_keys(std::string_view index, std::string_view value) const;

  /// Returns the number of objects that have this value; 0 for an unknown index.
  std::size_t count(std::string_view index, std::string_view value) const;
  /// Returns the distinct values of an index, in no order; empty for an unknown index.
  std::vector<std::string> list_index_values(std::string_view index) const;
  std::vector<std::string> index_names() const;
  /// Returns the values of an object, which need not be in the store, in an index.
  /// @par Errors   InvalidArgument: there is no such index. The error of the index function;
  ///   Internal when it throws.
  Result<std::vector<std::string>> index_values(std::string_view index, const CellRef& cell) const;

  /// Returns the functions of the indexes that were added, by name.
  std::map<std::string, CellIndexFunc> index_functions() const;

  /// Adds indexes, all or none, and indexes the objects of the store before it returns. The
  /// functions are called without a lock, from the calling thread and from the writing thread,
  /// possibly at the same time. When one fails, the object is left out of its index and `failed` is
  /// called.
  /// @par Errors   InvalidArgument: a name is in use.
  using IndexFailure = std::function<void(std::string_view index, const Cell&, const Error&)>;
  Result<void> add_indexes(std::map<std::string, CellIndexFunc> functions,
                           const IndexFailure& failed = {});
  Result<void> add_index(std::string name, CellIndexFunc function,
                         const IndexFailure& failed = {}) {
    return add_indexes({{std::move(name), std::move(function)}}, failed);
  }

  /// Returns the resourceVersion that the store has reached.
  std::string resource_version() const;
  /// Returns the NotFound error for an object that is not in the store, as a server words it.
  Error not_found(std::string_view name) const;

 private:
  friend class StoreWriter;
  friend std::vector<std::shared_ptr<const Store>> snapshot_of(
      const std::vector<std::shared_ptr<const Store>>& stores, std::size_t looks);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns the object with these names, whatever its key; null when there is none.
/// @par Cost   Where it isn't under its names, that of a query of its namespace.
CellRef find_by_names(const Store& store, const ObjectKey& names);

/// Makes stores of their own of what these stores have at one moment: no writer commits a change
/// between one and the next. They have the index of namespaces, and the version that each has
/// reached before that moment.
/// @param looks   How often it looks for a moment without a change; then it waits for the writers.
/// @par Cost   A reference to each object, a hash of its key, and some 20 bytes.
std::vector<std::shared_ptr<const Store>> snapshot_of(
    const std::vector<std::shared_ptr<const Store>>& stores, std::size_t looks = 1000);

/// Returns the value of a label, read from the object's bytes; empty when it has none.
/// @par Errors   Decode: the labels can't be read.
Result<std::vector<std::string>> label_of(const Cell& cell, std::string_view label);

/// Whether the labels of an object match; reads them from its bytes.
/// @par Errors   Decode: the labels can't be read.
Result<bool> matches_labels(const Cell& cell, const labels::Selector& selector);

}  // namespace kube::cache
