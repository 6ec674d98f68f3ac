// SPDX-License-Identifier: Apache-2.0
//
// kube::RestClient: requests to one API server, with URL, credentials, headers, retries and errors.
// Api<T> and the informers use it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/flow_control.hpp>
#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/client/backoff_manager.hpp>
#include <kube/client/content.hpp>
#include <kube/client/warnings.hpp>
#include <kube/codec/query.hpp>
#include <kube/config/config.hpp>
#include <kube/names/group_version.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube {

class Client;
class DeferredRestMapper;
namespace detail {
class AsyncCall;
}

/// The path of a collection, an object or a subresource:
/// /apis/apps/v1/namespaces/web/deployments/front/scale.
/// @par Thread safety   A value.
struct ResourcePath {
  meta::ResourceInfo resource{};
  std::string namespace_{};  ///< Empty for cluster scope and for all namespaces.
  std::string name{};        ///< Empty: the collection.
  std::string subresource{};

  /// @par Errors   InvalidArgument: a name or namespace that can't be a path segment, that is
  ///   missing, or that the resource does not have (the namespace of a cluster-scoped resource).
  Result<std::string> to_path() const;
  /// "pods \"web-0\" in namespace \"default\"", "deployments.apps/scale \"web\" in namespace ...",
  /// "pods in all namespaces": for error contexts.
  std::string to_string() const;
};

/// The end of a call.
struct CallBound {
  TimePoint deadline{};
  Duration within{};  ///< What the call was given, for errors: "did not end within 3s".
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
  std::string upgrade{};  ///< For start(): see transport::HttpRequest::upgrade.
  std::string subject{};  ///< The resource or object that it is about, for errors.
  /// Overrides Config::timeout. Limits all attempts together, without the wait for the client's own
  /// rate limit, and is passed to the server in the parameter "timeout".
  std::optional<std::chrono::milliseconds> timeout{};
  /// Ends send() as a whole: the wait for the rate limit, all attempts, and the pauses between
  /// them; an attempt ends by it or by its own timeout, whichever comes first. For start() it ends
  /// the exchange, but of a watch only the wait for its beginning. The server does not see it.
  std::optional<CallBound> bound{};
  /// The maximum time without a byte from the server, 0 for none. Unset: for send(),
  /// Config::idle_timeout, or the timeout if that is longer; none for start(). `bound` does not
  /// lengthen it.
  std::optional<std::chrono::milliseconds> idle_timeout{};
  /// For start(): the maximum time until the response begins, 0 for none. Unset: 30 s for the verb
  /// "watch", to which API servers respond at once, none for others.
  std::optional<std::chrono::milliseconds> head_timeout{};
  /// Replaces Config::retry as a whole, with the defaults of the members that are not named. Not
  /// for start(), which has no retries.
  std::optional<rest::RetryPolicy> retry{};
  std::size_t max_bytes = std::size_t{1}
                          << 30;  ///< The maximum response to send(); longer ones are Decode.
  std::shared_ptr<rest::WarningHandler> warning_handler{};  ///< Empty: the client's.
  /// The resource and the name in the error of a response without a Status.
  meta::GroupResource resource{};
  std::string name{};
  /// Sent instead of the client's headers of the same names. Authorization too: with it, the
  /// client's credentials are not sent.
  transport::Headers headers{};
  std::shared_ptr<flowcontrol::RateLimiter> rate_limiter{};  ///< Empty: the client's.
  std::shared_ptr<rest::BackoffManager> backoff{};           ///< Empty: the client's.
  /// `path` has the path of the host too, as a link in one of the server's pages.
  bool path_from_root = false;
};

/// A cheap handle; copies share connections, credentials and limits, and compare equal.
///
/// Records the metrics rest_client_requests_total{code,method,host} and
/// rest_client_request_retries_total{code,verb,host} for each attempt, and
/// rest_client_request_duration_seconds{verb,host} and
/// rest_client_rate_limiter_duration_seconds{verb,host} for each request.
///
/// @par Thread safety   All functions may be called from any thread; send() fails in a response
///   handler.
class RestClient {
 public:
  /// `transport` replaces the transport that `config` describes (tests, simulation). `warnings` is
  /// called for the Warning headers of responses; when null, each text is logged once.
  /// @par Errors   InvalidArgument without an executor. Config: see rest::validate(). Credentials:
  ///   a token file or certificate can't be read.
  static Result<RestClient> create(const rest::Config& config, Runtime runtime,
                                   std::shared_ptr<transport::RoundTripper> transport = nullptr,
                                   std::shared_ptr<rest::WarningHandler> warnings = nullptr);
  RestClient(const Client& client);  // implicit: where a RestClient is taken, so is a Client

