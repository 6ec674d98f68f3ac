// SPDX-License-Identifier: Apache-2.0
//
// The commands of other threads to the I/O thread: start, resume, write, cancel, new TLS material.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include <curl/curl.h>

#include <kube/base/mutex.hpp>
#include <kube/base/worker_thread.hpp>

namespace kube::transport {

class CurlExchange;

struct Command {
  enum class Verb { Start, Resume, Write, Cancel, UseNewTls };
  Verb verb;
  std::shared_ptr<CurlExchange> exchange;  ///< Null for UseNewTls.
};

/// Outlives the loop: exchanges that still exist post into it without effect.
/// @par Thread safety   All functions may be called from any thread, except take(), wait(), close()
///   and those of the turn, which only the I/O thread calls.
class CommandQueue {
 public:
  explicit CommandQueue(CURLM* multi) : multi_(multi) {}

  /// Blocks only for the queue's own lock. Drops the command once the queue is closed.
  void post(Command command) KUBE_EXCLUDES(mutex_);
  /// Ends the wait of the I/O thread in libcurl; wait() goes on. It does nothing once the queue is
  /// closed.
  void interrupt() KUBE_EXCLUDES(mutex_);
  /// Requests the end of the loop and of all exchanges.
  void stop() KUBE_EXCLUDES(mutex_);

  /// Moves the queued commands into `commands` (emptied before); true when a stop is requested.
  bool take(std::vector<Command>& commands) KUBE_EXCLUDES(mutex_);
  /// Ends the turn of the I/O thread, which is about to wait. Returns false, and does not end it,
  /// while commands are queued.
  bool end_turn() KUBE_EXCLUDES(mutex_);
  /// Call after the I/O thread has waited; a post may have begun the turn already.
  void begin_turn() KUBE_EXCLUDES(mutex_);
  /// Waits until a command is posted or the time is over.
  void wait(std::chrono::milliseconds at_most) KUBE_EXCLUDES(mutex_);
  /// Called before the handle that posts wake is destroyed. Returns false, and does not close,
  /// while commands are queued.
  bool close() KUBE_EXCLUDES(mutex_);

 private:
  void wake() KUBE_REQUIRES(mutex_);

  mutable Mutex mutex_;
  CondVar posted_;
  std::vector<Command> commands_ KUBE_GUARDED_BY(mutex_);
  // Belongs to the I/O thread, from its start; empty while it waits.
  std::optional<WorkerThread::Turn> turn_ KUBE_GUARDED_BY(mutex_){std::in_place};
  bool stopping_ KUBE_GUARDED_BY(mutex_) = false;
  CURLM* multi_ KUBE_GUARDED_BY(mutex_);  // Null once closed.
};

}  // namespace kube::transport
