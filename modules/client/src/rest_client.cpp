// SPDX-License-Identifier: Apache-2.0
//
// Sends requests: URL, headers, rate limit, timeouts, retries.
#include <kube/client/rest_client.hpp>

#include <algorithm>

#include <kube/config/transport_for.hpp>
#include <kube/transport/body_collector.hpp>
#include <kube/transport/no_waiting.hpp>
#include <kube/transport/redirects.hpp>
#include <kube/transport/url.hpp>

#include "request_attempts.hpp"
#include "request_url.hpp"
#include "rest_client_impl.hpp"

namespace kube {
namespace {

constexpr int kDefaultBurst = 10;
constexpr int kDiscoveryBurst = 300;
// Priority and fairness may queue a watch for 15 s, and the server's watch cache for 3 s.
constexpr std::chrono::seconds kWatchHeadTimeout{30};

std::string host_label(std::string_view base) {
  if (const auto scheme = base.find("://"); scheme != base.npos) base.remove_prefix(scheme + 3);
  return std::string(base.substr(0, base.find('/')));
}

// Returns where the path of a URL begins.
std::size_t path_of(std::string_view base) {
  return std::min(base.find('/', base.find("://") + 3), base.size());
}

bool has_timeout(const Request& request) {
  return request.timeout && request.timeout->count() > 0;
}

// Whether the server forwards the request to a pod, a service or a node:
// /api/v1/namespaces/web/pods/a/proxy/metrics, /api/v1/nodes/n/proxy.
bool is_forwarded(std::string_view path) {
  const std::size_t api = path.find("/api/v1/");
  if (api == path.npos) return false;
  path.remove_prefix(api + 8);
  const auto next = [&] {
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(segment.size() + 1, path.size()));
    return segment;
  };
  std::string_view resource = next();
  if (resource == "namespaces") {
    (void)next();
    resource = next();
    if (resource != "pods" && resource != "services") return false;
  } else if (resource != "nodes") {
    return false;
  }
  (void)next();
  return next() == "proxy";
}

std::chrono::milliseconds shorter(std::optional<std::chrono::milliseconds> limit,
                                  std::chrono::milliseconds other) {
  return limit ? std::min(*limit, other) : other;
}

}  // namespace

// An explicit timeout says how long the caller is willing to wait, in silence too.
std::optional<std::chrono::milliseconds> idle_timeout_of(const rest::Config& config,
                                                         const Request& request) {
  if (config.idle_timeout.count() <= 0 || is_forwarded(request.path)) return std::nullopt;
  return std::max(config.idle_timeout, has_timeout(request) ? *request.timeout : config.timeout);
}

Result<RestClient> RestClient::create(const rest::Config& config, Runtime runtime,
                                      std::shared_ptr<transport::RoundTripper> transport,
                                      std::shared_ptr<rest::WarningHandler> warnings) {
  if (!runtime.executor) {
    return Error(ErrorCode::InvalidArgument, "a RestClient needs a Runtime with an executor");
  }
  Result<std::string> base = rest::base_url(config);
  if (!base) return base.error();
  auto given = transport;
  auto connected = rest::transport_for(config, runtime, std::move(transport));
  if (!connected) return connected.error();

  auto impl = std::make_shared<Impl>(config);
  impl->given = std::move(given);
  impl->transport = transport::following_redirects(*std::move(connected));
  impl->warnings = warnings ? std::move(warnings)
                            : std::make_shared<rest::LoggingWarningHandler>(runtime.logger);
  impl->base = *std::move(base);
  while (impl->base.back() == '/') impl->base.pop_back();
  impl->user_agent = config.user_agent.empty() ? rest::default_user_agent() : config.user_agent;
  impl->metrics = std::make_shared<RequestMetrics>(runtime.metrics, host_label(impl->base));
  impl->limiter = config.rate_limiter;
  if (!impl->limiter && config.qps > 0) {
    impl->limiter = config.limiters.limiter(
        config.qps, config.burst > 0 ? config.burst : kDefaultBurst, runtime.clock());
  }
  impl->backoff = rest::backoff_from_environment(rest::process_environment(), runtime.clock());
  impl->runtime = std::move(runtime);
  return RestClient(std::move(impl));
}

