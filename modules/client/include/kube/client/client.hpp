// SPDX-License-Identifier: Apache-2.0
//
// kube::Client: the door to a cluster.
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
#include <string>

#include <kube/base/runtime.hpp>
#include <kube/client/api.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/client/warnings.hpp>
#include <kube/codec/object.hpp>
#include <kube/config/config.hpp>

namespace kube {

struct ClientOptions {
  /// Where callbacks run, what time it is, where to log and count. Without an executor the client
  /// makes two ThreadPools, one for its own work and one for event handlers, which live as long as
  /// anything made from the client.
  Runtime runtime{};
  std::size_t threads = 2;  ///< Of the pool for its own work.
  /// Of the pool for event handlers: so many of them may block before the others wait.
  std::size_t handler_threads = 2;
  std::shared_ptr<transport::RoundTripper> transport{};     ///< Empty: the real one.
  std::shared_ptr<rest::WarningHandler> warning_handler{};  ///< Empty: warnings are logged.
};

/// A cheap handle: copies, and the Api<T> made from it, share connections, credentials, limits and
/// threads. Copies compare equal.
///
/// @par Thread safety   All functions may be called from any thread.
class Client {
 public:
  /// Sends nothing; a server that is down shows in the first request.
  /// @par Errors   Those of RestClient::create().
  static Result<Client> create(const rest::Config& config, ClientOptions options = {});

  /// Objects of the cluster, or of all namespaces.
  template <ApiObject T>
  requires Described<T> Api<T> api()
  const { return Api<T>(RawApi(rest_, meta::resource_of<T>())); }
  /// Objects of a namespace.
  template <ApiObject T>
  requires Described<T> Api<T> api(std::string namespace_)
  const { return Api<T>(RawApi(rest_, meta::resource_of<T>(), std::move(namespace_))); }
  /// Any resource without a type of its own; RestMapper finds it by name.
  Api<Unstructured> api(meta::ResourceInfo resource, std::string namespace_ = {}) const {
    return Api<Unstructured>(RawApi(rest_, std::move(resource), std::move(namespace_)));
  }

  const RestClient& rest() const& { return rest_; }
  RestClient rest() const&& { return rest_; }
  const Runtime& runtime() const& { return rest_.runtime(); }
  Runtime runtime() const&& { return rest_.runtime(); }
  /// The namespace of the configuration, "default" if it names none.
  std::string default_namespace() const;

  friend bool operator==(const Client&, const Client&) = default;

 private:
  explicit Client(RestClient rest) : rest_(std::move(rest)) {}
  RestClient rest_;
};

}  // namespace kube
