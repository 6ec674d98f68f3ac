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

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/meta/partial_object_metadata.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// Returns a resource by its name alone: the facts of a built-in one; of any other one the name, as
/// a namespaced resource without a kind, which is enough to list and watch it where the items of
/// lists name their kind, as those of custom resources do. For an aggregated API whose items do
/// not, use ResourceInformerFactory::for_kind().
/// @par Thread safety   Any thread may call it.
meta::ResourceInfo resource_by_name(const meta::GroupVersionResource& resource);

/// Returns a resource by its apiVersion and its kind or name, as RestClient::mapper() finds it.
/// @par Errors   As Client::api() of an apiVersion and a kind.
/// @par Blocks   As Client::api() of an apiVersion and a kind.
/// @par Thread safety   Any thread may call it.
Result<meta::ResourceInfo> resource_by_kind(const RestClient& client, std::string_view api_version,
                                            std::string_view kind, std::stop_token stop);

/// A SharedInformerFactory whose informers all have objects of one type, and are asked for by the
/// name of a resource; no request is sent for that, but by for_kind(). A resource that the server
/// does not have is listed again and again, as by any informer: see InformerStatus::last_error.
///
/// Namespace and selectors of `defaults` filter all informers that are asked for without options
/// (client-go's NewFilteredDynamicSharedInformerFactory).
///
/// @par Thread safety   As SharedInformerFactory.
/// @par Ownership   As SharedInformerFactory.
template <Object T>
class ResourceInformerFactory {
 public:
  explicit ResourceInformerFactory(const RestClient& client, InformerOptions defaults = {})
      : client_(client), factory_(client, std::move(defaults)) {}

  /// As SharedInformerFactory::configure(). SharedInformer::resource() tells which one it is.
  void configure(std::function<void(SharedInformer<T>&)> function) {
    factory_.configure<T>(std::move(function));
  }
  /// As SharedInformerFactory::configure_options(), for the informers of all resources.
  void configure_options(std::function<void(InformerOptions&)> function) {
    factory_.configure_options<T>(std::move(function));
  }

  /// Returns the informer of a resource; makes one when there is none.
  std::shared_ptr<SharedInformer<T>> for_resource(const meta::GroupVersionResource& resource) {
    return factory_.informer<T>(resource_by_name(resource), std::nullopt);
  }
  std::shared_ptr<SharedInformer<T>> for_resource(const meta::GroupVersionResource& resource,
                                                  InformerOptions options) {
    return factory_.informer<T>(resource_by_name(resource), std::move(options));
  }

  /// Returns the informer of a resource that the server has, by its apiVersion and its kind or
  /// name: `dynamic.for_kind("example.com/v1", "Widget")`. It is that of for_resource().
  /// @par Errors   InvalidArgument: the server has no such resource (is_no_match()). Those of
  ///   Client::api() of an apiVersion and a kind.
  /// @par Blocks   While the mapper of the client reads discovery, which the first call does, or
  ///   until `stop` is requested (Cancelled).
  Result<std::shared_ptr<SharedInformer<T>>> for_kind(
      std::string_view api_version, std::string_view kind,
      const std::optional<InformerOptions>& options = std::nullopt, std::stop_token stop = {}) {
    const auto resource = resource_by_kind(client_, api_version, kind, std::move(stop));
    if (!resource) return resource.error();
    return factory_.informer<T>(*resource, options);
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
  RestClient client_;
  SharedInformerFactory factory_;
};

/// Its informers have untyped objects.
using DynamicSharedInformerFactory = ResourceInformerFactory<Unstructured>;
/// Its informers request, and store, the metadata of the objects alone.
using MetadataSharedInformerFactory = ResourceInformerFactory<meta::PartialObjectMetadata>;

}  // namespace kube
