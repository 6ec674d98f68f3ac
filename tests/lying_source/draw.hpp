// SPDX-License-Identifier: Apache-2.0
//
// Everything that a run leaves to chance, from its seed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kube::lying {

/// SplitMix64: the same numbers on every platform, unlike the standard's distributions.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed * 0xd1342543de82ef95U + 0x2545f4914f6cdd1dU) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// 0 to `end` - 1; `end` is not 0.
  std::uint64_t below(std::uint64_t end) { return next() % end; }
  std::size_t index(std::size_t size) { return static_cast<std::size_t>(below(size)); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  bool percent(unsigned p) { return below(100) < p; }
  template <class T, std::size_t N>
  const T& of(const T (&choices)[N]) {
    return choices[index(N)];
  }

 private:
  std::uint64_t state_;
};

}  // namespace kube::lying
