// SPDX-License-Identifier: Apache-2.0
//
// The server's threads, and an executor on them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/base/log.hpp>
#include <kube/base/worker_thread.hpp>

namespace boost::asio {
class io_context;
}

namespace kube::serving {

/// @par Thread safety   post() and executor(): any thread. start(), stop(): the owner's.
class IoThreads {
 public:
  IoThreads();
  ~IoThreads();
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  /// An exception thrown by a task is written to the logger, if there is one; the threads continue.
  /// The threads are "name-0" and so on, at most 15 bytes; log lines are of the component `name`.
  void start(const std::string& name, std::size_t threads, std::shared_ptr<Logger> logger);
  /// Drops queued tasks and joins. Idempotent.
  void stop();
  void post(std::function<void()> task);
  boost::asio::io_context& context() { return *context_; }
  /// Runs tasks and timers on these threads, by the machine's clock. Must not be used after this
  /// object is destroyed.
  std::shared_ptr<Executor> executor();

 private:
  std::shared_ptr<boost::asio::io_context> context_;  // its threads own it, too
  struct Work;
  std::unique_ptr<Work> work_;
  std::vector<WorkerThread> threads_;
};

}  // namespace kube::serving
