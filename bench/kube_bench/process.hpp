// SPDX-License-Identifier: Apache-2.0
//
// What the kernel says of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kube::bench {

/// Since the process began.
struct Usage {
  double processor_seconds = 0;
  double kernel_seconds = 0;  // of those
  std::int64_t page_faults = 0;
};

Usage usage();
/// In bytes.
std::size_t resident_memory();
/// The peak of resident_memory() since the last reset.
std::size_t peak_memory();
void reset_peak_memory();
std::size_t threads();
/// Open ones.
std::size_t sockets();

}  // namespace kube::bench
