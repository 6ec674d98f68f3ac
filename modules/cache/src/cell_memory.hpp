// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::CellMemory: the memory of cells and of the tables of stores, in chunks of its own
// (docs/decisions/0036-cells-have-chunks-of-their-own.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kube/base/mutex.hpp>

namespace kube::cache {

/// Hands out blocks from chunks of 2 MiB, which it maps itself. A chunk is cut into spans of pages,
/// a span into slots of one size. Small slots, which are the heads of cells, have chunks of their
/// own, which become huge pages when no other span fits in. Sizes are 16 bytes apart up to 1 KiB,
/// and by a sixty-fourth of the power of two below from there on. What fits into no span comes from
/// operator new.
///
/// A block that is released serves the next one of its size; a span without blocks is pages for
/// spans of any size; a chunk without spans returns to the system. Free pages without a span, and
/// those inside of free slots, are about a thirty-second of what is in use (and 1 MiB) each: beyond
/// that each release returns some to the system, so that a storm in which handlers hold many old
/// objects leaves nothing behind, whichever threads release them. Where the system's pages are
/// larger than kPage, only what fills whole ones is returned.
///
/// A process that forks may use it on both sides.
///
/// @par Thread safety   Any thread. No user code runs under its lock.
class CellMemory {
 public:
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kChunk = std::size_t{2} << 20;
  static constexpr std::size_t kLargestBlock = std::size_t{1} << 20;

  CellMemory();
  /// All blocks must have been released.
  ~CellMemory();
  CellMemory(const CellMemory&) = delete;
  CellMemory& operator=(const CellMemory&) = delete;

  /// Returns that of all informers of the process; it is never destroyed.
  static CellMemory& of_process();

  /// Returns a block whose address is a multiple of 16.
  /// @par Errors   Throws std::bad_alloc.
  void* allocate(std::size_t bytes) KUBE_EXCLUDES(mutex_);
  /// `bytes`: those that the block was allocated with.
  void release(void* block, std::size_t bytes) noexcept KUBE_EXCLUDES(mutex_);

  /// Returns all pages without a block to the system.
  /// @par Cost   A system call for each run of pages: up to some ten milliseconds, during which
  ///   other threads wait for memory of this.
  void give_back() noexcept KUBE_EXCLUDES(mutex_);

  struct Figures {
    std::size_t blocks = 0;       ///< Allocated and not released, without those of operator new.
    std::size_t used_bytes = 0;   ///< Of their slots.
    std::size_t chunk_bytes = 0;  ///< Of all chunks.
    std::size_t free_bytes = 0;   ///< Of pages without a block that the system has not got back.
  };
  Figures figures() const KUBE_EXCLUDES(mutex_);

 private:
  struct Chunk;
  struct Span;
  /// How the spans of one size of slots are.
  struct SizeClass {
    std::uint32_t slot_bytes = 0;
    std::uint32_t pages = 0;  // of a span
    std::uint32_t slots = 0;
    Span* with_room = nullptr;  // the first one of a ring
  };
  struct Mapped {
    Chunk* chunk = nullptr;
    std::size_t longest = 0;  // no more free pages than that are in a row
    bool small = false;       // as Chunk
  };
  static constexpr std::size_t kSmallClasses = 64;  // up to 1 KiB
  static constexpr std::size_t kClassesPerDoubling = 64;
  static constexpr std::size_t kClasses = kSmallClasses + 7 * kClassesPerDoubling;  // 128 KiB
  static constexpr std::uint32_t kNoClass = kClasses;  // a span of one slot

  // The analysis does not follow a lock from one handler to another.
  static void before_fork() KUBE_NO_THREAD_SAFETY_ANALYSIS;
  static void after_fork() KUBE_NO_THREAD_SAFETY_ANALYSIS;
  static std::size_t class_of(std::size_t bytes);
  static void insert(Span*& ring, Span* span);
  static void remove(Span*& ring, Span* span);

  Span* make_span(std::uint32_t size_class, std::size_t pages, std::size_t slots)
      KUBE_REQUIRES(mutex_);
  void free_span(Span* span) KUBE_REQUIRES(mutex_);
  void map_chunk(bool small) KUBE_REQUIRES(mutex_);
  void unmap(std::size_t index) KUBE_REQUIRES(mutex_);
  void return_free_pages() KUBE_REQUIRES(mutex_);
  void return_free_slots(Span* span) KUBE_REQUIRES(mutex_);
  bool is_too_much(std::size_t free_bytes) const KUBE_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::array<SizeClass, kClasses> classes_ KUBE_GUARDED_BY(mutex_);
  std::vector<Mapped> chunks_ KUBE_GUARDED_BY(mutex_);
  std::span<std::byte> unused_ KUBE_GUARDED_BY(mutex_);  // mapped for chunks to come
  std::size_t blocks_ KUBE_GUARDED_BY(mutex_) = 0;
  std::size_t used_bytes_ KUBE_GUARDED_BY(mutex_) = 0;       // of their slots
  std::size_t free_pages_ KUBE_GUARDED_BY(mutex_) = 0;       // of no span, used and not given back
  std::size_t free_slot_bytes_ KUBE_GUARDED_BY(mutex_) = 0;  // of whole pages in free slots
};

/// Memory of the process's CellMemory; under AddressSanitizer, which knows the blocks of operator
/// new and no others, of operator new.
/// @par Errors   Throws std::bad_alloc.
void* allocate_cache_memory(std::size_t bytes);
/// `bytes`: those that the block was allocated with.
void release_cache_memory(void* block, std::size_t bytes) noexcept;

}  // namespace kube::cache
