// SPDX-License-Identifier: Apache-2.0
//
// How fast the machine is now.
#pragma once

#include <cstddef>

#include "measured_server.hpp"
#include "row.hpp"

namespace bounds {

/// Measures a fixed exchange with a server of its own. What else runs on a machine, or on the host
/// of a virtual one, makes CPU time several times as long; this exchange becomes longer with it.
class Yardstick {
 public:
  /// @throws std::runtime_error as MeasuredServer.
  Yardstick();

  /// Returns how many times as long the exchange takes now as on the machine of Limits at rest; at
  /// least 1.
  double slowness();

 private:
  Row row_;
  MeasuredServer server_;
  std::size_t calls_ = 0;
};

}  // namespace bounds