  /// Sends a request and returns the response, which has a code from 200 to 206; anything else is
  /// an Error. What is sent again is said by Request::retry, else by Config::retry. No other
  /// request is repeated: it may have been carried out, and its error says so.
  ///
  /// Retry-After is obeyed in seconds or as a date; client-go ignores dates.
  ///
  /// @par Errors   Server with the whole Status (meta::status_of()). Unreachable and Credentials of
  ///   the transport. Timeout after Request::timeout, otherwise after Config::timeout for an
  ///   attempt, at Request::bound, or when the server sent nothing for idle_timeout. Decode for a
  ///   response of more than Request::max_bytes. Cancelled when `stop` is requested (a write may
  ///   have been carried out). InvalidArgument, at once and before anything is sent, where
  ///   responses are handled: in a handler of start(), a warning handler or a logger on the I/O
  ///   thread, which would wait for itself. So does every call of the library there that waits for
  ///   a server.
  /// @par Blocks   Until the response is complete. Only these timeouts limit it: a server that
  ///   sends a byte now and then blocks the caller until Request::max_bytes have arrived.
  Result<transport::HttpResponse> send(const Request& request, std::stop_token stop = {}) const;

  /// Starts a streaming request, without retries, without a pause of the backoff and without the
  /// client's own rate limit. The handler receives head, bytes and end on the I/O thread, and must
  /// not block there: what needs another response calls start(), or passes it to a thread. For a
  /// response outside 200 to 299 (206 for the verb "watch") it receives only one on_end(), with the
  /// Error that the body describes; at most 1 MiB of the body is read, for at most 10 s, before the
  /// exchange is ended.
  std::shared_ptr<transport::Exchange> start(const Request& request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop = {}) const;

  /// Returns the encodings for a resource, by the configuration and by the encodings that the
  /// server has refused. `has_protobuf`: the caller's type supports protobuf.
  ContentChoice content_for(const meta::GroupResource& resource, bool has_protobuf) const;
  /// Records the error of a request that was sent with the encodings `sent`. After a 415, bodies
  /// for the resource are JSON; after a 406, only JSON is requested; both for the lifetime of this
  /// client and its copies. Returns true when the request is worth resending with the current
  /// content_for().
  bool note_response(const meta::GroupResource& resource, const ContentChoice& sent,
                     const Error& error) const;

  /// Returns the mapper of all clients that are made from copies of one Config with the same clock
  /// and transport; it reads discovery when it is first used. A 404 that is not about an object or
  /// its namespace, heard by a client that has been asked for its mapper, makes it look for the
  /// resource again: DeferredRestMapper::not_served(). It uses the connections, executor, logger
  /// and metrics of the client that was first asked for it, and logs warnings. Include
  /// <kube/client/deferred_rest_mapper.hpp> to use it.
  std::shared_ptr<const DeferredRestMapper> mapper() const;

  const Runtime& runtime() const&;
  Runtime runtime() const&& { return runtime(); }
  const rest::Config& config() const&;
  rest::Config config() const&& { return config(); }
  /// Returns the URL of a request, with its query. Messages show transport::printable_url() of it.
  std::string url(const Request& request) const;

  /// Returns the path of the configured host, "" for none.
  std::string base_path() const;
  /// Returns the handler of warnings; never null.
  std::shared_ptr<rest::WarningHandler> warning_handler() const;

  friend bool operator==(const RestClient&, const RestClient&) = default;

 private:
  friend class RequestAttempts;
  friend class detail::AsyncCall;
  struct Impl;
  explicit RestClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  struct Start {
    bool is_retry = false;
    bool is_call = false;  // the codes of send()
  };
  std::shared_ptr<transport::Exchange> start_attempt(
      const Request& request, std::shared_ptr<transport::ResponseHandler> handler, Start how,
      std::stop_token stop) const;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kube
