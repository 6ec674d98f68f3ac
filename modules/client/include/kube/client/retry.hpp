// SPDX-License-Identifier: Apache-2.0
//
// Trying again what failed because somebody else was faster: client-go's util/retry.
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

/// 5 tries about 10 ms apart: for conflicts with other writers that are done in no time.
Backoff::Options default_retry();
/// 4 tries, 10 ms to 250 ms apart: for conflicts with writers that are at it for longer.
Backoff::Options default_backoff();

/// The pauses between the tries of one operation; the engine of the functions below.
class RetryPauses {
 public:
  RetryPauses(const Runtime& runtime, const Backoff::Options& backoff);
  /// Waits for the next try: true when it is due, false when there have been Options::steps of
  /// them. Cancelled when asked to stop.
  Result<bool> pause(std::stop_token stop);

 private:
  std::shared_ptr<Clock> clock_;
  Backoff backoff_;
  int left_;
};

/// Calls fn() -> Result<...> until it succeeds, fails with an error that `retriable` does not want,
/// or has been called Backoff::Options::steps times; the last result is returned.
///
/// @par Blocks   Between the tries; Cancelled when asked to stop there.
template <class F>
std::invoke_result_t<F&> retry_on_error(const Runtime& runtime, const Backoff::Options& backoff,
                                        const std::function<bool(const Error&)>& retriable, F&& fn,
                                        std::stop_token stop) {
  RetryPauses pauses(runtime, backoff);
  for (;;) {
    auto result = fn();
    if (result || !retriable(result.error())) return result;
    const Result<bool> again = pauses.pause(stop);
    if (!again) return again.error().with_context(result.error().message());
    if (!*again) return result;
  }
}

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
