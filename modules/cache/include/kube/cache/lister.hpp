// SPDX-License-Identifier: Apache-2.0
//
// kube::Lister<T>: get and list like an API client's, but from an informer's store.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/cached_list.hpp>
#include <kube/cache/detail/cached_queries.hpp>
#include <kube/cache/detail/store.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/names/labels.hpp>
#include <kube/names/object_key.hpp>

namespace kube {

/// The objects of one namespace; a cheap handle to an informer's store.
/// @par Thread safety   All functions may be called from any thread.
template <Object T>
class NamespaceLister {
 public:
  NamespaceLister(std::shared_ptr<const cache::Store> store, std::string namespace_)
      : store_(std::move(store)), scope_(std::move(namespace_)) {}

  /// @par Errors   NotFound (is_not_found()).
  Result<Cached<T>> get(std::string_view name) const {
    Cached<T> object(store_->get(scope_, name));
    if (!object) return store_->not_found(name);
    return object;
  }
  /// Like get(), but returns an empty Cached when there is no such object.
  Cached<T> find(std::string_view name) const { return Cached<T>(store_->get(scope_, name)); }
  CachedList<T> list() const {
    cache::CachedSink<T> sink;
    if (scope_.empty()) {
      store_->list(sink);
    } else {
      // The namespace index always exists.
      static_cast<void>(store_->by_index(kNamespaceIndex, scope_, sink));
    }
    return sink.take();
  }

  /// Returns the objects whose labels match.
  /// @par Errors   Decode: the labels of an object can't be read.
  Result<CachedList<T>> list(const labels::Selector& selector) const {
    if (selector == labels::Selector::nothing()) return CachedList<T>();
    return cache::keep_matching<T>(list(), selector);
  }

 private:
  std::shared_ptr<const cache::Store> store_;
  std::string scope_;
};

/// A cheap handle to an informer's store; copies share it. Stays readable after the informer has
/// stopped. Results are in no particular order, each from one state of the store.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Cost   get() and find() are a hash look-up, no allocation. A label selector reads labels
///   from the objects' bytes; nothing is decoded.
template <Object T>
class Lister {
 public:
  explicit Lister(std::shared_ptr<const cache::Store> store) : all_(store, {}), store_(store) {}

  /// `key` is "namespace/name" or "name".
  /// @par Errors   NotFound (is_not_found()).
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

  /// Like get(), but returns an empty Cached when there is no such object.
  ///
  ///     if (const auto pod = lister.find(key)) nodes.insert(pod->spec.node_name);
  Cached<T> find(std::string_view key) const { return Cached<T>(store_->get(key)); }
  Cached<T> find(const ObjectKey& key) const {
    return Cached<T>(store_->get(key.namespace_, key.name));
  }

  CachedList<T> list() const { return all_.list(); }

  /// Returns the objects whose labels match.
  /// @par Errors   Decode: the labels of an object can't be read.
  Result<CachedList<T>> list(const labels::Selector& selector) const { return all_.list(selector); }

  /// Returns the lister of one namespace; "" for all namespaces.
  NamespaceLister<T> in_namespace(std::string namespace_) const {
    return NamespaceLister<T>(store_, std::move(namespace_));
  }

 private:
  NamespaceLister<T> all_;
  std::shared_ptr<const cache::Store> store_;
};

}  // namespace kube
