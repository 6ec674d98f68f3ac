// SPDX-License-Identifier: Apache-2.0
//
// The folder of `kubecpp serve --state-dir`.
#pragma once

#include <string>
#include <utility>

#include <kube/base/result.hpp>

namespace kubecpp {

/// A folder that this process alone saves its caches in, as long as this object lives.
/// @par Thread safety   None.
class StateFolder {
 public:
  /// Makes the folder when it does not exist. Warns of one that other users may write to, which a
  /// volume of Kubernetes often is.
  /// @par Errors   Config, naming the folder and what was expected: it can't be made or written to,
  ///   or another process uses it.
  static kube::Result<StateFolder> open(const std::string& path);
  StateFolder(StateFolder&& other) noexcept : lock_(std::exchange(other.lock_, -1)) {}
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;
  ~StateFolder();

 private:
  explicit StateFolder(int lock) : lock_(lock) {}

  int lock_;  ///< A file whose lock ends with the process, however it ends.
};

}  // namespace kubecpp
