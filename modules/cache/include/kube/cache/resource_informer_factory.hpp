// SPDX-License-Identifier: Apache-2.0
//
// kube::DynamicSharedInformerFactory and kube::MetadataSharedInformerFactory: informers of
// resources that a program knows by name alone, such as custom resources (client-go's
// dynamicinformer and metadatainformer).
//
//   // The example.com widgets with app=web in namespace web.
//   DynamicSharedInformerFactory dynamic(client.rest(),
//                                        {.namespace_ = "web", .label_selector = "app=web"});
//   auto widgets = dynamic.for_resource({"example.com", "v1", "widgets"});
//
//   // Only the metadata of all secrets: the server sends nothing else.
//   MetadataSharedInformerFactory metadata(client.rest());
//   auto secrets = metadata.for_resource({"", "v1", "secrets"});
//   metadata.start(stop);
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kube/cache/shared_informer_factory.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/meta/partial_object_metadata.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// Returns a resource by its name alone: the facts of a built-in one; of any other one the name, as
/// a namespaced resource without a kind, which is enough to list and watch it where the items of
/// lists name their kind, as those of custom resources do. For an aggregated API whose items do
/// not, ask a RestMapper and SharedInformerFactory::for_resource().
/// @par Thread safety   Any thread may call it.
meta::ResourceInfo resource_by_name(const meta::GroupVersionResource& resource);

/// A SharedInformerFactory whose informers all have objects of one type, and are asked for by the
/// name of a resource; no request is sent for that. A resource that the server does not have is
/// listed again and again, as by any informer: see InformerStatus::last_error.
///
/// Namespace and selectors of `defaults` filter all informers that are asked for without options
/// (client-go's NewFilteredDynamicSharedInformerFactory).
///
/// @par Thread safety   As SharedInformerFactory.
/// @par Ownership   As SharedInformerFactory.
template <Object T>
class ResourceInformerFactory {
 public:
  explicit ResourceInformerFactory(RestClient client, InformerOptions defaults = {})
      : factory_(std::move(client), std::move(defaults)) {}

  /// Returns the informer of a resource; makes one when there is none.
  std::shared_ptr<SharedInformer<T>> for_resource(const meta::GroupVersionResource& resource) {
    return factory_.informer<T>(resource_by_name(resource), std::nullopt);
  }
  std::shared_ptr<SharedInformer<T>> for_resource(const meta::GroupVersionResource& resource,
                                                  InformerOptions options) {
    return factory_.informer<T>(resource_by_name(resource), std::move(options));
  }

  /// As SharedInformerFactory::acquire().
  InformerHandle<T> acquire(const meta::GroupVersionResource& resource) {
    return factory_.acquire<T>(resource_by_name(resource), std::nullopt);
  }
  InformerHandle<T> acquire(const meta::GroupVersionResource& resource, InformerOptions options) {
    return factory_.acquire<T>(resource_by_name(resource), std::move(options));
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
  SharedInformerFactory factory_;
};

/// Its informers have untyped objects.
using DynamicSharedInformerFactory = ResourceInformerFactory<Unstructured>;
/// Its informers request, and store, the metadata of the objects alone.
using MetadataSharedInformerFactory = ResourceInformerFactory<meta::PartialObjectMetadata>;

}  // namespace kube
