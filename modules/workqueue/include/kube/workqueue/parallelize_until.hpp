// SPDX-License-Identifier: Apache-2.0
//
// kube::parallelize_until: calls a function for many numbered pieces on several threads, as
// client-go's workqueue.ParallelizeUntil.
//
//   std::atomic<int> fitting = 0;
//   Result<void> done = parallelize_until(
//       executor, pods.size(), [&](std::size_t i) { fitting += examine(pods[i]) ? 1 : 0; },
//       {.workers = 8}, stop);
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

#include <kube/base/executor.hpp>
#include <kube/base/result.hpp>

namespace kube {

struct ParallelizeOptions {
  std::size_t workers = 1;     ///< The maximum of simultaneous calls, that of the caller included.
  std::size_t chunk_size = 1;  ///< Pieces that a worker takes at a time; 0 counts as 1.
};

/// Calls f(0) … f(pieces - 1), each once. The caller's thread is one of the workers, the others are
/// tasks of `executor`: a busy, stopped or throwing executor reduces parallelism only.
///
/// @par Errors   Cancelled when `stop` is requested before all pieces have begun; Internal when f
///   throws. In both cases no further piece begins, and running ones are finished.
/// @par Thread safety   Any thread may call it; f is called by several threads at the same time.
/// @par Blocks   Until all workers have ended.
Result<void> parallelize_until(const std::shared_ptr<Executor>& executor, std::size_t pieces,
                               const std::function<void(std::size_t)>& f,
                               const ParallelizeOptions& options, std::stop_token stop = {});

}  // namespace kube
