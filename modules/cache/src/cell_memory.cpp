// SPDX-License-Identifier: Apache-2.0
#include "cell_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <bitset>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include "system_pages.hpp"

namespace kube::cache {
namespace {

constexpr std::size_t kPagesOfChunk = CellMemory::kChunk / CellMemory::kPage;
// In larger caches pages come 128 at a time: one system call in place of as many page faults.
constexpr std::size_t kChunksWithoutHaste = 4;
constexpr std::size_t kPagesAtOnce = 128;
constexpr std::size_t kChunksOfArea = 32;
constexpr std::size_t kMostPagesOfSpan = 64;
// What is smaller lies in chunks apart: the heads of cells, which each query reads.
constexpr std::size_t kSmall = 512;
// MADV_COLLAPSE of Linux 6.1, which older headers lack.
constexpr int kMakeHuge = 25;
// The most of a span that no slot uses: a hundredth, where any number of slots is so good.
constexpr std::size_t kWaste = 100;
// The most that is kept free of pages, and of slots: a thirty-second of what is used, and this.
constexpr std::size_t kFreeShare = 32;
constexpr std::size_t kKept = std::size_t{1} << 20;

std::size_t pages_of(std::size_t bytes) {
  return (bytes + CellMemory::kPage - 1) / CellMemory::kPage;
}

/// What a released slot begins with.
struct FreeSlot {
  std::uint32_t next;  // in bytes from the span; 0: none
  std::uint32_t is_returned;

  /// The whole pages behind it, up to the end of the slot.
  std::span<std::byte> pages(std::size_t slot_bytes) {
    auto* const begin = reinterpret_cast<std::byte*>(this);
    return whole_pages({begin + sizeof(FreeSlot), begin + slot_bytes}, CellMemory::kPage);
  }
};

}  // namespace

/// At the beginning of its first page, before its slots.
struct alignas(16) CellMemory::Span {
  Span* next;  // of the ring
  Span* previous;
  std::uint32_t free;   // the first FreeSlot, in bytes from the span; 0: none
  std::uint32_t fresh;  // slots from here on were never used
  std::uint32_t used;   // slots
  std::uint32_t slots;
  std::uint32_t size_class;
  std::uint32_t pages;

  std::byte* slot(std::size_t offset) { return reinterpret_cast<std::byte*>(this) + offset; }
  FreeSlot* first_free() { return free_at(free); }
  FreeSlot* after(const FreeSlot* each) { return free_at(each->next); }
  FreeSlot* free_at(std::uint32_t offset) {
    return offset == 0 ? nullptr : reinterpret_cast<FreeSlot*>(slot(offset));
  }
};

/// In its own first page.
struct CellMemory::Chunk {
  std::size_t index;  // in chunks_
  std::size_t free_pages;
  std::size_t first_free;  // no page before it is free
  std::size_t populated;   // no page from here on was asked for
  bool small;              // has slots of up to kSmall bytes, and no others
  bool gave_back = false;  // some of its pages to the system
  std::bitset<kPagesOfChunk> used;
  std::bitset<kPagesOfChunk> begins;    // the first page of a span
  std::bitset<kPagesOfChunk> resident;  // was used, and not given back since

