// SPDX-License-Identifier: Apache-2.0
//
// kube::Lister<T>: what an API client's get and list are, answered from an informer's store.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/cached_list.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/cache/store.hpp>
#include <kube/names/labels.hpp>
#include <kube/names/object_key.hpp>

namespace kube {

namespace cache {

/// Keeps the objects whose labels match. Reads them from undecoded bytes where there are any.
template <Object T>
Result<CachedList<T>> keep_matching(CachedList<T> objects, const labels::Selector& selector) {
  if (selector.empty()) return objects;
  std::vector<Cached<T>> kept;
  for (Cached<T>& object : objects) {
    bool matches = false;
    if (object.cell().body().empty()) {
      auto decoded = object.get();
      if (!decoded) return decoded.error();
      if constexpr (Described<T>) {
        matches = selector.matches((*decoded)->metadata.labels);
      } else {
        matches = selector.matches((*decoded)->labels());
      }
    } else {
      auto matched = matches_labels(object.cell(), selector);
      if (!matched) return matched.error().with_context(object.key());
      matches = *matched;
    }
    if (matches) kept.push_back(std::move(object));
  }
  return kept;
}

}  // namespace cache

/// The objects of one namespace.
template <Object T>
class NamespaceLister {
 public:
  NamespaceLister(std::shared_ptr<const cache::Store> store, std::string namespace_)
      : store_(std::move(store)), scope_(std::move(namespace_)) {}

  /// is_not_found() when there is none.
  Result<Cached<T>> get(std::string_view name) const {
    Cached<T> object(store_->get(scope_, name));
    if (!object) return store_->not_found(name);
    return object;
  }
  /// Empty when there is none.
  Cached<T> find(std::string_view name) const { return Cached<T>(store_->get(scope_, name)); }
  CachedList<T> list() const {
    cache::CachedSink<T> sink;
    if (scope_.empty()) {
      store_->list(sink);
    } else {
      // The namespace index is always there.
      static_cast<void>(store_->by_index(kNamespaceIndex, scope_, sink));
    }
    return sink.take();
  }
  /// Those whose labels match; Decode when the bytes of one can't be read.
  Result<CachedList<T>> list(const labels::Selector& selector) const {
    if (selector == labels::Selector::nothing()) return CachedList<T>();
    return cache::keep_matching<T>(list(), selector);
  }

 private:
  std::shared_ptr<const cache::Store> store_;
  std::string scope_;
};

/// A cheap handle on an informer's store; copies share it. Stays readable when the informer has
/// stopped. Results are in no particular order, each from one state of the store.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Cost   get() and find() are a hash look-up, no allocation. A label selector reads labels
///   from the objects' bytes; nothing is decoded.
template <Object T>
class Lister {
 public:
  explicit Lister(std::shared_ptr<const cache::Store> store) : all_(store, {}), store_(store) {}

  /// By key, "namespace/name" or "name". is_not_found() when there is none.
  Result<Cached<T>> get(std::string_view key) const {
    Cached<T> object(store_->get(key));
    if (!object) return store_->not_found(key.substr(key.find('/') + 1));
    return object;
  }
  Result<Cached<T>> get(std::string_view namespace_, std::string_view name) const {
    Cached<T> object(store_->get(namespace_, name));
    if (!object) return store_->not_found(name);
    return object;
  }
  Result<Cached<T>> get(const ObjectKey& key) const { return get(key.namespace_, key.name); }

  /// The same for those who are not surprised: empty when there is none.
  ///
  ///     if (const auto pod = lister.find(key)) nodes.insert(pod->spec.node_name);
  Cached<T> find(std::string_view key) const { return Cached<T>(store_->get(key)); }
  Cached<T> find(const ObjectKey& key) const {
    return Cached<T>(store_->get(key.namespace_, key.name));
  }

  CachedList<T> list() const { return all_.list(); }
  /// Those whose labels match; Decode when the bytes of one can't be read.
  Result<CachedList<T>> list(const labels::Selector& selector) const { return all_.list(selector); }

  /// One namespace; "" is all of them.
  NamespaceLister<T> in_namespace(std::string namespace_) const {
    return NamespaceLister<T>(store_, std::move(namespace_));
  }

 private:
  NamespaceLister<T> all_;
  std::shared_ptr<const cache::Store> store_;
};

}  // namespace kube
