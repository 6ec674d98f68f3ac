// SPDX-License-Identifier: Apache-2.0
//
// Retries of operations that fail because of a concurrent change: client-go's util/retry.
//
//   const auto scale = [&]() -> Result<Deployment> {
//     Result<Deployment> current = deployments.get("front");
//     if (!current) return current;
//     current->spec.replicas = 3;
//     return deployments.update(*current);
//   };
//   auto done = kube::retry_on_conflict(client.runtime(), scale, stop);
#pragma once

#include <functional>
#include <stop_token>
#include <type_traits>

#include <kube/base/backoff.hpp>
#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/meta/errors.hpp>

namespace kube {

/// Returns 5 attempts about 10 ms apart, for conflicts with writers that finish at once.
Backoff::Options default_retry();
/// Returns 4 attempts, 10 ms to 250 ms apart, for conflicts with writers that take longer.
Backoff::Options default_backoff();

/// The pauses between the attempts of one operation, as retry_on_error() makes them.
/// @par Thread safety   Not thread-safe.
class RetryPauses {
 public:
  RetryPauses(const Runtime& runtime, const Backoff::Options& backoff);
  /// Waits for the next attempt. Returns false, without waiting, after Options::steps attempts.
  /// @par Errors   Cancelled when `stop` is requested.
  /// @par Blocks   For the pause, or until `stop` is requested.
  Result<bool> pause(std::stop_token stop = {});

 private:
  std::shared_ptr<Clock> clock_;
  Backoff backoff_;
  int left_;
};

/// Calls fn() -> Result<...> until it succeeds, it fails with an error that `retriable` rejects, or
/// it was called Backoff::Options::steps times. Returns the last result.
/// @par Errors   The last error of fn(); Cancelled, with that error as context, when `stop` is
///   requested between two attempts.
/// @par Blocks   While fn() does, and between the attempts.
template <class F>
std::invoke_result_t<F&> retry_on_error(const Runtime& runtime, const Backoff::Options& backoff,
                                        const std::function<bool(const Error&)>& retriable, F&& fn,
                                        std::stop_token stop = {}) {
  RetryPauses pauses(runtime, backoff);
  for (;;) {
    auto result = fn();
    if (result || !retriable(result.error())) return result;
    const Result<bool> again = pauses.pause(stop);
    if (!again) return again.error().with_context(result.error().message());
    if (!*again) return result;
  }
}

/// retry_on_error() for conflicts (is_conflict()), with default_retry() unless `backoff` is given.
template <class F>
std::invoke_result_t<F&> retry_on_conflict(const Runtime& runtime, const Backoff::Options& backoff,
                                           F&& fn, std::stop_token stop = {}) {
  return retry_on_error(runtime, backoff, is_conflict, fn, std::move(stop));
}
template <class F>
requires std::invocable<F&> std::invoke_result_t<F&> retry_on_conflict(const Runtime& runtime,
                                                                       F&& fn,
                                                                       std::stop_token stop = {}) {
  return retry_on_error(runtime, default_retry(), is_conflict, fn, std::move(stop));
}

}  // namespace kube
