// SPDX-License-Identifier: Apache-2.0
//
// Memory from the system, by its pages.
#pragma once

#include <cstddef>
#include <span>

namespace kube::cache {

/// The size of the system's pages: 4 KiB, or up to 64 KiB on 64-bit ARM.
std::size_t system_page();
/// Returns the whole pages of `page` bytes that lie in memory; empty when there is none.
std::span<std::byte> whole_pages(std::span<std::byte> memory, std::size_t page);
/// Maps memory, of which nothing is resident, at a multiple of a power of two of pages. Empty when
/// the system refuses.
std::span<std::byte> map_aligned(std::size_t bytes, std::size_t alignment);

}  // namespace kube::cache
