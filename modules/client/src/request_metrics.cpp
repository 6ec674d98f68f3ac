// SPDX-License-Identifier: Apache-2.0
//
// Records the rest_client_* metrics of one client.
#include "request_metrics.hpp"

namespace kube {
namespace {

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string series_key(std::string_view name, std::string_view method, std::string_view code) {
  std::string key(name);
  return key.append(" ").append(method).append(" ").append(code);
}

}  // namespace

RequestMetrics::RequestMetrics(std::shared_ptr<metrics::Provider> provider, std::string host)
    : provider_(std::move(provider)), host_(std::move(host)) {}

void RequestMetrics::attempt(std::string_view method, int code, bool retry) {
  if (!provider_) return;
  const std::string text = code == 0 ? "<error>" : std::to_string(code);
  count("rest_client_requests_total", "method", method, text);
  if (retry) count("rest_client_request_retries_total", "verb", method, text);
}

void RequestMetrics::request(std::string_view method, Duration taken) {
  if (provider_) observe("rest_client_request_duration_seconds", method, taken);
}

void RequestMetrics::rate_limited(std::string_view method, Duration waited) {
  if (provider_) observe("rest_client_rate_limiter_duration_seconds", method, waited);
}

// The provider is user code, so it is called without the lock. Two threads may make the same
// series; equal names and labels return the same one.
void RequestMetrics::count(std::string_view name, std::string_view method_label,
                           std::string_view method, std::string_view code) {
  const std::string key = series_key(name, method, code);
  metrics::Counter counter;
  bool known = false;
  {
    const MutexLock lock(mutex_);
    const auto found = counters_.find(key);
    if ((known = found != counters_.end())) counter = found->second;
  }
  if (!known) {
    counter = metrics::Counter(provider_, name,
                               {{"code", std::string(code)},
                                {std::string(method_label), std::string(method)},
                                {"host", host_}});
    const MutexLock lock(mutex_);
    counters_.emplace(key, counter);
  }
  counter.add();
}

void RequestMetrics::observe(std::string_view name, std::string_view method, Duration value) {
  const std::string key = series_key(name, method, "");
  metrics::Histogram histogram;
  {
    const MutexLock lock(mutex_);
    const auto found = histograms_.find(key);
    if (found != histograms_.end()) histogram = found->second;
  }
  if (!histogram) {
    histogram =
        metrics::Histogram(provider_, name, {{"verb", std::string(method)}, {"host", host_}});
    const MutexLock lock(mutex_);
    histograms_.emplace(key, histogram);
  }
  histogram.observe(seconds(value));
}

}  // namespace kube
