// SPDX-License-Identifier: Apache-2.0
//
// Sends requests: URL, headers, rate limit, timeouts, retries.
#include <kube/client/rest_client.hpp>

#include <algorithm>

#include <kube/base/token_bucket.hpp>
#include <kube/config/transport_for.hpp>
#include <kube/transport/body_collector.hpp>
#include <kube/transport/url.hpp>

#include "attempt_handler.hpp"
#include "content_negotiation.hpp"
#include "request_metrics.hpp"
#include "request_url.hpp"
#include "retry_policy.hpp"

namespace kube {
namespace {

constexpr int kDefaultBurst = 10;
// Priority and fairness may queue a watch for 15 s, and the server's watch cache for 3 s.
constexpr std::chrono::seconds kWatchHeadTimeout{30};

std::string host_label(std::string_view base) {
  if (const auto scheme = base.find("://"); scheme != base.npos) base.remove_prefix(scheme + 3);
  return std::string(base.substr(0, base.find('/')));
}

std::string what_it_does(const Request& request) {
  const std::string& verb = request.verb.empty() ? request.method : request.verb;
  return verb + " " + (request.subject.empty() ? request.path : request.subject);
}

bool has_timeout(const Request& request) {
  return request.timeout && request.timeout->count() > 0;
}

}  // namespace

struct RestClient::Impl {
  explicit Impl(const rest::Config& settings) : config(settings), content(settings) {}

  rest::Config config;
  ContentNegotiation content;
  Runtime runtime;
  std::shared_ptr<transport::RoundTripper> transport;
  std::shared_ptr<rest::WarningHandler> warnings;
  std::string base;  // without '/' at the end
  std::string user_agent;
  std::shared_ptr<RequestMetrics> metrics;
  std::unique_ptr<TokenBucket> bucket;  // null: no limit

