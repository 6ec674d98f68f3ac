// SPDX-License-Identifier: Apache-2.0
//
// What survives a run that ends its process.
#pragma once

#include <cstdint>
#include <string>

#include <kube/simulation/simulation.hpp>

namespace kube::testing {

/// Receives what a journal notes at once, so that it is known when the run crashes.
/// @par Thread safety   One thread runs at any moment; the process runs one simulation.
class BlackBox {
 public:
  virtual ~BlackBox() = default;
  virtual void happened(std::uint32_t number) = 0;
  virtual void broken(const BrokenRule& rule) = 0;
  /// A line of the trace, with its time; only of runs that are traced.
  virtual void line(const std::string& text) = 0;

  /// Returns that of the runs of this process; null: none.
  static BlackBox* of_process();
  static void set_of_process(BlackBox* box);
};

}  // namespace kube::testing
