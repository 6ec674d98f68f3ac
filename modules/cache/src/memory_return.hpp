// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::MemoryReturn: returns the memory of a large list to the system.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include <kube/base/executor.hpp>

namespace kube::cache {

/// What a list that failed or was replaced leaves free among cells stays with CellMemory, and glibc
/// keeps decoded objects for the thread that allocated them, the transport's here: the process
/// would still hold that memory.
///
/// @par Thread safety   Belongs to one strand.
class MemoryReturn {
 public:
  /// Fewer bytes are not worth the walk through the allocator's arenas.
  static constexpr std::size_t kWorthIt = std::size_t{16} << 20;
  /// The delay after the memory was freed; handlers may hold its objects for a moment.
  static constexpr Duration kDelay = std::chrono::seconds(1);

  explicit MemoryReturn(Strand strand, std::function<void()> give_back = now)
      : strand_(std::move(strand)), give_back_(std::move(give_back)) {}

  /// Reports bytes of cells that are no longer needed.
  void freed(std::size_t bytes);
  void stop() { timer_.cancel(); }

  /// Returns all free memory to the system.
  /// @par Cost   Some milliseconds, during which allocations of other threads may wait.
  static void now();

 private:
  Strand strand_;
  std::function<void()> give_back_;
  Timer timer_;
  std::size_t freed_ = 0;              // since the last time
  TimePoint next_ = TimePoint::min();  // when memory is given back
};

}  // namespace kube::cache
