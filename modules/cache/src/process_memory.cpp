// SPDX-License-Identifier: Apache-2.0
//
// The memory that all informers of a process share.
#include <pthread.h>

#include <new>

#include "cell_memory.hpp"

namespace kube::cache {

void CellMemory::before_fork() {
  of_process().mutex_.lock();
}

void CellMemory::after_fork() {
  of_process().mutex_.unlock();
}

CellMemory& CellMemory::of_process() {
  static CellMemory& memory = []() -> CellMemory& {
    auto& made = *new CellMemory();
    // Another thread may hold the lock when this one forks, and does not go on in the child.
    pthread_atfork(before_fork, after_fork, after_fork);
    return made;
  }();
  return memory;
}

#if defined(__SANITIZE_ADDRESS__)
#define KUBE_ADDRESS_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KUBE_ADDRESS_SANITIZED
#endif
#endif

#ifdef KUBE_ADDRESS_SANITIZED
void* allocate_cache_memory(std::size_t bytes) {
  return ::operator new(bytes);
}
void release_cache_memory(void* block, std::size_t /*bytes*/) noexcept {
  ::operator delete(block);
}
#else
void* allocate_cache_memory(std::size_t bytes) {
  return CellMemory::of_process().allocate(bytes);
}
void release_cache_memory(void* block, std::size_t bytes) noexcept {
  CellMemory::of_process().release(block, bytes);
}
#endif

}  // namespace kube::cache
