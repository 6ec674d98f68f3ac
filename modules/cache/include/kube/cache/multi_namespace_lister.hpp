// SPDX-License-Identifier: Apache-2.0
//
// kube::MultiNamespaceLister<T>: one lister over the caches of several namespaces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/cached_list.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/cache/lister.hpp>
#include <kube/names/labels.hpp>
#include <kube/names/object_key.hpp>

namespace kube {

/// A cheap handle to the stores of several informers, one for each namespace, with the queries of
/// Lister<T> and those by index of Indexer<T>. Objects of other namespaces do not exist for
/// it. A result over several namespaces has the objects of each from one state of its store.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Cost   A look-up of a namespace more than Lister<T> for an object; a copy of the lists of
///   the namespaces for a list.
template <Object T>
class MultiNamespaceLister {
 public:
  struct Part {
    Lister<T> lister;
    Indexer<T> indexer;
  };
  /// `parts`: by namespace; at least one. That of "" has all namespaces, and is the only one then.
  explicit MultiNamespaceLister(std::map<std::string, Part, std::less<>> parts)
      : parts_(std::move(parts)) {}

  /// `key` is "namespace/name" or "name".
  /// @par Errors   NotFound (is_not_found()).
  Result<Cached<T>> get(std::string_view key) const {
    return part(namespace_of(key)).lister.get(key);
  }
  Result<Cached<T>> get(std::string_view namespace_, std::string_view name) const {
    return part(namespace_).lister.get(namespace_, name);
  }
  Result<Cached<T>> get(const ObjectKey& key) const { return get(key.namespace_, key.name); }

  /// Like get(), but returns an empty Cached when there is no such object.
  Cached<T> find(const ObjectKey& key) const { return part(key.namespace_).lister.find(key); }
  Cached<T> find(std::string_view key) const { return part(namespace_of(key)).lister.find(key); }

  CachedList<T> list() const {
    return all([](const Part& part) -> Result<CachedList<T>> { return part.lister.list(); })
        .value();
  }
  /// Returns the objects whose labels match.
  /// @par Errors   Decode: the labels of an object can't be read.
  Result<CachedList<T>> list(const labels::Selector& selector) const {
    return all([&](const Part& part) { return part.lister.list(selector); });
  }

  /// Returns the lister of one namespace, which is empty for a namespace that is not one of these.
  /// @pre `namespace_` is not empty.
  NamespaceLister<T> in_namespace(std::string namespace_) const {
    const Part& found = part(namespace_);
    return found.lister.in_namespace(std::move(namespace_));
  }

  /// Returns the objects that have this value.
  /// @par Errors   InvalidArgument: there is no such index.
  Result<CachedList<T>> by_index(std::string_view index, std::string_view value) const {
    return all([&](const Part& part) { return part.indexer.by_index(index, value); });
  }

  /// Returns the keys of the objects that have this value, sorted.
  /// @par Errors   InvalidArgument: there is no such index.
  Result<std::vector<std::string>> index_keys(std::string_view index,
                                              std::string_view value) const {
    std::vector<std::string> keys;
    for (const auto& [namespace_, part] : parts_) {
      auto found = part.indexer.index_keys(index, value);
      if (!found) return found.error();
      keys.insert(keys.end(), found->begin(), found->end());
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  }
  /// Returns the number of objects that have this value; 0 for an unknown index.
  std::size_t count(std::string_view index, std::string_view value) const {
    std::size_t sum = 0;
    for (const auto& [namespace_, part] : parts_) sum += part.indexer.count(index, value);
    return sum;
  }
  /// Returns the distinct values of an index, in no particular order.
  std::vector<std::string> list_index_values(std::string_view index) const {
    std::set<std::string> values;
    for (const auto& [namespace_, part] : parts_) {
      for (std::string& value : part.indexer.list_index_values(index)) {
        values.insert(std::move(value));
      }
    }
    return {values.begin(), values.end()};
  }

  /// As Lister<T>::wait_for(), of an object's namespace ("" for objects without one).
  /// @par Errors   Those of Lister<T>::wait_for(). InvalidArgument: the namespace is not one of
  ///   these.
  Result<void> wait_for(std::string_view namespace_, std::string_view resource_version,
                        Duration timeout, std::stop_token stop = {}) const {
    auto found = parts_.find(namespace_);
    if (found == parts_.end()) found = parts_.find(std::string_view());
    if (found != parts_.end())
      return found->second.lister.wait_for(resource_version, timeout, std::move(stop));
    return Error(ErrorCode::InvalidArgument,
                 "namespace \"" + std::string(namespace_) + "\" is not one of this lister's");
  }

  /// The listers, by namespace, for snapshot().
  const std::map<std::string, Part, std::less<>>& parts() const& { return parts_; }
  std::map<std::string, Part, std::less<>> parts() const&& { return parts_; }

  /// Returns the number of objects.
  std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& [namespace_, part] : parts_) sum += part.indexer.size();
    return sum;
  }

 private:
  static std::string_view namespace_of(std::string_view key) {
    const std::size_t slash = key.find('/');
    return slash == std::string_view::npos ? std::string_view() : key.substr(0, slash);
  }
  /// The part that has the namespace, or any: it has no object of a namespace that is not its own.
  const Part& part(std::string_view namespace_) const {
    const auto found = parts_.find(namespace_);
    return found == parts_.end() ? parts_.begin()->second : found->second;
  }

  template <class Query>
  Result<CachedList<T>> all(const Query& query) const {
    std::vector<Cached<T>> objects;
    for (const auto& [namespace_, part] : parts_) {
      Result<CachedList<T>> found = query(part);
      if (!found) return found.error();
      std::vector<Cached<T>> more = *std::move(found);
      if (objects.empty()) {
        objects = std::move(more);
      } else {
        objects.insert(objects.end(), std::move_iterator(more.begin()),
                       std::move_iterator(more.end()));
      }
    }
    return CachedList<T>(std::move(objects));
  }

  std::map<std::string, Part, std::less<>> parts_;
};

}  // namespace kube
