// SPDX-License-Identifier: Apache-2.0
//
// Whether a thread may wait for an informer or a reflector: not where it would wait for itself.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <kube/base/executor.hpp>
#include <kube/base/log.hpp>
#include <kube/base/result.hpp>
#include <kube/transport/no_waiting.hpp>

namespace kube::cache {

/// @par Errors   InvalidArgument on the strand of what is waited for; those of
///   transport::may_wait().
inline Result<void> may_wait_for(const Strand& strand) {
  if (!strand.running_in_this_thread()) return transport::may_wait();
  return Error(
      ErrorCode::InvalidArgument,
      "a call that waits for a cache was made in code that this cache runs, such as a "
      "transform, an index function or an error handler, and would never end; call it from "
      "another thread, or use on_synced() or on_version()");
}

/// Reports the error of a wait that returns none, of the `name` by the key `what` ("informer",
/// "handler"). Returns whether there is no error.
inline bool allowed_or_logged(const Result<void>& allowed, const std::shared_ptr<Logger>& logger,
                              std::string_view what, const std::string& name) {
  if (allowed) return true;
  KUBE_LOG(logger, LogLevel::Error, "informer", "wait for the sync refused", {what, name},
           {"error", allowed.error().to_string()});
  return false;
}

}  // namespace kube::cache
