// SPDX-License-Identifier: Apache-2.0
//
// kube::Indexer<T>: the objects of an informer, by key and by index.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/cached_list.hpp>
#include <kube/cache/store.hpp>

namespace kube {

/// The values under which an index finds an object: none, one or many. Called from any thread,
/// maybe at once, with no lock held; an object for which it throws is left out of the index.
template <Object T>
using IndexFunc = std::function<std::vector<std::string>(const Cached<T>&)>;

using cache::kNamespaceIndex;

/// An index by a field of strings: "spec.nodeName", or each of "metadata.finalizers". Reads it from
/// the objects' bytes, without decoding them. Objects without it, or with "", are not in the index.
/// @par Errors   InvalidArgument: T has no such field, or it holds something else than strings.
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

namespace cache {

/// Collects the result of a query as Cached<T>.
template <Object T>
class CachedSink final : public CellSink {
 public:
  void reserve(std::size_t count) override { objects_.reserve(count); }
  void add(const Cell& cell) override { objects_.emplace_back(CellUser(cell)); }
  std::vector<Cached<T>> take() { return std::move(objects_); }

 private:
  std::vector<Cached<T>> objects_;
};

}  // namespace cache

/// A cheap handle on an informer's store; copies share it. Stays readable when the informer has
/// stopped.
///
/// Each query is answered from one state of the store (cache::Store has the promises). Results are
/// in no particular order unless said otherwise.
/// @par Thread safety   All functions may be called from any thread.
template <Object T>
class Indexer {
 public:
  explicit Indexer(std::shared_ptr<const cache::Store> store) : store_(std::move(store)) {}

  /// Empty when there is none.
  Cached<T> get_by_key(std::string_view key) const { return Cached<T>(store_->get(key)); }

  CachedList<T> list() const {
    cache::CachedSink<T> sink;
    store_->list(sink);
    return sink.take();
  }
  std::vector<std::string> list_keys() const { return store_->list_keys(); }
  std::size_t size() const { return store_->size(); }

  /// The objects that have this value. InvalidArgument for an unknown index, as in the next two.
  Result<CachedList<T>> by_index(std::string_view index, std::string_view value) const {
    cache::CachedSink<T> sink;
    if (auto found = store_->by_index(index, value, sink); !found) return found.error();
    return sink.take();
  }
  /// The objects that share a value of this index with `object`, which need not be in the store.
  Result<CachedList<T>> index(std::string_view index, const Cached<T>& object) const {
    auto values = store_->index_values(index, object.ref());
    if (!values) return values.error();
    cache::CachedSink<T> sink;
    if (auto found = store_->by_index(index, *values, sink); !found) return found.error();
    return sink.take();
  }
  /// The keys of the objects that have this value, sorted.
  Result<std::vector<std::string>> index_keys(std::string_view index,
                                              std::string_view value) const {
    return store_->index_keys(index, value);
  }
  /// How many objects have this value; 0 for an unknown index. Costs no copy.
  std::size_t count(std::string_view index, std::string_view value) const {
    return store_->count(index, value);
  }
  /// Each distinct value once; none for an unknown index.
  std::vector<std::string> list_index_values(std::string_view index) const {
    return store_->list_index_values(index);
  }
  std::vector<std::string> index_names() const { return store_->index_names(); }

  /// The version that the store has reached: compare with that of an own write.
  std::string last_sync_resource_version() const { return store_->resource_version(); }

 private:
  std::shared_ptr<const cache::Store> store_;
};

}  // namespace kube
