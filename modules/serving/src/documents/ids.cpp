// SPDX-License-Identifier: Apache-2.0
#include "documents/ids.hpp"

#include <kube/base/ascii.hpp>

namespace kube::serving {
namespace {

std::mt19937_64 make_engine(std::optional<std::uint64_t> seed) {
  if (seed) return std::mt19937_64(*seed);
  std::random_device device;
  std::seed_seq sequence{device(), device(), device(), device()};
  return std::mt19937_64(sequence);
}

}  // namespace

Ids::Ids(std::optional<std::uint64_t> seed) : engine_(make_engine(seed)) {}

std::string Ids::uid() {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  {
    const MutexLock lock(mutex_);
    high = engine_();
    low = engine_();
  }
  high = (high & 0xffffffffffff0fffULL) | 0x4000ULL;            // version 4
  low = (low & 0x3fffffffffffffffULL) | 0x8000000000000000ULL;  // RFC 4122
  std::string out;
  out.reserve(36);
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    const std::uint64_t word = i < 16 ? high : low;
    out += ascii::kHexDigits[(word >> (60 - 4 * (i % 16))) & 0xfU];
  }
  return out;
}

double Ids::fraction() {
  const MutexLock lock(mutex_);
  return std::generate_canonical<double, 53>(engine_);
}

}  // namespace kube::serving
