// SPDX-License-Identifier: Apache-2.0
#include "system_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace kube::cache {

std::size_t system_page() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::span<std::byte> whole_pages(std::span<std::byte> memory, std::size_t page) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t end = (begin + memory.size()) / page * page;
  if (end <= first) return {};
  return memory.subspan(first - begin, end - first);
}

std::span<std::byte> map_aligned(std::size_t bytes, std::size_t alignment) {
  void* const mapped = ::mmap(nullptr, bytes + alignment, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return {};
  const std::span<std::byte> all(static_cast<std::byte*>(mapped), bytes + alignment);
  const std::size_t skew = reinterpret_cast<std::uintptr_t>(mapped) % alignment;
  const std::size_t before = skew == 0 ? 0 : alignment - skew;
  if (before != 0) ::munmap(mapped, before);
  if (before != alignment) ::munmap(&all[before + bytes], alignment - before);
  return all.subspan(before, bytes);
}

}  // namespace kube::cache
