// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp logs`: prints the logs of containers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

struct LogsCommandOptions {
  ConnectionOptions connection{};
  std::vector<std::string> words{};  ///< POD or TYPE/NAME, and a container.
  std::string namespace_{};
  std::string selector{};
  std::string container{};
  bool all_containers = false;
  bool all_pods = false;
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  bool prefix = false;
  bool ignore_errors = false;
  bool insecure_skip_tls_verify_backend = false;
  std::string since{};       ///< A duration; empty or 0s: all logs.
  std::string since_time{};  ///< RFC 3339.
  std::int64_t tail = -1;    ///< -1: all lines, or 10 with a selector.
  bool tail_given = false;
  std::int64_t limit_bytes = 0;
  std::int64_t max_log_requests = 5;
  std::string pod_running_timeout = "20s";
};

/// Passes the logs on as they are; returns the exit status.
int run_logs(const LogsCommandOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_logs(CLI::App& command);

}  // namespace kubecpp
