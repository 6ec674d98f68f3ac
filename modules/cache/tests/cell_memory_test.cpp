// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cell_memory.hpp"
#include "system_pages.hpp"

namespace kube::cache {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kMarkEach = 256;

/// Blocks with a mark of their own in each 256 bytes, which they must still have at their release.
class Blocks {
 public:
  explicit Blocks(CellMemory& memory) : memory_(memory) {}
  ~Blocks() {
    while (!blocks_.empty()) release(blocks_.size() - 1);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  void allocate(std::size_t bytes) {
    auto* const block = static_cast<unsigned char*>(memory_.allocate(bytes));
    if (reinterpret_cast<std::uintptr_t>(block) % 16 != 0)
      ADD_FAILURE() << "not aligned: " << bytes;
    const auto mark = static_cast<unsigned char>(++marks_);
    for (std::size_t at = 0; at < bytes; at += kMarkEach) block[at] = mark;
    if (bytes > 0) block[bytes - 1] = mark;
    blocks_.push_back({block, bytes, mark});
    bytes_ += bytes;
  }
  void release(std::size_t at) {
    const Block block = blocks_[at];
    bool is_whole = block.bytes == 0 || block.begin[block.bytes - 1] == block.mark;
    for (std::size_t byte = 0; byte < block.bytes; byte += kMarkEach) {
      is_whole = is_whole && block.begin[byte] == block.mark;
    }
    EXPECT_TRUE(is_whole) << block.bytes;
    memory_.release(block.begin, block.bytes);
    bytes_ -= block.bytes;
    blocks_[at] = blocks_.back();
    blocks_.pop_back();
  }
  std::size_t size() const { return blocks_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Block {
    unsigned char* begin;
    std::size_t bytes;
    unsigned char mark;
  };
  CellMemory& memory_;
  std::vector<Block> blocks_;
  std::size_t bytes_ = 0;
  unsigned marks_ = 0;
};

TEST(CellMemory, EachBlockHasItsBytesForItself) {
  CellMemory memory;
  Blocks blocks(memory);
  for (const int bytes :
       {0,    1,    15,   16,     17,     1023,   1024,    1025,    1040,    1041,   4095,
        4096, 4097, 8191, 131071, 131072, 131073, 1048575, 1048576, 1048577, 3000000}) {
    blocks.allocate(static_cast<std::size_t>(bytes));
    blocks.allocate(static_cast<std::size_t>(bytes));
  }
  for (std::size_t bytes = 1; bytes < 140'000; bytes += 97) blocks.allocate(bytes);
}

TEST(CellMemory, BlocksOfAnySizeWasteLittle) {
  for (const int each : {200, 900, 1'100, 2'500, 5'300, 8'700, 17'000, 60'000, 130'000}) {
    const auto bytes = static_cast<std::size_t>(each);
    CellMemory memory;
    Blocks blocks(memory);
    const std::size_t count = 24 * kMiB / bytes;
    for (std::size_t i = 0; i < count; ++i) blocks.allocate(bytes);
    const std::size_t chunks = memory.figures().chunk_bytes;
    EXPECT_LT(chunks, blocks.bytes() + blocks.bytes() / 20 + CellMemory::kChunk) << bytes;
  }
}

TEST(CellMemory, AReleasedBlockServesTheNextOneOfItsSize) {
  CellMemory memory;
  void* const first = memory.allocate(5'300);
  void* const second = memory.allocate(5'300);
  memory.release(first, 5'300);
  EXPECT_EQ(memory.allocate(5'301), first);  // the same size of slots
  memory.release(first, 5'301);
  memory.release(second, 5'300);
  EXPECT_EQ(memory.figures().blocks, 0U);
  EXPECT_EQ(memory.figures().used_bytes, 0U);
}

// The slot that is released last is of the span with the least room.
TEST(CellMemory, ASpanWithMoreRoomHasTimeToBecomeEmpty) {
  CellMemory memory;
  std::vector<void*> blocks;
  for (int i = 0; i < 200; ++i) blocks.push_back(memory.allocate(5'300));  // 48 in a span
  memory.release(blocks[0], 5'300);
  memory.release(blocks[1], 5'300);
  memory.release(blocks[100], 5'300);
  EXPECT_EQ(memory.allocate(5'300), blocks[100]);
  EXPECT_EQ(memory.allocate(5'300), blocks[1]);
  EXPECT_EQ(memory.allocate(5'300), blocks[0]);
  for (void* block : blocks) memory.release(block, 5'300);
}

TEST(CellMemory, PagesOfOneSizeServeAnother) {
  CellMemory memory;
  std::size_t chunks = 0;
  for (std::size_t bytes = 2'000; bytes < 100'000; bytes += 1'111) {
    Blocks blocks(memory);
    while (blocks.bytes() < 8 * kMiB) blocks.allocate(bytes);
    chunks = std::max(chunks, memory.figures().chunk_bytes);
  }
  EXPECT_LT(chunks, 12 * kMiB);
}

TEST(CellMemory, ChunksWithoutBlocksReturnToTheSystem) {
  CellMemory memory;
  {
    Blocks blocks(memory);
    while (blocks.bytes() < 40 * kMiB) blocks.allocate(8'700);
    EXPECT_GT(memory.figures().chunk_bytes, 40 * kMiB);
  }
  EXPECT_EQ(memory.figures().chunk_bytes, CellMemory::kChunk);  // one stays
}

// So that those that each query reads are in few pages.
TEST(CellMemory, SmallBlocksLieApartFromLargeOnes) {
  CellMemory memory;
  std::set<std::uintptr_t> of_small;
  std::set<std::uintptr_t> of_large;
  std::vector<void*> small;
  std::vector<void*> large;
  const auto chunk_of = [](void* block) {
    return reinterpret_cast<std::uintptr_t>(block) / CellMemory::kChunk;
  };
  for (int i = 0; i < 30'000; ++i) {
    small.push_back(memory.allocate(130));
    of_small.insert(chunk_of(small.back()));
    large.push_back(memory.allocate(2'000));
    of_large.insert(chunk_of(large.back()));
  }
  EXPECT_EQ(of_small.size(), 3U);  // of 4.3 MB
  for (const std::uintptr_t chunk : of_small) EXPECT_FALSE(of_large.contains(chunk));
  for (void* block : small) memory.release(block, 130);
  for (void* block : large) memory.release(block, 2'000);
  EXPECT_EQ(memory.figures().chunk_bytes, 2 * CellMemory::kChunk) << "one of each stays";
}

// Each span keeps one block in ten, so no span is free, and most of the memory is in free slots.
TEST(CellMemory, PagesInsideOfFreeSlotsReturnToTheSystem) {
  CellMemory memory;
  Blocks blocks(memory);
  while (blocks.bytes() < 64 * kMiB) blocks.allocate(30'000);
  for (std::size_t i = blocks.size(); i-- > 0;) {
    if (i % 10 != 0) blocks.release(i);
  }
  EXPECT_LE(memory.figures().free_bytes, 4 * kMiB);  // of 57
  // What was returned is there again, and its bytes are its own.
  while (blocks.bytes() < 64 * kMiB) blocks.allocate(30'000);
  EXPECT_LT(memory.figures().chunk_bytes, 64 * kMiB + 8 * kMiB);
}

TEST(CellMemory, GivesBackAllThatIsFree) {
  CellMemory memory;
  Blocks blocks(memory);
  while (blocks.bytes() < 8 * kMiB) blocks.allocate(9'000);
  for (std::size_t i = blocks.size(); i-- > 0;) {
    if (i % 20 == 0) blocks.release(i);
  }
  EXPECT_GT(memory.figures().free_bytes, 0U);
  memory.give_back();
  EXPECT_EQ(memory.figures().free_bytes, 0U);
  while (blocks.bytes() < 9 * kMiB) blocks.allocate(9'000);
}

/// Whether the kernel may never make a huge page of the memory at `block`. Without a value when it
/// does not say so of any.
std::optional<bool> stays_in_small_pages(const void* block) {
  std::ifstream maps("/proc/self/smaps");
  std::optional<bool> stays;
  bool is_it = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-') {
      const auto address = reinterpret_cast<std::uintptr_t>(block);
      is_it = begin <= address && address < end;
    } else if (is_it && line.starts_with("VmFlags:")) {
      stays = line.find(" nh") != std::string::npos;
    }
  }
  return stays;
}

// A huge page of the kernel's would bring all pages of a chunk back, and no figure would tell.
TEST(CellMemory, NoHugePageBringsReturnedPagesBack) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled")) {
    GTEST_SKIP() << "the kernel has no transparent huge pages";
  }
  CellMemory memory;
  std::vector<void*> blocks(4'000);
  for (void*& block : blocks) block = memory.allocate(9'000);
  EXPECT_EQ(stays_in_small_pages(blocks[0]), false);
  for (std::size_t i = 0; i < blocks.size(); i += 2) memory.release(blocks[i], 9'000);
  memory.give_back();
  EXPECT_EQ(stays_in_small_pages(blocks[1]), true);
  for (std::size_t i = 1; i < blocks.size(); i += 2) memory.release(blocks[i], 9'000);
}

TEST(CellMemory, AStormOfChangesNeedsNoMoreThanItsObjects) {
  std::mt19937 dice(7);
  CellMemory memory;
  Blocks blocks(memory);
  const auto size = [&] { return 8'500 + dice() % 400; };
  for (int i = 0; i < 5'000; ++i) blocks.allocate(size());
  const std::size_t before = memory.figures().chunk_bytes;
  for (int i = 0; i < 50'000; ++i) {
    blocks.allocate(size());
    blocks.release(dice() % blocks.size());
  }
  EXPECT_LT(memory.figures().chunk_bytes, before + before / 20 + CellMemory::kChunk);
}

TEST(CellMemory, OnlyWholePagesAreReturnedWhateverTheirSize) {
  std::vector<std::byte> memory(256 * 1024);
  const auto first = reinterpret_cast<std::uintptr_t>(memory.data());
  for (const std::size_t page : {4'096U, 16'384U, 65'536U}) {
    const std::span<std::byte> whole = whole_pages(memory, page);
    const auto begin = reinterpret_cast<std::uintptr_t>(whole.data());
    EXPECT_EQ(begin % page, 0U);
    EXPECT_EQ(whole.size() % page, 0U);
    EXPECT_LT(begin - first, page);
    EXPECT_GT(whole.size() + 2 * page, memory.size());
    EXPECT_TRUE(whole_pages(whole.subspan(1, page), page).empty());
    EXPECT_TRUE(whole_pages(whole.first(page - 1), page).empty());
  }
}

TEST(CellMemory, AForkWhileAnotherThreadAllocatesLeavesTheChildItsMemory) {
  std::atomic<bool> done{false};
  const std::jthread other([&] {
    while (!done) release_cache_memory(allocate_cache_memory(8'000), 8'000);
  });
  int failed = 0;
  for (int i = 0; i < 300 && failed == 0; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);  // ends a child that waits for ever
      release_cache_memory(allocate_cache_memory(8'000), 8'000);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    failed += status == 0 ? 0 : 1;
  }
  done = true;
  EXPECT_EQ(failed, 0);
}

// A mapping for each would be more than a process may have, at 128 GiB.
TEST(CellMemory, ChunksThatLieTogetherAreOneMapping) {
  const auto mappings = [] {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    int count = 0;
    while (std::getline(maps, line)) ++count;
    return count;
  };
  CellMemory memory;
  const int before = mappings();
  std::vector<void*> blocks(200);
  for (void*& block : blocks) block = memory.allocate(CellMemory::kLargestBlock - 100);
  EXPECT_GE(memory.figures().chunk_bytes, 200 * CellMemory::kChunk);
  EXPECT_LT(mappings() - before, 100);
  for (void* block : blocks) memory.release(block, CellMemory::kLargestBlock - 100);
}

TEST(CellMemory, AnyThreadAllocatesAndReleases) {
  CellMemory memory;
  const auto work = [&memory](unsigned seed) {
    std::mt19937 dice(seed);
    Blocks blocks(memory);
    for (int i = 0; i < 20'000; ++i) {
      if (blocks.size() < 200 || dice() % 2 == 0) {
        blocks.allocate(dice() % 3 == 0 ? dice() % 20'000 : dice() % 2'000);
      } else {
        blocks.release(dice() % blocks.size());
      }
      if (i % 5'000 == 0) memory.give_back();
    }
  };
  std::thread other(work, 1);
  work(2);
  other.join();
  EXPECT_EQ(memory.figures().blocks, 0U);
  EXPECT_EQ(memory.figures().chunk_bytes, 2 * CellMemory::kChunk);
}

}  // namespace
}  // namespace kube::cache
