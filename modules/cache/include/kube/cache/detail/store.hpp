// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Store: the objects of an informer and their indexes, as cells. Lister<T> and
// Indexer<T> are the typed views of it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/names/group_version.hpp>
#include <kube/names/labels.hpp>

namespace kube::cache {

/// The index that every store has: the namespace of an object, "" for cluster-scoped objects.
inline constexpr std::string_view kNamespaceIndex = "namespace";

/// Returns the values under which an index finds an object; an Error when it can't read the object.
using CellIndexFunc = std::function<Result<std::vector<std::string>>(const CellRef&)>;

/// Takes the result of a query. Called with the store's lock held, so it must not call user code.
/// @par Thread safety   Called by the thread of the query.
class CellSink {
 public:
  virtual ~CellSink() = default;
  virtual void reserve(std::size_t count) = 0;
  virtual void add(const Cell& cell) = 0;
};

/// Written by one StoreWriter, read from any thread.
///
/// @par Promises
///  [S1] A query sees one state of the store: never a part of a change, an index without its
///       object, or a part of a relist.
///  [S2] A query never sees an older state than an earlier query of the same thread.
///  [S3] get() does not wait for other queries, and for a writer only while it replaces one object.
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

  /// Adds an index and indexes the objects of the store before it returns. The function is called
  /// without a lock, from the calling thread and from the writing thread, possibly at the same
  /// time. When it fails, the object is left out of the index and `failed` is called.
  /// @par Errors   InvalidArgument: the name is in use.
  using IndexFailure = std::function<void(std::string_view index, const Cell&, const Error&)>;
  Result<void> add_index(std::string name, CellIndexFunc function, IndexFailure failed = {});

  /// Returns the resourceVersion that the store has reached.
  std::string resource_version() const;
  /// Returns the NotFound error for an object that is not in the store, as a server words it.
  Error not_found(std::string_view name) const;

 private:
  friend class StoreWriter;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether the labels of an object match; reads them from its bytes.
/// @par Errors   Decode: the labels can't be read.
Result<bool> matches_labels(const Cell& cell, const labels::Selector& selector);

}  // namespace kube::cache
