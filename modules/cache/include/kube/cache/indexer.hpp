// SPDX-License-Identifier: Apache-2.0
//
// kube::Indexer<T>: reads the objects of an informer, or of a Store<T>, by key and by index.
//
//   const Indexer<Pod> pods = store.indexer();  // or that of an informer
//   const auto front = pods.get_by_key("web/front-0");
//   const auto on_node = pods.by_index("node", "node-1").value();
//   const auto beside = pods.index("node", front).value();  // all that share a node with it
//   const auto nodes = pods.list_index_values("node");
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/cached_list.hpp>
#include <kube/cache/detail/cached_queries.hpp>
#include <kube/cache/detail/store.hpp>
#include <kube/cache/detail/typed_index.hpp>

namespace kube {

/// Returns the values under which an index finds an object: none, one or many. An object for which
/// it throws is left out of the index.
/// @par Thread safety   Called from any thread, possibly at the same time, with no lock held.
template <Object T>
using IndexFunc = std::function<std::vector<std::string>(const Cached<T>&)>;

/// Index functions by the names of their indexes.
template <Object T>
using Indexers = std::map<std::string, IndexFunc<T>>;

using cache::kNamespaceIndex;

/// Returns the function of an index by a string field: "spec.nodeName", or each element of
/// "metadata.finalizers". It reads the field from the bytes of an object without decoding the
/// object. Objects without the field, or with "", are not in the index.
/// @par Errors   InvalidArgument: T has no such field, or it is neither a string nor a list of
/// strings.
template <Described T>
Result<IndexFunc<T>> index_by_field(std::string_view path) {
  Result<meta::FieldLocator> compiled = meta::FieldLocator::compile<T>(path);
  if (!compiled) return compiled.error();
  const Result<meta::FieldView> nowhere = compiled->find("{}");
  if (!nowhere) return nowhere.error();
  if (nowhere->template read<std::string>()) {
    return IndexFunc<T>([path = *std::move(compiled)](const Cached<T>& object) {
      std::vector<std::string> values{object.template read<std::string>(path).value()};
      if (values.front().empty()) values.clear();
      return values;
    });
  }
  if (auto list = nowhere->template read<std::vector<std::string>>(); !list) return list.error();
  return IndexFunc<T>([path = *std::move(compiled)](const Cached<T>& object) {
    return object.template read<std::vector<std::string>>(path).value();
  });
}

/// A cheap handle to the store of an informer, or to a Store<T> that the program writes; copies
/// share it. Stays readable after the informer has stopped, and after the Store is gone.
///
/// Each query sees one state of the store, never a part of a change or of a relist, and never an
/// older state than an earlier query of the same thread. Results are in no particular order unless
/// a function says otherwise.
/// @par Thread safety   All functions may be called from any thread.
template <Object T>
class Indexer {
 public:
  explicit Indexer(std::shared_ptr<const cache::Store> store) : store_(std::move(store)) {}

  /// Returns the object with this key; empty when there is none.
  Cached<T> get_by_key(std::string_view key) const { return Cached<T>(store_->get(key)); }

  CachedList<T> list() const {
    cache::CachedSink<T> sink;
    store_->list(sink);
    return sink.take();
  }
  std::vector<std::string> list_keys() const { return store_->list_keys(); }
  std::size_t size() const { return store_->size(); }

  /// Returns the objects that have this value.
  /// @par Errors   InvalidArgument: there is no such index.
  Result<CachedList<T>> by_index(std::string_view index, std::string_view value) const {
    cache::CachedSink<T> sink;
    if (auto found = store_->by_index(index, value, sink); !found) return found.error();
    return sink.take();
  }
  /// Returns the objects that share a value of this index with `object`, which need not be in the
  /// store.
  /// @par Errors   InvalidArgument: there is no such index. Internal: the index function throws.
  Result<CachedList<T>> index(std::string_view index, const Cached<T>& object) const {
    auto values = store_->index_values(index, object.ref());
    if (!values) return values.error();
    cache::CachedSink<T> sink;
    if (auto found = store_->by_index(index, *values, sink); !found) return found.error();
    return sink.take();
  }
  /// Returns the values of an object, which need not be in the store, in an index.
  /// @par Errors   InvalidArgument: there is no such index. Internal: the index function throws.
  Result<std::vector<std::string>> index_values(std::string_view index,
                                                const Cached<T>& object) const {
    return store_->index_values(index, object.ref());
  }
  /// Returns the keys of the objects that have this value, sorted.
  /// @par Errors   InvalidArgument: there is no such index.
  Result<std::vector<std::string>> index_keys(std::string_view index,
                                              std::string_view value) const {
    return store_->index_keys(index, value);
  }

  /// Returns the number of objects that have this value; 0 for an unknown index. Copies no object.
  std::size_t count(std::string_view index, std::string_view value) const {
    return store_->count(index, value);
  }
  /// Returns the distinct values of an index; empty for an unknown index.
  std::vector<std::string> list_index_values(std::string_view index) const {
    return store_->list_index_values(index);
  }
  std::vector<std::string> index_names() const { return store_->index_names(); }
  /// Returns the functions of the indexes that were added, for another store or to call them: they
  /// throw ApiException where they fail, and those of an informer after its stop (Cancelled).
  Indexers<T> get_indexers() const {
    Indexers<T> indexers;
    for (auto& [name, function] : store_->index_functions()) {
      indexers.emplace(name, cache::to_object_index<T>(function));
    }
    return indexers;
  }

  /// Returns the resourceVersion that the store has reached, to compare with that of a write.
  std::string last_sync_resource_version() const { return store_->resource_version(); }

  /// The store without its type, for code that works on cells.
  std::shared_ptr<const cache::Store> store() const { return store_; }

 private:
  std::shared_ptr<const cache::Store> store_;
};

}  // namespace kube
