// SPDX-License-Identifier: Apache-2.0
//
// How long a reflector waits before its next request.
#pragma once

#include <algorithm>

#include "reflector_bounds.hpp"
#include "reflector_errors.hpp"
#include "reflector_states.hpp"
#include "retry_with_deadline.hpp"

#include <kube/base/backoff.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/informer_options.hpp>
#include <kube/client/request_pace.hpp>

namespace kube::cache {

/// @par Thread safety   Used on the reflector's strand.
struct ReflectorPauses {
  ReflectorPauses(const ReflectorOptions& options, const Runtime& runtime)
      : failures(options.backoff, std::chrono::minutes(2), runtime.clock(), runtime.random),
        credentials({}, runtime.random),
        denied({.initial = kFirstDenied, .cap = kMaxDenied, .jitter = kDeniedJitter},
               runtime.random),
        internal_errors(options.max_internal_error_retry, std::chrono::minutes(1),
                        &is_internal_error, runtime.clock()),
        pace(runtime.clock()) {}

  Duration next(const effect::Pause& pause) {
    using Why = effect::Pause::Why;
    if (pause.why == Why::Credentials) return std::max(credentials.next(), pause.at_least);
    const Duration least = pause.why == Why::Denied ? denied.next() : Duration::zero();
    return std::max({failures.next(), least, pause.at_least});
  }
  /// Whether a watch that has ended with this error is opened again without a list.
  bool retries(const Error& error) {
    internal_errors.after(error);
    return is_internal_error(error) && internal_errors.should_retry();
  }

  BackoffWithReset failures;
  Backoff credentials;  ///< Starts over after a watch that was not very short.
  Backoff denied;       ///< Between cycles; starts over after a watch that was accepted.
  RetryWithDeadline internal_errors;  ///< Of the watches of one cycle.
  RequestPace pace;
};

}  // namespace kube::cache
