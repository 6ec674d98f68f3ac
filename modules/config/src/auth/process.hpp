// SPDX-License-Identifier: Apache-2.0
//
// Runs another program and takes its output. Nothing else in the library starts processes.
//
// Any thread may call these functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>

namespace kube::rest {

struct ProcessSpec {
  std::string executable{};                ///< A path, not looked for.
  std::vector<std::string> arguments{};    ///< The first one is the program's name for itself.
  std::vector<std::string> environment{};  ///< NAME=value, all of them.
  bool inherit_stdin = false;              ///< Otherwise standard input is empty.
  std::chrono::milliseconds timeout{90'000};
  std::size_t max_output_bytes = std::size_t{16} << 20;
};

struct ProcessOutput {
  int exit_code = 0;  ///< -1 when a signal has ended it.
  int signal = 0;     ///< That signal; 0 without one.
  std::string text{};
};

/// Runs the program until it exits and returns what it wrote to standard output. Its standard error
/// is that of this process; other descriptors are closed in it. A stop, a timeout or too long an
/// output end it: SIGTERM, and SIGKILL a second later. Without `inherit_stdin` it has a process
/// group of its own, and its children end with it.
/// @par Errors   Credentials: it can't be started, with the system's reason, or its output is too
///   long; Timeout; Cancelled. None contains output.
/// @par Blocks   Until the program has exited.
Result<ProcessOutput> run_process(const ProcessSpec& spec, std::stop_token stop);

/// Returns the path of a command as exec.LookPath does: a command with a slash is a path, others
/// are looked for in the folders of `path`; "" when there is no such executable file.
std::string find_executable(const std::string& command, std::string_view path);

}  // namespace kube::rest