  std::string url(const Request& request) const;
  transport::HttpRequest http_request(const Request& request) const;
  Attempt attempt(const Request& request, const std::string& url) const;
  Result<void> wait_for_rate_limit(const Request& request, std::stop_token stop) const;
  Result<transport::HttpResponse> try_once(const Request& request,
                                           std::optional<std::chrono::milliseconds> timeout,
                                           bool is_retry, const std::stop_token& stop) const;
  Result<transport::HttpResponse> send(const Request& request, std::stop_token stop) const;
};

Result<RestClient> RestClient::create(const rest::Config& config, Runtime runtime,
                                      std::shared_ptr<transport::RoundTripper> transport,
                                      std::shared_ptr<rest::WarningHandler> warnings) {
  if (!runtime.executor) {
    return Error(ErrorCode::InvalidArgument, "a RestClient needs a Runtime with an executor");
  }
  Result<std::string> base = rest::base_url(config);
  if (!base) return base.error();
  auto connected = rest::transport_for(config, runtime, std::move(transport));
  if (!connected) return connected.error();

  auto impl = std::make_shared<Impl>(config);
  impl->transport = *std::move(connected);
  impl->warnings = warnings ? std::move(warnings)
                            : std::make_shared<rest::LoggingWarningHandler>(runtime.logger);
  impl->base = *std::move(base);
  while (impl->base.back() == '/') impl->base.pop_back();
  impl->user_agent = config.user_agent.empty() ? rest::default_user_agent() : config.user_agent;
  impl->metrics = std::make_shared<RequestMetrics>(runtime.metrics, host_label(impl->base));
  if (config.qps > 0) {
    impl->bucket = std::make_unique<TokenBucket>(
        config.qps, config.burst > 0 ? config.burst : kDefaultBurst, runtime.clock());
  }
  impl->runtime = std::move(runtime);
  return RestClient(std::move(impl));
}

const Runtime& RestClient::runtime() const& {
  return impl_->runtime;
}
const rest::Config& RestClient::config() const& {
  return impl_->config;
}
std::string RestClient::url(const Request& request) const {
  return impl_->url(request);
}
ContentChoice RestClient::content_for(const meta::GroupResource& resource,
                                      bool has_protobuf) const {
  return impl_->content.choose(resource, has_protobuf);
}
bool RestClient::note_response(const meta::GroupResource& resource, const ContentChoice& sent,
                               const Error& error) const {
  return impl_->content.note_response(resource, sent, error);
}

std::string RestClient::Impl::url(const Request& request) const {
  QueryParameters query = request.query;
  if (has_timeout(request)) {
    std::erase_if(query, [](const auto& parameter) { return parameter.first == "timeout"; });
    query.emplace_back("timeout", go_duration(*request.timeout));
  }
  std::string url = base;
  if (!request.path.starts_with('/')) url.push_back('/');
  url.append(request.path);
  if (!query.empty()) url.append("?").append(encode_query(std::move(query)));
  return url;
}

transport::HttpRequest RestClient::Impl::http_request(const Request& request) const {
  transport::HttpRequest http;
  http.method = request.method;
  http.url = url(request);
  http.body = request.body;
  if (request.idle_timeout && request.idle_timeout->count() > 0) {
    http.idle_timeout = request.idle_timeout;
  }
  if (!request.accept.empty()) http.headers.add("Accept", request.accept);
  if (!request.content_type.empty() || !request.body.empty()) {
    http.headers.add("Content-Type",
                     request.content_type.empty() ? "application/json" : request.content_type);
  }
  http.headers.add("User-Agent", user_agent);
  return http;
}

Attempt RestClient::Impl::attempt(const Request& request, const std::string& url) const {
  Attempt attempt;
  attempt.method = request.method;
  attempt.url = transport::printable_url(url);
  attempt.doing = what_it_does(request);
  attempt.resource = request.resource;
  attempt.name = request.name;
  attempt.warnings = request.warning_handler ? request.warning_handler : warnings;
  attempt.metrics = metrics;
  attempt.logger = runtime.logger;
  attempt.clock = runtime.clock();
  attempt.executor = runtime.executor;
  return attempt;
}

std::shared_ptr<transport::Exchange> RestClient::start(
    const Request& request, std::shared_ptr<transport::ResponseHandler> handler,
    std::stop_token stop) const {
  transport::HttpRequest http = impl_->http_request(request);
  const bool is_watch = request.verb == "watch";
  if (has_timeout(request)) {
    http.timeout = request.timeout;
  } else if (!is_watch && impl_->config.timeout.count() > 0) {
    http.timeout = impl_->config.timeout;
  }
  const auto head =
      request.head_timeout.value_or(is_watch ? kWatchHeadTimeout : std::chrono::milliseconds(0));
  if (head.count() > 0) http.head_timeout = head;
  Attempt attempt = impl_->attempt(request, http.url);
  attempt.is_request = !is_watch;
  auto answer = std::make_shared<AttemptHandler>(std::move(attempt), std::move(handler), stop);
  const std::stop_token end = answer->stop_token();
  return impl_->transport->start(std::move(http), std::move(answer), end);
}

Result<transport::HttpResponse> RestClient::send(const Request& request,
                                                 std::stop_token stop) const {
  const TimePoint started = impl_->runtime.clock()->now();
  Result<transport::HttpResponse> response = impl_->send(request, std::move(stop));
  impl_->metrics->request(request.method, impl_->runtime.clock()->now() - started);
  return response;
}

Result<void> RestClient::Impl::wait_for_rate_limit(const Request& request,
                                                   std::stop_token stop) const {
  if (!bucket) return {};
  const TimePoint started = runtime.clock()->now();
  auto waited = bucket->wait(std::move(stop));
  const Duration delay = runtime.clock()->now() - started;
  metrics->rate_limited(request.method, delay);
  if (waited && delay > std::chrono::seconds(1)) {
    KUBE_LOG(runtime.logger, LogLevel::Info, "rest", "waited for our own rate limit",
             {"method", request.method}, {"path", request.path},
             {"delay", std::to_string(std::chrono::duration<double>(delay).count()) + "s"});
  }
  return waited;
}

Result<transport::HttpResponse> RestClient::Impl::try_once(
    const Request& request, std::optional<std::chrono::milliseconds> timeout, bool is_retry,
    const std::stop_token& stop) const {
  transport::HttpRequest http = http_request(request);
  http.timeout = timeout;
  if (!request.idle_timeout && config.idle_timeout.count() > 0) {
    http.idle_timeout = config.idle_timeout;
  }
  Attempt attempt = this->attempt(request, http.url);
  attempt.is_retry = is_retry;
  const std::string http_doing = attempt.method + " " + attempt.url;
  const std::string doing = attempt.doing;
  auto collector =
      std::make_shared<transport::BodyCollector>(request.max_bytes, doing + ": " + http_doing);
  auto answer = std::make_shared<AttemptHandler>(std::move(attempt), collector, stop);
  const std::stop_token end = answer->stop_token();
  const auto exchange = transport->start(std::move(http), std::move(answer), end);
  std::optional<Result<transport::HttpResponse>> response = collector->wait(*runtime.clock(), stop);
  // The transport has the same token, and may have reacted first.
  const bool stopped = !response || (stop.stop_requested() && !*response &&
                                     response->error().code() == ErrorCode::Cancelled);
  if (stopped) {
    exchange->cancel();
    return Error(ErrorCode::Cancelled, "stopped while waiting for the response")
        .with_context(http_doing)
        .with_context(doing);
  }
  if (!*response && response->error().code() == ErrorCode::Decode) exchange->cancel();
  return *std::move(response);
}

Result<transport::HttpResponse> RestClient::Impl::send(const Request& request,
                                                       std::stop_token stop) const {
  const std::string doing = what_it_does(request);
  if (stop.stop_requested()) {
    return Error(ErrorCode::Cancelled, "stopped before the request was sent").with_context(doing);
  }
  RetryPolicy policy(request.max_retries,
                     request.method == "GET" ? RetryOn::LostConnection : RetryOn::Answers,
                     request.max_retry_after);
  const auto rate_limited = wait_for_rate_limit(request, stop);
  if (!rate_limited) return rate_limited.error().with_context(doing);

  // The deadline starts here: the wait for our own rate limit is not the server's fault.
  Clock& clock = *runtime.clock();
  std::optional<std::chrono::milliseconds> timeout;
  if (config.timeout.count() > 0) timeout = config.timeout;
  TimePoint deadline = TimePoint::max();
  if (has_timeout(request)) deadline = clock.now() + *request.timeout;
  for (;;) {
    if (deadline != TimePoint::max()) {
      timeout = std::max(std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.now()),
                         std::chrono::milliseconds(1));
    }
    Result<transport::HttpResponse> response =
        try_once(request, timeout, policy.retries() > 0, stop);
    if (response) return response;
    const std::optional<Duration> delay = policy.next(response.error());
    if (!delay) return policy.final_error(response.error());
    KUBE_LOG(runtime.logger, LogLevel::Debug, "rest", "request is tried again",
             {"attempt", std::to_string(policy.retries())},
             {"delay", std::to_string(std::chrono::duration<double>(*delay).count()) + "s"},
             {"error", response.error().to_string()});
    auto waited = wait_for_retry(clock, *delay, deadline, stop);
    if (waited) waited = wait_for_rate_limit(request, stop);
    if (!waited) return policy.final_error(waited.error()).with_context(doing);
  }
}

}  // namespace kube
