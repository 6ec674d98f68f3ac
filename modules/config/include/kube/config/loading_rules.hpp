// SPDX-License-Identifier: Apache-2.0
//
// Which kubeconfig files are read and written (docs/reference/clients-and-config.md 10.2, 10.7).
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kube/config/environment.hpp>
#include <kube/config/kubeconfig_types.hpp>

namespace kube::kubeconfig {

/// The result of reading several files: what could be read, and what could not.
/// @par Thread safety   A value.
struct Loaded {
  Kubeconfig config{};
  std::optional<Error> error{};  ///< Config, a line for each mistake of each file; Cancelled.
};

/// The files of a configuration. client-go's ClientConfigLoadingRules and PathOptions.
/// @par Thread safety   A value.
struct LoadingRules {
  std::string explicit_path{};            ///< If set it must exist, and only it is read.
  std::vector<std::string> precedence{};  ///< Else these; files that is_missing() are skipped.
  bool from_environment = false;          ///< The precedence is that of KUBECONFIG.
  bool resolve_paths = true;              ///< Make relative paths absolute.
  /// Destination and source: before reading, a destination that does not exist becomes a copy of
  /// its source, with the same permissions but those to execute.
  std::vector<std::pair<std::string, std::string>> migrations{};
  /// Called with "Config not found: a, b" when all files of KUBECONFIG are missing. Empty: silent.
  std::function<void(const std::string&)> warn{};

  /// Returns the rules of a program that names no file: the files of KUBECONFIG (separated by ':',
  /// each once, in the order of their first mention), else ~/.kube/config.
  /// @param environment   Empty: the process's.
  static LoadingRules defaults(const rest::Environment& environment = {});

  /// Reads and merges the files; a file with mistakes is left out. A stop ends it: the error is
  /// Cancelled.
  /// @par Blocks   While it reads files: on a pipe until it is written, or a stop.
  Loaded load_partly(std::stop_token stop = {}) const;
  /// @par Errors   Config, with a line for each mistake of each file; Cancelled.
  /// @par Blocks   As load_partly().
  Result<Kubeconfig> load(std::stop_token stop = {}) const;

  /// Returns why there is no file: "KUBECONFIG names no file" or "neither KUBECONFIG nor HOME is
  /// set".
  std::string why_no_file() const;
  /// Returns the files that load() reads, in order.
  std::vector<std::string> files() const;
  /// Returns the file that new entries are written to: the explicit one; else the first of the
  /// precedence that is not missing, else its last. "" without any.
  std::string default_file() const;
};

/// Whether there is no file of this name, behind symbolic links too. False where that can't be
/// found out, as in a folder that may not be searched: reading the file fails with the reason.
/// @par Thread safety   Any thread may call it.
bool is_missing(const std::string& path);

/// Reads one file. Paths are as they are written.
/// @par Errors   Config, naming the file; Cancelled.
/// @par Blocks   While it reads the file: on a pipe until it is written, or a stop.
Result<Kubeconfig> read_kubeconfig_file(const std::string& path, std::stop_token stop = {});

}  // namespace kube::kubeconfig
