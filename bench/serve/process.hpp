// SPDX-License-Identifier: Apache-2.0
//
// A server's process, as the kernel counts it.
#pragma once

#include <string>

namespace kube::bench {

/// @par Thread safety   None: for one thread at a time.
class Process {
 public:
  explicit Process(int pid) : pid_(pid) {}

  /// Resident memory.
  double kib() const;
  /// The time of processors so far, in user and kernel mode.
  double cpu_seconds() const;
  /// Stops it until go_on(): what follows the same cluster must not take the processors from the
  /// server that is measured.
  void halt() const;
  void go_on() const;
  /// Waits until it has nothing to do, at most half a minute.
  void settle() const;

 private:
  int pid_;
};

}  // namespace kube::bench
