// SPDX-License-Identifier: Apache-2.0
//
// Counts what a thread allocates, and takes its memory away: its allocations fail, those of others
// don't.
#pragma once

#include <cstddef>

namespace kube::testing {

/// False under a sanitizer, which has an allocator of its own: then nothing fails or counts.
bool can_take_memory();

/// While it is true, what the calling thread asks of operator new fails with std::bad_alloc.
void take_memory(bool taken);

/// The bytes that the calling thread has asked of operator new.
std::size_t allocated_bytes();

}  // namespace kube::testing
