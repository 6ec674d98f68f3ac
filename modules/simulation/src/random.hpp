// SPDX-License-Identifier: Apache-2.0
//
// Numbers of a seed: the same on every platform, unlike the standard's distributions.
#pragma once

#include <cstdint>

namespace kube::testing {

/// SplitMix64.
/// @par Thread safety   None.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// An independent stream of a seed.
  Random(std::uint64_t seed, std::uint64_t stream) : state_(seed ^ (stream * kStep)) {
    state_ = next();
  }

  std::uint64_t next() {
    std::uint64_t z = (state_ += kStep);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// 0 to count - 1. Requires count > 0.
  std::uint64_t below(std::uint64_t count) { return next() % count; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;
  std::uint64_t state_;
};

}  // namespace kube::testing
