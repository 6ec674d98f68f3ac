// SPDX-License-Identifier: Apache-2.0
//
// Waits until objects of a watch fulfil conditions (client-go's tools/watch Until).
//
//   const auto is_running = [](const WatchEvent<Pod>& event) -> Result<bool> {
//     return event.object.status.phase == "Running";
//   };
//   auto running = watch_until<Pod>(pods, {.resource_version = created->metadata.resource_version},
//                                   {is_running}, {.timeout = 1min}, stop);
//   if (!running.result) return running.result.error();
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/base/time_limit.hpp>
#include <kube/client/retry_watcher.hpp>

namespace kube {

/// Returns whether the wait may end, or an error, which ends it.
template <Object T>
using WatchCondition = std::function<Result<bool>(const WatchEvent<T>& event)>;

template <Object T>
struct UntilResult {
  Result<void> result{};
  Optional<WatchEvent<T>> last_event{};  ///< Of any outcome; empty if no event came.
};

struct UntilOptions {
  Duration timeout = Duration::max();  ///< For all conditions together; max: no timeout.
};

/// Takes events of `stream` until each condition was true, one after the other: the first for an
/// event, then the second for that event or one after it, and so on (UntilWithoutRetry). `stream`
/// has next(stop), as WatchStream<T> and RetryWatcher<T>.
/// @par Errors   The error of a condition; the error of an event of type Error; Unreachable
///   "watch closed before UntilWithoutRetry timeout" when the stream ends; Cancelled when `stop` is
///   requested.
/// @par Blocks   Until the last condition is true or one of these errors.
template <Object T, class Stream>
UntilResult<T> until_without_retry(Stream& stream, const std::vector<WatchCondition<T>>& conditions,
                                   std::stop_token stop = {}) {
  UntilResult<T> out;
  for (const WatchCondition<T>& condition : conditions) {
    // The event that fulfilled the condition before this one may fulfil this one, too.
    bool take = !out.last_event.has_value();
    for (;;) {
      if (take) {
        Optional<Result<WatchEvent<T>>> event = stream.next(stop);
        if (!event) {
          out.result =
              Error(ErrorCode::Unreachable, "watch closed before UntilWithoutRetry timeout");
          return out;
        }
        if (!*event) {
          out.result = event->error();
          return out;
        }
        out.last_event = std::move(**event);
        if (out.last_event->type == WatchEventType::Error) {
          out.result = *out.last_event->error;
          return out;
        }
      }
      take = true;
      const Result<bool> fulfilled = condition(*out.last_event);
      if (!fulfilled) {
        out.result = fulfilled.error();
        return out;
      }
      if (*fulfilled) break;
    }
  }
  return out;
}

namespace detail {

// Calls `wait` (stop token) with a token that also stops after the timeout, whose end is a Timeout.
// The end of a wait that was not successful quotes `last_error()`, if there is one.
template <Object T, class Wait, class LastError>
UntilResult<T> with_timeout(const Runtime& runtime, const UntilOptions& options,
                            const std::stop_token& stop, const Wait& wait,
                            const LastError& last_error) {
  const TimeLimit limit(*runtime.executor, options.timeout, stop);
  UntilResult<T> out = wait(limit.token());
  if (out.result || out.result.error().code() != ErrorCode::Cancelled) return out;
  const bool timed_out = limit.is_over();
  std::string text =
      timed_out ? "timed out waiting for the condition" : out.result.error().message();
  if (const auto error = last_error()) text.append("; last error: ").append(error->to_string());
  out.result = Error(timed_out ? ErrorCode::Timeout : ErrorCode::Cancelled, std::move(text));
  return out;
}

}  // namespace detail

/// until_without_retry() on a RetryWatcher, which survives the end of its connections (Until).
/// `options` are those of RetryWatcher::create().
/// @par Errors   As RetryWatcher::create() and until_without_retry(); Timeout "timed out
///   waiting for the condition". Timeout and Cancelled end with "; last error: ..." when the last
///   watch could not be opened.
/// @par Blocks   Until the last condition is true or one of these errors.
template <ApiObject T>
UntilResult<T> watch_until(const Api<T>& api, const ListOptions& options,
                           const std::vector<WatchCondition<T>>& conditions,
                           const UntilOptions& until = {}, std::stop_token stop = {}) {
  auto watch = RetryWatcher<T>::create(api, options);
  if (!watch) return {watch.error(), {}};
  const Runtime& runtime = api.raw().rest().runtime();
  return detail::with_timeout<T>(
      runtime, until, stop,
      [&](const std::stop_token& token) {
        return until_without_retry<T>(*watch, conditions, token);
      },
      [&] { return watch->last_error(); });
}

}  // namespace kube
