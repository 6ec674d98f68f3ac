// SPDX-License-Identifier: Apache-2.0
//
// Files that a command reads and writes, where "-" is standard input.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kubecpp {

/// Returns the name of the file for errors: its path, or "standard input".
std::string input_name(const std::string& path);

/// Reads the whole file.
/// @par Errors   Config, naming the file; also for a file larger than kube::kMaxFileBytes.
///   Cancelled when asked to stop.
/// @par Blocks   On a pipe and on standard input until the end, or until asked to stop.
kube::Result<std::string> read_input(const std::string& path, const std::stop_token& stop);

/// Reads a line of standard input, without blanks around it and without the end of the line.
/// @par Errors   Config when it can't be read; Cancelled when asked to stop.
/// @par Blocks   Until the line or the input ends, or until asked to stop.
kube::Result<std::string> read_input_line(const std::stop_token& stop);

/// Replaces the file's content.
/// @par Errors   Config, naming the file.
kube::Result<void> write_output_file(const std::string& path, std::string_view text);

}  // namespace kubecpp
