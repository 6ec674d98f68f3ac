// SPDX-License-Identifier: Apache-2.0
#include "thread_memory.hpp"

#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KUBE_BASE_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KUBE_BASE_SANITIZED
#endif
#endif

namespace {

thread_local bool memory_is_taken = false;
thread_local std::size_t allocated = 0;

}  // namespace

namespace kube::testing {

void take_memory(bool taken) {
  memory_is_taken = taken;
}

std::size_t allocated_bytes() {
  return allocated;
}

}  // namespace kube::testing

#ifdef KUBE_BASE_SANITIZED

namespace kube::testing {
bool can_take_memory() {
  return false;
}
}  // namespace kube::testing

#else

namespace kube::testing {
bool can_take_memory() {
  return true;
}
}  // namespace kube::testing

namespace {

void* allocation(std::size_t size) {
  void* const bytes = memory_is_taken ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (bytes == nullptr) throw std::bad_alloc();
  allocated += size;
  return bytes;
}

}  // namespace

// What is aligned or asked for without exceptions does not fail.
void* operator new(std::size_t size) {
  return allocation(size);
}
void* operator new[](std::size_t size) {
  return allocation(size);
}
void operator delete(void* bytes) noexcept {
  std::free(bytes);
}
void operator delete[](void* bytes) noexcept {
  std::free(bytes);
}
void operator delete(void* bytes, std::size_t) noexcept {
  std::free(bytes);
}
void operator delete[](void* bytes, std::size_t) noexcept {
  std::free(bytes);
}

#endif