std::shared_ptr<RestClient::Impl> RestClient::Impl::without_mapper() const {
  auto other = std::make_shared<Impl>(config);
  other->runtime = runtime;
  other->transport = transport;
  // The handler of a client may end with a part of the program that other clients outlive.
  other->warnings = std::make_shared<rest::LoggingWarningHandler>(runtime.logger);
  other->base = base;
  other->user_agent = user_agent;
  other->metrics = metrics;
  // A server without aggregated discovery takes one request for each group version.
  other->limiter = limiter;
  if (!config.rate_limiter && config.qps > 0 && config.burst == 0) {
    other->limiter = config.limiters.limiter(config.qps, kDiscoveryBurst, runtime.clock());
  }
  other->backoff = backoff;
  return other;
}

std::shared_ptr<const DeferredRestMapper> RestClient::mapper() const {
  std::shared_ptr<const SharedMapper> shared = impl_->known_mapper();
  if (!shared) {
    const std::shared_ptr<Clock> clock = impl_->runtime.clock();
    shared = std::static_pointer_cast<const SharedMapper>(impl_->config.shared.find_or_make(
        [&](const void* made) {
          return static_cast<const SharedMapper*>(made)->is_for(impl_->config, clock, impl_->given);
        },
        [&] {
          return std::make_shared<SharedMapper>(RestClient(impl_->without_mapper()), impl_->given);
        }));
    const MutexLock lock(impl_->mapper_mutex);
    impl_->mapper = shared;
  }
  return {shared, &shared->mapper()};
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
std::string RestClient::base_path() const {
  return impl_->base.substr(path_of(impl_->base));
}
std::shared_ptr<rest::WarningHandler> RestClient::warning_handler() const {
  return impl_->warnings;
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
  std::string url = base.substr(0, request.path_from_root ? path_of(base) : base.size());
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
  for (const auto& [name, value] : request.headers) http.headers.remove(name);
  for (const auto& [name, value] : request.headers) http.headers.add(name, value);
  http.upgrade = request.upgrade;
  return http;
}

Attempt RestClient::Impl::attempt(const Request& request, const std::string& url) const {
  Attempt attempt;
  attempt.method = request.method;
  attempt.url = transport::printable_url(url);
  attempt.doing = what_request_does(request);
  attempt.resource = request.resource;
  attempt.name = request.name;
  if (const auto shared = known_mapper()) {
    attempt.path = request.path;
    attempt.not_served = shared->not_served();
  }
  attempt.may_write =
      (request.method != "GET" && request.method != "HEAD") || !request.upgrade.empty();
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
  return start_attempt(request, std::move(handler), {}, std::move(stop));
}

std::shared_ptr<transport::Exchange> RestClient::start_attempt(
    const Request& request, std::shared_ptr<transport::ResponseHandler> handler, Start how,
    std::stop_token stop) const {
  transport::HttpRequest http = impl_->http_request(request);
  const bool is_watch = request.verb == "watch";
  http.is_watch = is_watch;
  if (has_timeout(request)) {
    http.timeout = request.timeout;
  } else if (!is_watch && request.upgrade.empty() && impl_->config.timeout.count() > 0) {
    http.timeout = impl_->config.timeout;
  }
  const auto head =
      request.head_timeout.value_or(is_watch ? kWatchHeadTimeout : std::chrono::milliseconds(0));
  if (head.count() > 0) http.head_timeout = head;
  if (request.bound) {
    auto& limit = is_watch ? http.head_timeout : http.timeout;
    limit = shorter(limit, time_until(request.bound->deadline, *impl_->runtime.clock()));
  }
  Attempt attempt = impl_->attempt(request, http.url);
  attempt.is_request = !is_watch;
  attempt.is_retry = how.is_retry;
  if (!is_watch && !how.is_call) attempt.greatest_success = 299;
  auto answer = std::make_shared<AttemptHandler>(std::move(attempt), std::move(handler), stop);
  const std::stop_token end = answer->stop_token();
  return impl_->transport->start(std::move(http), std::move(answer), end);
}

Result<transport::HttpResponse> RestClient::send(const Request& request,
                                                 std::stop_token stop) const {
  const TimePoint started = impl_->runtime.clock()->now();
  Result<transport::HttpResponse> response = impl_->send(*this, request, std::move(stop));
  impl_->metrics->request(request.method, impl_->runtime.clock()->now() - started);
  return response;
}

RestClient::Impl::Outcome RestClient::Impl::try_once(
    const Request& request, std::optional<std::chrono::milliseconds> timeout, bool is_retry,
    const std::stop_token& stop) const {
  transport::HttpRequest http = http_request(request);
  http.timeout = timeout;
  if (!request.idle_timeout) http.idle_timeout = idle_timeout_of(config, request);
  Attempt attempt = this->attempt(request, http.url);
  attempt.is_retry = is_retry;
  const std::string http_doing = attempt.method + " " + attempt.url;
  const std::string doing = attempt.doing;
  auto collector =
      std::make_shared<transport::BodyCollector>(request.max_bytes, doing + ": " + http_doing);
  auto answer = std::make_shared<AttemptHandler>(std::move(attempt), collector, stop);
  const std::stop_token end = answer->stop_token();
  const auto exchange = transport->start(std::move(http), answer, end);
  std::optional<Result<transport::HttpResponse>> response = collector->wait(*runtime.clock(), stop);
  // The transport has the same token, and may have reacted first.
  const bool stopped = !response || (stop.stop_requested() && !*response &&
                                     response->error().code() == ErrorCode::Cancelled);
  if (stopped) {
    exchange->cancel();
    return {Error(ErrorCode::Cancelled, "stopped while waiting for the response")
                .with_context(http_doing)
                .with_context(doing)};
  }
  if (!*response && response->error().code() == ErrorCode::Decode) exchange->cancel();
  return {*std::move(response), answer->flow_schema()};
}

Result<transport::HttpResponse> RestClient::Impl::send(const RestClient& client,
                                                       const Request& request,
                                                       std::stop_token stop) const {
  const std::string doing = what_request_does(request);
  if (const auto allowed = transport::may_wait(); !allowed) {
    return allowed.error().with_context(doing);
  }
  if (stop.stop_requested()) {
    return Error(ErrorCode::Cancelled, "stopped before the request was sent").with_context(doing);
  }
  RequestAttempts attempts(client, request,
                           request.method == "GET" ? RetryOn::LostConnection : RetryOn::Answers);
  const auto rate_limited = attempts.wait_for_rate_limit(stop);
  if (!rate_limited) return rate_limited.error().with_context(doing);

  // The deadline starts here: the wait for our own rate limit is not the server's fault.
  Clock& clock = *runtime.clock();
  std::optional<std::chrono::milliseconds> timeout;
  if (config.timeout.count() > 0) timeout = config.timeout;
  TimePoint deadline = TimePoint::max();
  if (has_timeout(request)) deadline = clock.now() + *request.timeout;
  for (;;) {
    if (const auto ready = attempts.before(deadline, stop); !ready) return ready.error();
    if (deadline != TimePoint::max()) timeout = time_until(deadline, clock);
    auto limit = timeout;
    if (request.bound) limit = shorter(limit, time_until(request.bound->deadline, clock));
    Outcome outcome = try_once(request, limit, attempts.is_retry(), stop);
    Result<transport::HttpResponse>& response = outcome.response;
    if (response) {
      attempts.after(nullptr, response->status);
      return std::move(response);
    }
    if (!attempts.after(&response.error(), 0, outcome.flow_schema)) {
      return attempts.final_error(response.error());
    }
  }
}

}  // namespace kube
