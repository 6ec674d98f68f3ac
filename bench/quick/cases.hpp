// SPDX-License-Identifier: Apache-2.0
//
// The hot paths whose instructions `./dev bench quick` counts. They use public interfaces, so that
// the figures outlive what is behind them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kube::bench {

/// One path with a fixed input.
struct QuickCase {
  std::string name;
  std::string unit;   ///< What `count` counts: "pod", "event", "item".
  std::size_t count;  ///< Units in one run.
  /// Makes what the run needs and returns the run. Only the run is counted; what it holds is
  /// destroyed after the count.
  std::function<std::function<void()>()> prepare;
};

std::vector<QuickCase> cache_cases();
std::vector<QuickCase> codec_cases();
std::vector<QuickCase> queue_cases();
std::vector<QuickCase> apiserver_cases();

}  // namespace kube::bench