  std::byte* page(std::size_t number) {
    return reinterpret_cast<std::byte*>(this) + number * CellMemory::kPage;
  }
  static Chunk* of(void* block) {
    return reinterpret_cast<Chunk*>(reinterpret_cast<std::uintptr_t>(block) & ~(kChunk - 1));
  }
  Span* span_of(void* block) {
    std::size_t number = (reinterpret_cast<std::uintptr_t>(block) & (kChunk - 1)) / kPage;
    while (!begins[number]) --number;
    return reinterpret_cast<Span*>(page(number));
  }
  /// Asks for the pages of a span up to `end`, and for some more if spans like it need them soon.
  void populate([[maybe_unused]] std::size_t pages, [[maybe_unused]] std::size_t end) {
#if defined(MADV_POPULATE_WRITE) && defined(MADV_HUGEPAGE)
    if (end <= populated) return;
    // The last pages one span at a time: some are too few for another one.
    if (pages <= kMostPagesOfSpan && end + kPagesAtOnce <= kPagesOfChunk) end += kPagesAtOnce;
    // When the kernel is older (before 5.14), or refuses, each page comes with its first use.
    ::madvise(page(populated), (end - populated) * kPage, MADV_POPULATE_WRITE);
    populated = end;
    if (populated + pages <= kPagesOfChunk) return;
    // The kernel may make a huge page of it when it has time. One at the first use would have to be
    // cleared as a whole while the list waits, and on hosts that take free huge pages back from
    // their guests each costs a millisecond. The few of heads are worth that: reads at random miss
    // the table of pages less.
    if (gave_back) return;
    ::madvise(this, kChunk, MADV_HUGEPAGE);
    if (small) ::madvise(this, kChunk, kMakeHuge);
#endif
  }
  /// Returns pages of it to the system.
  void give_back(std::byte* begin, std::size_t bytes) {
    const std::span<std::byte> whole = whole_pages({begin, bytes}, system_page());
    if (whole.empty()) return;
#if defined(MADV_NOHUGEPAGE)
    // Else the kernel would sooner or later make a huge page of the chunk, and so bring them back.
    // Of the few small ones it may: reads at random are worth more.
    if (!small && !std::exchange(gave_back, true)) ::madvise(this, kChunk, MADV_NOHUGEPAGE);
#endif
    ::madvise(whole.data(), whole.size(), MADV_DONTNEED);
  }
  /// Returns the first of so many free pages in a row, or 0. `longest` receives what is in a row.
  std::size_t find(std::size_t pages, std::size_t& longest) const {
    std::size_t run = 0;
    longest = 0;
    for (std::size_t number = first_free; number < kPagesOfChunk; ++number) {
      run = used[number] ? 0 : run + 1;
      longest = std::max(longest, run);
      if (run == pages) {
        longest = kPagesOfChunk;  // the rest was not looked at
        return number + 1 - pages;
      }
    }
    return 0;
  }
};

std::size_t CellMemory::class_of(std::size_t bytes) {
  if (bytes <= 1024) return bytes == 0 ? 0 : (bytes - 1) / 16;
  const auto doubling = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 1;
  return kSmallClasses + (doubling - 10) * kClassesPerDoubling + ((bytes - 1) >> (doubling - 6)) -
         kClassesPerDoubling;
}

CellMemory::CellMemory() {
  for (std::size_t i = 0; i < kClasses; ++i) {
    SizeClass& size_class = classes_[i];
    if (i < kSmallClasses) {
      size_class.slot_bytes = static_cast<std::uint32_t>(16 * (i + 1));
    } else {
      const std::size_t doubling = (i - kSmallClasses) / kClassesPerDoubling;
      const std::size_t step = (i - kSmallClasses) % kClassesPerDoubling;
      size_class.slot_bytes =
          static_cast<std::uint32_t>((kClassesPerDoubling + step + 1) << (doubling + 4));
    }
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (std::size_t slots = 1;; ++slots) {
      const std::size_t needed = sizeof(Span) + slots * size_class.slot_bytes;
      const std::size_t pages = pages_of(needed);
      if (slots > 1 && pages > kMostPagesOfSpan) break;
      // Compared as shares of a span, in 1,024ths.
      const std::size_t waste = (pages * kPage - needed) * 1024 / (pages * kPage);
      if (waste < least) {
        least = waste;
        size_class.pages = static_cast<std::uint32_t>(pages);
        size_class.slots = static_cast<std::uint32_t>(slots);
      }
      if (least <= 1024 / kWaste) break;
    }
  }
}

CellMemory::~CellMemory() {
  const MutexLock lock(mutex_);
  for (const Mapped& mapped : chunks_) ::munmap(mapped.chunk, kChunk);
  if (!unused_.empty()) ::munmap(unused_.data(), unused_.size());
}

void CellMemory::insert(Span*& ring, Span* span) {
  if (ring == nullptr) {
    ring = span->next = span->previous = span;
    return;
  }
  span->next = ring;
  span->previous = ring->previous;
  span->previous->next = span;
  ring->previous = span;
}

void CellMemory::remove(Span*& ring, Span* span) {
  if (span->next == span) {
    ring = nullptr;
    return;
  }
  span->previous->next = span->next;
  span->next->previous = span->previous;
  if (ring == span) ring = span->next;
}

void* CellMemory::allocate(std::size_t bytes) {
  if (bytes > kLargestBlock) return ::operator new(bytes);
  const std::size_t number = bytes > (std::size_t{128} << 10) ? kNoClass : class_of(bytes);
  const MutexLock lock(mutex_);
  if (number == kNoClass) {
    Span* const span = make_span(kNoClass, pages_of(sizeof(Span) + bytes), 1);
    span->used = 1;
    ++blocks_;
    used_bytes_ += span->pages * kPage;
    return span->slot(sizeof(Span));
  }
  SizeClass& size_class = classes_[number];
  if (size_class.with_room == nullptr) {
    insert(size_class.with_room,
           make_span(static_cast<std::uint32_t>(number), size_class.pages, size_class.slots));
  }
  Span* const span = size_class.with_room;
  void* block = nullptr;
  if (span->free != 0) {
    block = span->slot(span->free);
    auto* const slot = static_cast<FreeSlot*>(block);
    span->free = slot->next;
    if (slot->is_returned == 0) free_slot_bytes_ -= slot->pages(size_class.slot_bytes).size();
  } else {
    block = span->slot(span->fresh);
    span->fresh += size_class.slot_bytes;
  }
  if (++span->used == span->slots) remove(size_class.with_room, span);
  ++blocks_;
  used_bytes_ += size_class.slot_bytes;
  return block;
}

void CellMemory::release(void* block, std::size_t bytes) noexcept {
  if (bytes > kLargestBlock) return ::operator delete(block);
  const MutexLock lock(mutex_);
  Span* span = Chunk::of(block)->span_of(block);
  --blocks_;
  if (span->size_class == kNoClass) {
    used_bytes_ -= span->pages * kPage;
    return free_span(span);
  }
  SizeClass& size_class = classes_[span->size_class];
  used_bytes_ -= size_class.slot_bytes;
  auto* const slot = new (block) FreeSlot{.next = span->free, .is_returned = 0};
  span->free = static_cast<std::uint32_t>(static_cast<std::byte*>(block) - span->slot(0));
  free_slot_bytes_ += slot->pages(size_class.slot_bytes).size();
  // A span that was full is filled first, so that those with more room have time to become empty.
  if (span->used-- == span->slots) {
    insert(size_class.with_room, span);
    size_class.with_room = span;
  }
  if (span->used == 0) {
    for (FreeSlot* each = span->first_free(); each != nullptr; each = span->after(each)) {
      if (each->is_returned == 0) free_slot_bytes_ -= each->pages(size_class.slot_bytes).size();
    }
    remove(size_class.with_room, span);
    free_span(span);
    return;
  }
  if (size_class.slot_bytes <= kPage) return;  // no slot has a whole page
  // Some other spans, too, as what is in use shrinks.
  for (int i = 0; i < 3 && is_too_much(free_slot_bytes_); ++i, span = span->next) {
    return_free_slots(span);
  }
}

bool CellMemory::is_too_much(std::size_t free_bytes) const {
  return free_bytes > used_bytes_ / kFreeShare + kKept;
}

CellMemory::Span* CellMemory::make_span(std::uint32_t size_class, std::size_t pages,
                                        std::size_t slots) {
  Chunk* chunk = nullptr;
  std::size_t first = 0;
  const bool small = size_class != kNoClass && classes_[size_class].slot_bytes <= kSmall;
  for (std::size_t i = 0; first == 0; ++i) {
    if (i == chunks_.size()) map_chunk(small);
    if (chunks_[i].small != small || chunks_[i].longest < pages) continue;
    chunk = chunks_[i].chunk;
    first = chunk->find(pages, chunks_[i].longest);
  }
  for (std::size_t number = first; number < first + pages; ++number) {
    chunk->used[number] = true;
    if (chunk->resident[number]) --free_pages_;
    chunk->resident[number] = true;
  }
  if (chunks_.size() > kChunksWithoutHaste) chunk->populate(pages, first + pages);
  if (first == chunk->first_free) chunk->first_free += pages;
  chunk->begins[first] = true;
  chunk->free_pages -= pages;
  return new (chunk->page(first)) Span{.next = nullptr,
                                       .previous = nullptr,
                                       .free = 0,
                                       .fresh = sizeof(Span),
                                       .used = 0,
                                       .slots = static_cast<std::uint32_t>(slots),
                                       .size_class = size_class,
                                       .pages = static_cast<std::uint32_t>(pages)};
}

void CellMemory::free_span(Span* span) {
  Chunk* const chunk = Chunk::of(span);
  const std::size_t first =
      static_cast<std::size_t>(reinterpret_cast<std::byte*>(span) - chunk->page(0)) / kPage;
  const std::size_t pages = span->pages;
  for (std::size_t number = first; number < first + pages; ++number) chunk->used[number] = false;
  chunk->begins[first] = false;
  chunk->first_free = std::min(chunk->first_free, first);
  chunk->free_pages += pages;
  free_pages_ += pages;
  chunks_[chunk->index].longest = kPagesOfChunk;
  // One chunk of each kind stays, so that a single object that comes and goes costs no system call.
  if (chunk->free_pages == kPagesOfChunk - 1 &&
      std::ranges::count(chunks_, chunk->small, &Mapped::small) > 1) {
    return unmap(chunk->index);
  }
  if (is_too_much(free_pages_ * kPage)) return_free_pages();
}

void CellMemory::map_chunk(bool small) {
  if (chunks_.size() == chunks_.capacity()) chunks_.reserve(2 * chunks_.size() + 8);
  // Neighbours become one mapping, of which a process has a limited number, only when they were
  // mapped together: else their pages have owners of their own in the kernel.
  if (unused_.empty()) unused_ = map_aligned(kChunksOfArea * kChunk, kChunk);
  if (unused_.empty()) unused_ = map_aligned(kChunk, kChunk);
  if (unused_.empty()) throw std::bad_alloc();
  std::byte* const chunk_begin = unused_.data();
  unused_ = unused_.subspan(kChunk);
  auto* const chunk = new (chunk_begin) Chunk{};
  chunk->index = chunks_.size();
  chunk->free_pages = kPagesOfChunk - 1;
  chunk->first_free = 1;
  chunk->populated = 1;
  chunk->small = small;
  chunk->used[0] = true;
  chunks_.push_back({chunk, kPagesOfChunk, small});
}

void CellMemory::unmap(std::size_t index) {
  Chunk* const chunk = chunks_[index].chunk;
  free_pages_ -= (chunk->resident & ~chunk->used).count();
  chunks_[index] = chunks_.back();
  chunks_[index].chunk->index = index;
  chunks_.pop_back();
  ::munmap(chunk, kChunk);
}

void CellMemory::return_free_pages() {
  for (const Mapped& mapped : chunks_) {
    Chunk* const chunk = mapped.chunk;
    for (std::size_t number = 1; number < kPagesOfChunk;) {
      std::size_t end = number;
      while (end < kPagesOfChunk && !chunk->used[end] && chunk->resident[end]) {
        chunk->resident[end++] = false;
      }
      if (end > number) chunk->give_back(chunk->page(number), (end - number) * kPage);
      number = end + 1;
    }
  }
  free_pages_ = 0;
}

void CellMemory::return_free_slots(Span* span) {
  const std::size_t slot_bytes = classes_[span->size_class].slot_bytes;
  for (FreeSlot* slot = span->first_free(); slot != nullptr; slot = span->after(slot)) {
    const std::span<std::byte> pages = slot->pages(slot_bytes);
    if (pages.empty() || slot->is_returned != 0) continue;
    Chunk::of(span)->give_back(pages.data(), pages.size());
    slot->is_returned = 1;
    free_slot_bytes_ -= pages.size();
  }
}

void CellMemory::give_back() noexcept {
  const MutexLock lock(mutex_);
  return_free_pages();
  for (const SizeClass& size_class : classes_) {
    Span* span = size_class.slot_bytes > kPage ? size_class.with_room : nullptr;
    if (span == nullptr) continue;
    do {
      return_free_slots(span);
      span = span->next;
    } while (span != size_class.with_room);
  }
}

CellMemory::Figures CellMemory::figures() const {
  const MutexLock lock(mutex_);
  return {blocks_, used_bytes_, chunks_.size() * kChunk, free_pages_ * kPage + free_slot_bytes_};
}

}  // namespace kube::cache
