// SPDX-License-Identifier: Apache-2.0
//
// Prints logs one after the other, or several at once while they grow.
#pragma once

#include <chrono>
#include <stop_token>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>

#include "log_sources.hpp"
#include "output.hpp"

namespace kubecpp {

struct LogPrinterOptions {
  bool follow = false;         ///< All of them at once, and what is written from now on.
  bool prefix = false;         ///< Each line begins with its source.
  bool ignore_errors = false;  ///< An error becomes a line of the output.
  std::chrono::nanoseconds retry_for =
      std::chrono::seconds(20);  ///< A server's errors, with follow.
};

/// @par Thread safety   One thread.
/// @par Threads   With `follow`, one for each source but the first, while print() runs.
class LogPrinter {
 public:
  LogPrinter(LogPrinterOptions options, kube::Clock& clock, Output& out)
      : options_(options), clock_(clock), out_(out) {}

  /// The end of the output's reader is a success.
  /// @par Errors   The first one of a log, which ends the others. A server's error with `follow` is
  ///   printed and the log asked for again, once a second; Timeout: for too long.
  /// @par Blocks   Until all logs have ended, or `stop` is requested (Cancelled).
  kube::Result<void> print(const std::vector<LogSource>& sources, const std::stop_token& stop);

 private:
  kube::Result<void> print_at_once(const std::vector<LogSource>& sources,
                                   const std::stop_token& stop);
  kube::Result<void> print_one(const LogSource& source, const std::stop_token& stop);
  kube::Result<void> copy(const LogSource& source, const std::stop_token& stop);

  const LogPrinterOptions options_;
  kube::Clock& clock_;
  Output& out_;
};

}  // namespace kubecpp
