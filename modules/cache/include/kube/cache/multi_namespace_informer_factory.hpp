// SPDX-License-Identifier: Apache-2.0
//
// kube::MultiNamespaceInformerFactory: a SharedInformerFactory for a program that reads several
// namespaces, with one informer, lister and registration over all of them for each resource.
//
//   MultiNamespaceInformerFactory factory(client.rest(), {"web", "jobs"});
//   auto pods = factory.informer<Pod>();
//   factory.start(stop);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kube/cache/multi_namespace_informer.hpp>
#include <kube/cache/shared_informer_factory.hpp>

namespace kube {

/// A counted use of the informers of several namespaces, as InformerHandle<T>: with the last handle
/// of them, their watches are closed.
///
/// @par Lifetimes   A temporary handle gives no access, as that of InformerHandle<T>.
/// @par Thread safety   One thread at a time for one handle; the informers' functions from any.
/// @par Blocks   The release of the last handle: as SharedInformer::stop_and_wait().
template <Object T>
class [[nodiscard]] MultiNamespaceInformerHandle {
 public:
  MultiNamespaceInformerHandle() noexcept = default;  ///< No informer.

  explicit operator bool() const { return informer_.has_value(); }
  /// These two require an informer. A copy of `*` lasts as long as the handle.
  MultiNamespaceInformer<T>& operator*() & { return *informer_; }
  MultiNamespaceInformer<T>* operator->() & { return &*informer_; }
  MultiNamespaceInformer<T>& operator*() && = delete;   // Give the handle a name first.
  MultiNamespaceInformer<T>* operator->() && = delete;  // Give the handle a name first.

  /// Ends the use. Idempotent.
  void release() {
    informer_.reset();
    uses_.clear();
  }

 private:
  friend class MultiNamespaceInformerFactory;
  std::vector<InformerHandle<T>> uses_;  // ends last
  std::optional<MultiNamespaceInformer<T>> informer_;
};

/// @par Thread safety   As SharedInformerFactory.
/// @par Ownership   As SharedInformerFactory.
class MultiNamespaceInformerFactory {
 public:
  /// `namespaces`: none, or one of them "", is all namespaces. Cluster-scoped resources are listed
  /// once. `defaults`: see SharedInformerFactory; their namespace is not used.
  MultiNamespaceInformerFactory(RestClient client, std::vector<std::string> namespaces,
                                InformerOptions defaults = {})
      : namespaces_(std::move(namespaces)),
        defaults_(std::move(defaults)),
        factory_(std::move(client), defaults_) {}

  /// As SharedInformerFactory::configure(); called for each namespace's informer.
  template <Object T>
  void configure(std::function<void(SharedInformer<T>&)> function) {
    factory_.configure<T>(std::move(function));
  }
  /// As SharedInformerFactory::configure_options(); called for each namespace's informer.
  template <Object T>
  void configure_options(std::function<void(InformerOptions&)> function) {
    factory_.configure_options<T>(std::move(function));
  }

  /// Returns the informers of a type: those that exist for it, or new ones, which the next start()
  /// starts.
  template <Described T>
  MultiNamespaceInformer<T> informer() {
    return informer<T>(meta::resource_of<T>(), defaults_);
  }
  template <Described T>
  MultiNamespaceInformer<T> informer(const InformerOptions& options) {
    return informer<T>(meta::resource_of<T>(), options);
  }
  /// The same for any resource: untyped objects, or meta::PartialObjectMetadata.
  template <Object T>
  MultiNamespaceInformer<T> informer(const meta::ResourceInfo& resource,
                                     const InformerOptions& options) {
    return MultiNamespaceInformer<T>(
        MultiNamespaceInformer<T>::make(resource, namespaces_, [&](const std::string& namespace_) {
          InformerOptions own = options;
          own.namespace_ = namespace_;
          return factory_.informer<T>(resource, std::move(own));
        }));
  }
  MultiNamespaceInformer<Unstructured> for_resource(const meta::ResourceInfo& resource) {
    return informer<Unstructured>(resource, defaults_);
  }

  /// Returns a handle of the informers that informer() would return; see
  /// SharedInformerFactory::acquire().
  template <Described T>
  MultiNamespaceInformerHandle<T> acquire() {
    return acquire<T>(meta::resource_of<T>(), defaults_);
  }
  template <Described T>
  MultiNamespaceInformerHandle<T> acquire(const InformerOptions& options) {
    return acquire<T>(meta::resource_of<T>(), options);
  }
  template <Object T>
  MultiNamespaceInformerHandle<T> acquire(const meta::ResourceInfo& resource,
                                          const InformerOptions& options) {
    MultiNamespaceInformerHandle<T> handle;
    handle.informer_.emplace(
        MultiNamespaceInformer<T>::make(resource, namespaces_, [&](const std::string& namespace_) {
          InformerOptions own = options;
          own.namespace_ = namespace_;
          handle.uses_.push_back(factory_.acquire<T>(resource, std::optional(std::move(own))));
          return handle.uses_.back().informer_;
        }));
    return handle;
  }

  /// As those of SharedInformerFactory.
  void start(std::stop_token stop = {}) { factory_.start(std::move(stop)); }
  SyncResult wait_for_cache_sync(std::stop_token stop = {}) const {
    return factory_.wait_for_cache_sync(std::move(stop));
  }
  void shutdown() { factory_.shutdown(); }
  bool is_shut_down() const { return factory_.is_shut_down(); }
  std::vector<std::pair<std::string, InformerStatus>> status() const { return factory_.status(); }
  /// The factory of the informers, for check_health().
  const SharedInformerFactory& informers() const { return factory_; }

 private:
  const std::vector<std::string> namespaces_;
  const InformerOptions defaults_;
  SharedInformerFactory factory_;
};

}  // namespace kube
