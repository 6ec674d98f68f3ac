// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::MemoryReturn: returns the memory of a large list to the system.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include <kube/base/executor.hpp>

namespace kube::cache {

/// glibc keeps what was freed for the thread that had allocated it, which is the transport's, and
/// gives back only what lies at the end of its arena: after a list of a gigabyte that failed, the
/// process had it still. Other allocators have ways of their own.
///
/// @par Thread safety   Belongs to one strand.
class MemoryReturn {
 public:
  /// Less than that, in bytes, is not worth the walk through the allocator's arenas.
  static constexpr std::size_t kWorthIt = std::size_t{16} << 20;
  /// From then on; handlers may hold what is to be freed for a moment.
  static constexpr Duration kDelay = std::chrono::seconds(1);

  /// `give_back`: what is called in the end, for tests.
  explicit MemoryReturn(Strand strand, std::function<void()> give_back = now)
      : strand_(std::move(strand)), give_back_(std::move(give_back)) {}

  /// So many bytes of cells are no longer needed.
  void freed(std::size_t bytes);
  void stop() { timer_.cancel(); }

  /// Gives back what is free.
  /// @par Cost   Some milliseconds, for which allocations of other threads may wait.
  static void now();

 private:
  Strand strand_;
  std::function<void()> give_back_;
  Timer timer_;
  std::size_t freed_ = 0;              // since the last time
  TimePoint next_ = TimePoint::min();  // when memory is given back
};

}  // namespace kube::cache
