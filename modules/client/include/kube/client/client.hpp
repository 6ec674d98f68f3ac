// SPDX-License-Identifier: Apache-2.0
//
// kube::Client: a client of one cluster, from which programs make their Api<T> handles.
//
//   auto config = kube::rest::default_config();  // KUBECONFIG, ~/.kube/config, or in a pod
//   if (!config) return config.error();
//   auto client = kube::Client::create(*config);
//   if (!client) return client.error();
//   auto pods = client->api<kube::core::v1::Pod>("default").list_all();
//   if (!pods) return pods.error();
//   for (const auto& pod : *pods) std::cout << pod.metadata.name << "\n";
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/mistake.hpp>
#include <kube/base/runtime.hpp>
#include <kube/client/api.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/client/server_version.hpp>
#include <kube/client/warnings.hpp>
#include <kube/codec/object.hpp>
#include <kube/config/config.hpp>
#include <kube/meta/partial_object_metadata.hpp>

namespace kube {

struct ClientOptions {
  /// Executors, clock, logger and metrics. Without an executor the client makes two ThreadPools,
  /// one for its own work and one for event handlers, which live as long as anything that was made
  /// from the client.
  Runtime runtime{};
  std::size_t threads = 2;  ///< Threads of the pool for its own work.
  /// Threads of the pool for event handlers: how many handlers may block before others have to
  /// wait.
  std::size_t handler_threads = 2;
  std::shared_ptr<transport::RoundTripper> transport{};     ///< Null: CurlTransport.
  std::shared_ptr<rest::WarningHandler> warning_handler{};  ///< Null: warnings are logged.
};

/// A cheap handle: copies, and the Api<T> made from it, share connections, credentials, limits and
/// threads. Copies compare equal.
///
/// @par Thread safety   All functions may be called from any thread.
class Client {
 public:
  /// Sends nothing: an unreachable server is reported by the first request.
  /// @par Errors   As RestClient::create().
  static Result<Client> create(const rest::Config& config, ClientOptions options = {});

  /// Returns the API of cluster-scoped objects, or of the objects of all namespaces.
  template <ApiObject T>
  requires Described<T> Api<T> api()
  const { return Api<T>(RawApi(rest_, meta::resource_of<T>())); }
  /// Returns the API of the objects of one namespace.
  template <ApiObject T>
  requires Described<T> Api<T> api(std::string namespace_)
  const { return Api<T>(RawApi(rest_, meta::resource_of<T>(), std::move(namespace_))); }
  /// Returns the API of any resource, with untyped objects; RestMapper finds a resource by name.
  Api<Unstructured> api(meta::ResourceInfo resource, std::string namespace_ = {}) const {
    return Api<Unstructured>(RawApi(rest_, std::move(resource), std::move(namespace_)));
  }
  /// Returns the API of a resource of the server, by its apiVersion and its kind or name, with
  /// untyped objects: `client.api("example.com/v1", "Widget", "shop")`; "widgets", "widget" and the
  /// short names find it, too. mapper() finds the resource, and keeps up with definitions that come
  /// and go.
  /// @par Errors   InvalidArgument: the server has no such resource (is_no_match(), of
  ///   <kube/client/rest_mapper.hpp>), or the apiVersion is malformed. Those of
  ///   DeferredRestMapper::resource().
  /// @par Blocks   While discovery is read, which the first call does, or until `stop` is requested
  ///   (Cancelled).
  Result<Api<Unstructured>> api(std::string_view api_version, std::string_view kind,
                                std::string namespace_ = {}, std::stop_token stop = {}) const;
  /// Whether the server has a resource: `client.has_api("apps/v1", "deployments")`. True for what
  /// api() finds.
  /// @par Errors   As api() of these, without is_no_match().
  /// @par Blocks   As api() of these.
  Result<bool> has_api(std::string_view api_version, std::string_view name,
                       std::stop_token stop = {}) const;
  /// Asks the server for its version.
  /// @par Errors   As Discovery::server_version().
  /// @par Blocks   As Discovery.
  Result<ServerVersion> server_version(std::stop_token stop = {}) const;
  /// Returns the mapper of all clients of the configuration: RestClient::mapper().
  std::shared_ptr<const DeferredRestMapper> mapper() const { return rest_.mapper(); }

  /// Returns the API of the metadata of any resource's objects: responses are as small as they get,
  /// in protobuf where the server has it, for custom resources, too. SharedInformer of
  /// meta::PartialObjectMetadata caches them.
  Api<meta::PartialObjectMetadata> metadata(meta::ResourceInfo resource,
                                            std::string namespace_ = {}) const {
    return Api<meta::PartialObjectMetadata>(
        RawApi(rest_, std::move(resource), std::move(namespace_)));
  }

  const RestClient& rest() const& { return rest_; }
  RestClient rest() const&& { return rest_; }
  const Runtime& runtime() const& { return rest_.runtime(); }
  Runtime runtime() const&& { return rest_.runtime(); }
  /// Returns the namespace of the configuration, "default" if it has none.
  std::string default_namespace() const;

  friend bool operator==(const Client&, const Client&) = default;

  // What users of client-go and kube-rs write first.
  KUBE_MISTAKEN_NAME("kube::Client::create(config), which returns a Result")
  explicit Client(const rest::Config& config);
  KUBE_MISTAKE("Client::create(config), with kube::rest::default_config()", Result<Client>,
               static try_default());
  KUBE_MISTAKE("client.api<core::v1::Pod>(namespace), or kube::Clientset(client)", void,
               core_v1() const);
  KUBE_MISTAKE("client.api<apps::v1::Deployment>(namespace), or kube::Clientset(client)", void,
               apps_v1() const);

 private:
  explicit Client(RestClient rest) : rest_(std::move(rest)) {}
  RestClient rest_;
};

}  // namespace kube
