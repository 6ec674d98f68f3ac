// SPDX-License-Identifier: Apache-2.0
//
// SIGINT and SIGTERM as a stop token.
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace example {

/// While it lives, the first SIGINT or SIGTERM requests a stop and the second ends the process at
/// once. Make it before any other thread: they inherit the blocked signals. One at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  sigset_t previous_{};
  std::thread waiter_;
};

/// Blocks until stop is requested.
void wait_for_stop(std::stop_token stop);

}  // namespace example
