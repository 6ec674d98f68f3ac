// SPDX-License-Identifier: Apache-2.0
//
// kube::StopSignal: SIGINT and SIGTERM as a stop token (controller-runtime's SetupSignalHandler).
#pragma once

#include <csignal>
#include <stop_token>

#include <kube/base/worker_thread.hpp>

namespace kube {

/// While it lives, the first SIGINT or SIGTERM requests a stop, and the second ends the process at
/// once with exit status 128 + signal:
///
///   const kube::StopSignal signal;  // first in main()
///   start_everything();
///   kube::wait_for_stop(signal.token());
///
/// It may be made before or after clients and servers, whose threads block signals. Threads of the
/// program inherit the signal mask: create it before them, otherwise a signal that reaches one ends
/// the process. Programs started by exec inherit the mask too: unblock both signals in the child
/// before exec. The destructor restores the mask of its own thread. A process has at most one
/// StopSignal at a time.
///
/// @par Thread safety   token() may be called from any thread.
/// @par Threads   One, which runs the stop callbacks of the token.
class StopSignal {
 public:
  /// @throws std::system_error   when no file descriptor or no thread is left.
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  void wait_for_signals();

  std::stop_source source_;
  sigset_t previous_{};
  int signals_ = -1;
  int over_ = -1;
  WorkerThread waiter_;
};

}  // namespace kube
