// SPDX-License-Identifier: Apache-2.0
//
// kube::Lister<T>: get and list like an API client's, but from an informer's store.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/cached_list.hpp>
#include <kube/cache/detail/cached_queries.hpp>
#include <kube/cache/detail/freshness.hpp>
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

  /// Returns the objects whose labels match. Looks only at the objects that an index by one of the
  /// labels finds (index_by_label()), when the selector requires values of that label.
  /// @par Errors   Decode: the labels of an object can't be read. Not with such an index: an object
  ///   whose labels can't be read is not in it, was counted as an index function that failed, and
  ///   is left out.
  Result<CachedList<T>> list(const labels::Selector& selector) const {
    if (selector == labels::Selector::nothing()) return CachedList<T>();
    if (selector.empty()) return list();
    cache::CachedSink<T> sink;
    if (store_->list_candidates(scope_, selector, sink)) return sink.take();
    return cache::keep_matching<T>(sink.take(), scope_, selector);
  }

 private:
  std::shared_ptr<const cache::Store> store_;
  std::string scope_;
};

/// A cheap handle to the store of an informer or of a Store<T>; copies share it. Stays readable
/// after the informer has stopped. Results are in no particular order, each from one state of the
/// store.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Cost   get() and find() are a hash look-up, no allocation, no lock. A label selector reads
///   labels from the objects' bytes; nothing is decoded. It looks at all objects of the namespace,
///   or at those that an index_by_label() finds.
template <Object T>
class Lister {
 public:
  explicit Lister(std::shared_ptr<const cache::Store> store,
                  std::shared_ptr<const cache::Freshness> freshness = {})
      : all_(store, {}), store_(store), freshness_(std::move(freshness)) {}

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
  /// @par Errors   As NamespaceLister::list().
  Result<CachedList<T>> list(const labels::Selector& selector) const { return all_.list(selector); }

  /// Waits until the cache has reached a resourceVersion; see SharedInformer::wait_for().
  /// @par Errors   Those of SharedInformer::wait_for(); InvalidArgument: no informer writes this
  ///   cache.
  /// @par Blocks   As SharedInformer::wait_for().
  Result<void> wait_for(std::string_view resource_version, Duration timeout,
                        std::stop_token stop = {}) const {
    if (freshness_) return freshness_->wait_for(resource_version, timeout, std::move(stop));
    return Error(ErrorCode::InvalidArgument, "this lister has no informer to wait for");
  }

  /// Returns the lister of one namespace; "" for all namespaces.
  NamespaceLister<T> in_namespace(std::string namespace_) const {
    return NamespaceLister<T>(store_, std::move(namespace_));
  }

  /// The store, for snapshot().
  const std::shared_ptr<const cache::Store>& store() const& { return store_; }
  std::shared_ptr<const cache::Store> store() const&& { return store_; }

 private:
  NamespaceLister<T> all_;
  std::shared_ptr<const cache::Store> store_;
  std::shared_ptr<const cache::Freshness> freshness_;
};

}  // namespace kube
