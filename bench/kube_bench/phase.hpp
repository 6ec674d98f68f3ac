// SPDX-License-Identifier: Apache-2.0
//
// kube::bench::Phase: what a phase of this process costs.
#pragma once

#include <chrono>
#include <string_view>

#include "line.hpp"
#include "process.hpp"

namespace kube::bench {

/// @par Thread safety   Belongs to one thread.
class Phase {
 public:
  /// The phase begins.
  Phase();

  /// Ends the phase, and returns its line without what the caller knows. The memory is that of
  /// 2.5 seconds later, when what was freed has been given back.
  Line end(std::string_view bench, std::string_view name) const;

 private:
  Usage before_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace kube::bench
