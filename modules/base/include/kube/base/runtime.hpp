// SPDX-License-Identifier: Apache-2.0
//
// kube::Runtime: what the outside world is for a component: where it runs, what time it is, where
// it logs and counts. Passed by value; copies share.
#pragma once

#include <memory>

#include <kube/base/backoff.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/log.hpp>
#include <kube/base/metrics.hpp>

namespace kube {

struct Runtime {
  std::shared_ptr<Executor> executor{};          ///< Required.
  std::shared_ptr<Logger> logger{};              ///< Empty: silent.
  std::shared_ptr<metrics::Provider> metrics{};  ///< Empty: not counted.
  RandomSource random = default_random();        ///< Jitter.
  /// Where event handlers run, so that one that blocks holds up neither caches nor timers. Empty:
  /// the executor.
  std::shared_ptr<Executor> handlers{};

  const std::shared_ptr<Clock>& clock() const& { return executor->clock(); }
  std::shared_ptr<Clock> clock() const&& { return clock(); }
  const std::shared_ptr<Executor>& handler_executor() const& {
    return handlers ? handlers : executor;
  }
  std::shared_ptr<Executor> handler_executor() const&& { return handler_executor(); }
};

}  // namespace kube
