// SPDX-License-Identifier: Apache-2.0
//
// The rest_client_* series of one client.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/metrics.hpp>
#include <kube/base/mutex.hpp>

namespace kube {

/// Makes each series on first use and keeps it, because a series lives as long as its handle.
/// Labels have few values: HTTP methods, status codes, one host. Does nothing without a provider.
///
/// @par Thread safety   All functions may be called from any thread.
class RequestMetrics {
 public:
  RequestMetrics(std::shared_ptr<metrics::Provider> provider, std::string host);

  /// Counts an attempt and its status code (0: no response). `retry`: it was not the first attempt.
  void attempt(std::string_view method, int code, bool retry);
  void request(std::string_view method, Duration taken);
  void rate_limited(std::string_view method, Duration waited);

 private:
  template <class Handle>
  using Series = std::map<std::string, Handle, std::less<>>;

  void count(std::string_view name, std::string_view method_label, std::string_view method,
             std::string_view code);
  void observe(std::string_view name, std::string_view method, Duration value);

  const std::shared_ptr<metrics::Provider> provider_;
  const std::string host_;
  Mutex mutex_;
  Series<metrics::Counter> counters_ KUBE_GUARDED_BY(mutex_);
  Series<metrics::Histogram> histograms_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube
