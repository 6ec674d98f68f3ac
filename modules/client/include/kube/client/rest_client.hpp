// SPDX-License-Identifier: Apache-2.0
//
// kube::RestClient: requests to one API server: URL, credentials, headers, retries, errors. Api<T>
// and the informers stand on it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/client/content.hpp>
#include <kube/client/warnings.hpp>
#include <kube/codec/query.hpp>
#include <kube/config/config.hpp>
#include <kube/names/group_version.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube {

/// The path of a collection, an object or a subresource:
/// /apis/apps/v1/namespaces/web/deployments/front/scale.
struct ResourcePath {
  meta::ResourceInfo resource{};
  std::string namespace_{};  ///< Empty: cluster scope, or all namespaces.
  std::string name{};        ///< Empty: the collection.
  std::string subresource{};

  /// InvalidArgument for a name or namespace that can't be a path segment, a missing one, or one
  /// too many (the namespace of a cluster-scoped resource).
  Result<std::string> to_path() const;
  /// "pods \"web-0\" in namespace \"default\"", "deployments.apps/scale \"web\" in namespace ...",
  /// "pods in all namespaces": for error contexts.
  std::string to_string() const;
};

/// A request in API terms.
struct Request {
  std::string verb{};  ///< "get", "list", "watch", "create", ...: for errors and metrics.
  std::string method = "GET";
  std::string path{};  ///< Absolute path of the API, without the host's base path.
  QueryParameters query{};
  std::string body{};
  std::string content_type{};  ///< Empty: application/json when there is a body.
  std::string accept = "application/json";
  std::string subject{};  ///< What it is about, for errors.
  /// Overrides Config::timeout. Bounds all attempts together, without the wait for our own rate
  /// limit, and tells the server by the parameter "timeout".
  std::optional<std::chrono::milliseconds> timeout{};
  /// Longest silence of the server, 0: no bound. Unset: Config::idle_timeout for send(), none for
  /// start().
  std::optional<std::chrono::milliseconds> idle_timeout{};
  /// Of start(): until the answer begins, 0: no bound. Unset: 30 s for the verb "watch", which API
  /// servers answer at once, none for others.
  std::optional<std::chrono::milliseconds> head_timeout{};
  int max_retries = 10;  ///< Of send(); 0 or less: one attempt.
  /// The longest wait that a server may ask for by Retry-After. When it asks for more, its answer
  /// is the error, whose text and retry_after() tell the delay.
  std::chrono::seconds max_retry_after{60};
  std::size_t max_bytes = std::size_t{1}
                          << 30;  ///< Of an answer to send(); Decode if it is longer.
  std::shared_ptr<rest::WarningHandler> warning_handler{};  ///< Empty: the client's.
  /// What a made-up error (of an answer without a Status) is about.
  meta::GroupResource resource{};
  std::string name{};
};

/// An answer with a code from 200 to 206. Anything else is an Error.
struct Response {
  int status = 0;
  transport::Headers headers{};
  std::string body{};
};

/// A cheap handle; copies share connections, credentials and limits, and compare equal.
///
/// Counts rest_client_requests_total{code,method,host} and
/// rest_client_request_retries_total{code,verb,host} for each attempt, and
/// rest_client_request_duration_seconds{verb,host} and
/// rest_client_rate_limiter_duration_seconds{verb,host} for each request.
///
/// @par Thread safety   All functions may be called from any thread; send() not from a handler.
class RestClient {
 public:
  /// `transport` replaces the real one (tests, simulation); when null one is made from `config`.
  /// `warnings` hears what servers say in Warning headers; when null they are logged, each text
  /// once.
  /// @par Errors   Config: rest::validate(). Credentials: token file, certificates.
  static Result<RestClient> create(const rest::Config& config, Runtime runtime,
                                   std::shared_ptr<transport::RoundTripper> transport = nullptr,
                                   std::shared_ptr<rest::WarningHandler> warnings = nullptr);

  /// Sends a request and collects the answer. 429 and 5xx with Retry-After are tried again, up to
  /// Request::max_retries times, as client-go does; so are GETs whose connection was lost (but not
  /// those that never had one: a server that is down is reported at once). No other request is
  /// repeated: it may have been carried out, which its error says.
  ///
  /// Retry-After in seconds is obeyed up to Request::max_retry_after, where client-go waits for a
  /// year when it is told to; a date or anything else in it counts as none.
  ///
  /// @par Errors   Server with the whole Status (kube::meta::status_of), or the transport's codes.
  ///   Timeout after Request::timeout, else Config::timeout of an attempt, or when the server was
  ///   silent for idle_timeout.
  /// @par Blocks   Until answered, which has no other bound than these timeouts: a server that
  ///   sends a byte now and then holds the caller until Request::max_bytes are there. A stop
  ///   request ends it with Cancelled (a write may have been done). Not on the transport's I/O
  ///   thread.
  Result<Response> send(const Request& request, std::stop_token stop) const;

  /// Starts a streaming request, without retries and without our own rate limit: head, bytes and
  /// end reach the handler on the I/O thread. An answer outside 200 to 206 is not delivered as head
  /// and data but as one on_end() with the Error that its body amounts to: at most 1 MiB of it is
  /// read, and for 10 s at most, then the exchange is ended.
  std::shared_ptr<transport::Exchange> start(const Request& request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) const;

  /// How to speak of a resource: by the configuration and by what the server has refused before.
  /// `has_protobuf`: whether the caller's type can be written and read as protobuf.
  ContentChoice content_for(const meta::GroupResource& resource, bool has_protobuf) const;
  /// Learns from an error of a request that was `sent` so. After a 415 bodies for the resource are
  /// JSON, after a 406 only JSON is asked for, as long as this client and its copies live. True
  /// when the request is worth to be sent again, with what content_for() says now.
  bool learn(const meta::GroupResource& resource, const ContentChoice& sent,
             const Error& error) const;

  const Runtime& runtime() const&;
  Runtime runtime() const&& { return runtime(); }
  const rest::Config& config() const&;
  rest::Config config() const&& { return config(); }
  /// Where the request goes, query included; for messages without secrets.
  std::string url(const Request& request) const;

  friend bool operator==(const RestClient&, const RestClient&) = default;

 private:
  struct Impl;
  explicit RestClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace kube
