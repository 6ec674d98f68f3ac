// SPDX-License-Identifier: Apache-2.0
//
// kube::parallelize_until: one function over many numbered pieces, on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

#include <kube/base/executor.hpp>
#include <kube/base/result.hpp>

namespace kube {

struct ParallelizeOptions {
  std::size_t workers = 1;     ///< At most so many run at the same time, the caller among them.
  std::size_t chunk_size = 1;  ///< Pieces that a worker takes at a time; 0 counts as 1.
};

/// Runs f(0) … f(pieces - 1), each once. The caller's thread is one of the workers, the others are
/// tasks on `executor`: a busy, stopped or throwing executor costs parallelism, not progress.
///
/// @par Errors   Cancelled when `stop` was requested before all pieces had begun; Internal when f
///   threw. In both cases no further piece is begun, and those under way are finished.
/// @par Blocks   Until all workers have ended.
Result<void> parallelize_until(const std::shared_ptr<Executor>& executor, std::size_t pieces,
                               const std::function<void(std::size_t)>& f,
                               const ParallelizeOptions& options, std::stop_token stop);

}  // namespace kube
