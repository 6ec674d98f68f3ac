// SPDX-License-Identifier: Apache-2.0
//
// Returns freed memory to the system after large lists.
#include "memory_return.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "cell_memory.hpp"

namespace kube::cache {

void MemoryReturn::now() {
  CellMemory::of_process().give_back();
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

void MemoryReturn::freed(std::size_t bytes) {
  freed_ += bytes;
  if (freed_ < kWorthIt) return;
  freed_ = 0;
  const TimePoint now = strand_.clock()->now();
  if (now < next_) return;  // the pending return includes these bytes
  next_ = now + kDelay;
  timer_ = strand_.submit_after(kDelay, give_back_);
}

}  // namespace kube::cache
