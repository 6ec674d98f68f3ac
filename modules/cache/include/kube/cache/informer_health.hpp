// SPDX-License-Identifier: Apache-2.0
//
// kube::check_health(): whether informers still follow their server, for /healthz and /readyz.
//
//   // The answer of /healthz: 200 when it has a value, otherwise 500 with the text of the error.
//   const kube::Result<void> alive = kube::check_health(factory, {.max_staleness = 5min});
#pragma once

#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/informer_status.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/cache/shared_informer_factory.hpp>

namespace kube {

/// What is healthy.
struct HealthOptions {
  /// The maximum time without a byte from the server. A server sends a bookmark about once a
  /// minute, and a silent watch is reopened after InformerOptions::watch_idle_timeout; so less than
  /// that reports healthy informers.
  Duration max_staleness = std::chrono::minutes(3);
  /// Whether the cache must have synced. For readiness, not for liveness: a restart does not make a
  /// long list shorter.
  bool synced = false;
};

/// Checks an informer of which `status` is known.
/// @par Errors   Unreachable: it is stale, or was not started, has stopped, a handler fell behind
///   (HandlerOverflow::Unregister), or, if asked for, it has not synced. The text has the name, the
///   figures, and the last error of the informer.
Result<void> check_health(std::string_view name, const InformerStatus& status,
                          const HealthOptions& options = {});

/// Checks an informer.
/// @par Errors   As above.
template <Object T>
Result<void> check_health(const SharedInformer<T>& informer, const HealthOptions& options = {}) {
  return check_health(informer.resource().group_resource().to_string(), informer.status(), options);
}

/// Checks all informers of a factory but those that were stopped alone, by a caller.
/// @par Errors   As above, with all informers that are not healthy.
Result<void> check_health(const SharedInformerFactory& factory, const HealthOptions& options = {});

}  // namespace kube
