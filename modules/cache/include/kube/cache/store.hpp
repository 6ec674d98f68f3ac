// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Store: the objects of an informer and their indexes, as readers see them. Untyped:
// Lister<T> and Indexer<T> are the typed views.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/cell.hpp>
#include <kube/names/group_version.hpp>
#include <kube/names/labels.hpp>

namespace kube::cache {

/// The index of every store: an object's namespace, "" for cluster-scoped ones.
inline constexpr std::string_view kNamespaceIndex = "namespace";

/// The values under which an index finds an object; Error when the object can't be read.
using CellIndexFunc = std::function<Result<std::vector<std::string>>(const CellRef&)>;

/// Takes the result of a query. Called under the store's lock: our own code only.
class CellSink {
 public:
  virtual ~CellSink() = default;
  virtual void reserve(std::size_t count) = 0;
  virtual void add(const Cell& cell) = 0;
};

/// Written by one StoreWriter, read by anybody.
///
/// @par Promises
///  [S1] A query is answered from one state of the store: never from half of a change, an index
///       without its object or a relist half-way.
///  [S2] What one query has shown, later queries of the same thread don't take back.
///  [S3] get() does not wait for other queries, and for a writer only while it replaces one object.
/// @par Thread safety   All functions may be called from any thread.
class Store {
 public:
  /// `subject` names the resource in errors.
  explicit Store(meta::GroupResource subject);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Null when there is none of that key.
  CellUser get(std::string_view key) const;
  CellUser get(std::string_view namespace_, std::string_view name) const;

  void list(CellSink& sink) const;
  std::vector<std::string> list_keys() const;
  std::size_t size() const;
  /// Sum of the cells' memory().
  std::size_t bytes() const;

  /// Objects that have this value. InvalidArgument for an unknown index in this and the next two.
  Result<void> by_index(std::string_view index, std::string_view value, CellSink& sink) const;
  /// Objects that have any of the values, each once.
  Result<void> by_index(std::string_view index, const std::vector<std::string>& values,
                        CellSink& sink) const;
  /// Their keys, sorted.
  Result<std::vector<std::string>> index_keys(std::string_view index, std::string_view value) const;
  /// Number of objects that have this value; 0 for an unknown index.
  std::size_t count(std::string_view index, std::string_view value) const;
  /// Distinct values of an index, in no order; none for an unknown index.
  std::vector<std::string> list_index_values(std::string_view index) const;
  std::vector<std::string> index_names() const;
  /// What an index says of an object that need not be in the store.
  Result<std::vector<std::string>> index_values(std::string_view index, const CellRef& cell) const;

  /// Adds an index; objects that are there are indexed before it returns. Its function is called
  /// outside any lock, from the calling and from the writing thread, maybe at once.
  /// InvalidArgument when the name is in use. A function that fails leaves the object out of the
  /// index; `failed` hears of it.
  using IndexFailure = std::function<void(std::string_view index, const Cell&, const Error&)>;
  Result<void> add_index(std::string name, CellIndexFunc function, IndexFailure failed = {});

  /// The version that the store has reached.
  std::string resource_version() const;
  /// The answer to a query for an object that is not there, as a server words it.
  Error not_found(std::string_view name) const;

 private:
  friend class StoreWriter;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether an object's labels match, read from its undecoded bytes. Decode when they can't be.
Result<bool> matches_labels(const Cell& cell, const labels::Selector& selector);

}  // namespace kube::cache
