// SPDX-License-Identifier: Apache-2.0
//
// The shared state of a RestClient and its copies.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <kube/client/rest_client.hpp>

#include "attempt_handler.hpp"
#include "content_negotiation.hpp"
#include "request_metrics.hpp"
#include "shared_mapper.hpp"
#include "throttle_log.hpp"

namespace kube {

class RequestAttempts;

/// @par Thread safety   Its members are fixed once the client is made, or thread-safe.
struct RestClient::Impl {
  explicit Impl(const rest::Config& settings) : config(settings), content(settings) {}
  ~Impl() { is_gone.request_stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  rest::Config config;
  ContentNegotiation content;
  Runtime runtime;
  std::shared_ptr<transport::RoundTripper> transport;
  std::shared_ptr<rest::WarningHandler> warnings;
  std::string base;  // without '/' at the end
  std::string user_agent;
  std::shared_ptr<RequestMetrics> metrics;
  std::shared_ptr<flowcontrol::RateLimiter> limiter;  // null: no limit
  std::shared_ptr<rest::BackoffManager> backoff;
  mutable ThrottleLog throttle_log;
  std::stop_source is_gone{};  // ends what holds no client; others may hold its transport

  std::shared_ptr<transport::RoundTripper> given;  // the transport of the caller; may be null
  mutable Mutex mapper_mutex;
  mutable std::shared_ptr<const SharedMapper> mapper KUBE_GUARDED_BY(mapper_mutex);
  std::shared_ptr<const SharedMapper> known_mapper() const {
    const MutexLock lock(mapper_mutex);
    return mapper;
  }
  // Returns a client for the mapper: the same, but one that does not hold the mapper.
  std::shared_ptr<Impl> without_mapper() const;

  std::string url(const Request& request) const;
  transport::HttpRequest http_request(const Request& request) const;
  Attempt attempt(const Request& request, const std::string& url) const;

  /// The response of an attempt, and what its headers say of it.
  struct Outcome {
    Result<transport::HttpResponse> response;
    std::string flow_schema{};
  };
  Outcome try_once(const Request& request, std::optional<std::chrono::milliseconds> timeout,
                   bool is_retry, const std::stop_token& stop) const;
  Result<transport::HttpResponse> send(const RestClient& client, const Request& request,
                                       std::stop_token stop) const;
};

/// Returns the limit of silence for a request that has no own one; nullopt for none.
std::optional<std::chrono::milliseconds> idle_timeout_of(const rest::Config& config,
                                                         const Request& request);

}  // namespace kube
