// SPDX-License-Identifier: Apache-2.0
//
// Reads a server's files again while it runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>

namespace kube::cacheserver {

/// Logs a change at Info, and each error at Error once until the files can be read again.
///
/// @par Thread safety   add() and start(): the owner's, once. The rest happens on the executor, one
///   thing at a time; it must be closed before this object is destroyed.
class Reloader {
 public:
  /// Reads files and takes their content; returns whether it has changed.
  using Read = std::function<Result<bool>()>;

  Reloader(Executor& executor, Duration period, std::shared_ptr<Logger> logger)
      : executor_(executor), period_(period), logger_(std::move(logger)) {}

  /// `what`: the files in words, for the log. Those that are not regular, such as a pipe, have been
  /// read once and are left alone.
  void add(std::string what, std::vector<std::string> files, Read read);
  void start();

 private:
  struct Watched {
    std::string what;
    std::vector<std::string> files;
    Read read;
    std::string problem;  ///< The last error; empty after a success.
  };
  void check(Watched& watched);

  Executor& executor_;
  const Duration period_;
  const std::shared_ptr<Logger> logger_;
  std::vector<Watched> all_;
  Mutex mutex_;
  Timer timer_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::cacheserver
