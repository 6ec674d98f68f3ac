// SPDX-License-Identifier: Apache-2.0
//
// kube::RestClient: requests to one API server: URL, credentials, headers, retries, errors. Api<T>
// and the informers stand on it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/config/config.hpp>
#include <kube/meta/group_version.hpp>
#include <kube/meta/options.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube {

/// The path of a collection, an object or a subresource:
/// /apis/apps/v1/namespaces/web/deployments/front/scale.
struct ResourcePath {
  meta::ResourceInfo resource{};
  std::string namespace_{};  ///< Empty: cluster scope, or all namespaces.
  std::string name{};        ///< Empty: the collection.
  std::string subresource{};

  /// InvalidArgument for a name or namespace that can't be a path segment, or a missing one.
  Result<std::string> to_path() const;
  /// "pods \"web-0\" in namespace \"default\"", for error contexts.
  std::string to_string() const;
};

/// A request in API terms.
struct Request {
  std::string verb{};  ///< "get", "list", "watch", "create", ...: for errors and metrics.
  std::string method = "GET";
  std::string path{};  ///< Absolute path of the API, without the host's base path.
  QueryParameters query{};
  std::string body{};
  std::string content_type{};              ///< Empty: application/json when there is a body.
  std::string accept = "application/json";
  std::string subject{};                   ///< What it is about, for errors.
  std::optional<std::chrono::milliseconds> timeout{};       ///< Overrides Config::timeout.
  std::optional<std::chrono::milliseconds> idle_timeout{};  ///< Streams: longest silence.
};

/// An answer with a code below 400. Anything else is an Error.
struct Response {
  int status = 0;
  transport::Headers headers{};
  std::string body{};
};

/// A cheap handle; copies share connections, credentials and limits.
///
/// @par Thread safety   All functions may be called from any thread.
class RestClient {
 public:
  /// `transport` replaces the real one (tests, simulation); when null one is made from `config`.
  static Result<RestClient> create(const rest::Config& config, Runtime runtime,
                                   std::shared_ptr<transport::RoundTripper> transport = nullptr);

  /// Sends a request and collects the answer. 429 and 5xx with Retry-After are tried again, up to
  /// ten times, as client-go does; so are connection failures of reads.
  ///
  /// @par Errors   Server with the whole Status (kube::meta::status_of), or the transport's codes.
  /// @par Blocks   Until answered; a stop request ends it with Cancelled (a write may have been done).
  Result<Response> send(const Request& request, std::stop_token stop) const;

  /// Starts a streaming request, without retries: head, bytes and end reach the handler on the I/O
  /// thread. An answer of 400 and above is not delivered as head and data but as one on_end() with
  /// the Error that its body amounts to.
  std::shared_ptr<transport::Exchange> start(const Request& request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) const;

  const Runtime& runtime() const;
  const rest::Config& config() const;

  friend bool operator==(const RestClient&, const RestClient&) = default;

 private:
  struct Impl;
  explicit RestClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace kube
