// SPDX-License-Identifier: Apache-2.0
//
// An embedded server in a process of its own, whose CPU time and memory are read from outside.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "child_program.hpp"

namespace bounds {

struct Usage {
  std::chrono::nanoseconds cpu{};
  std::size_t memory = 0;  ///< Bytes; of a cost: growth above what was held when it began.
};

/// @throws std::runtime_error when the process can't be started or asked.
class MeasuredServer {
 public:
  MeasuredServer();

  std::uint16_t port() const { return port_; }

  /// Begins a measurement: waits until the server is at rest, then takes what it has used.
  void begin();
  /// What was used since begin(), once the server is at rest again. The memory is the peak.
  Usage end();
  /// False when it has died.
  bool alive() const;

 private:
  std::chrono::nanoseconds cpu() const;
  void await_rest() const;
  bool sleeps() const;

  programs::Program program_;
  std::uint16_t port_ = 0;
  Usage before_;
};

/// main() of that process: prints its port, serves until it is killed.
int serve();

}  // namespace bounds
