// SPDX-License-Identifier: Apache-2.0
//
// kube::Runtime: what a component needs from its process: an executor with a clock, a logger,
// metrics and random numbers. Passed by value; copies share.
#pragma once

#include <memory>

#include <kube/base/backoff.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/log.hpp>
#include <kube/base/metrics.hpp>

namespace kube {

/// @par Thread safety   A value; what it points to may be used from any thread.
struct Runtime {
  std::shared_ptr<Executor> executor{};          ///< Required.
  std::shared_ptr<Logger> logger{};              ///< Empty: silent.
  std::shared_ptr<metrics::Provider> metrics{};  ///< Empty: no metrics.
  RandomSource random = default_random();        ///< For jitter; called from any thread.
  /// Runs event handlers, so that one that blocks delays neither caches nor timers. Empty: the
  /// executor.
  std::shared_ptr<Executor> handlers{};

  const std::shared_ptr<Clock>& clock() const& { return executor->clock(); }
  std::shared_ptr<Clock> clock() const&& { return clock(); }
  const std::shared_ptr<Executor>& handler_executor() const& {
    return handlers ? handlers : executor;
  }
  std::shared_ptr<Executor> handler_executor() const&& { return handler_executor(); }
};

}  // namespace kube
