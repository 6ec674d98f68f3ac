// SPDX-License-Identifier: Apache-2.0
//
// Finds the ends of values with vector instructions: AVX2 where the processor has it, else SSE2 or
// plain code.
#include <kube/json/value_scanner.hpp>

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kube::json {
namespace {

using Nesting = ValueScanner::Nesting;
constexpr unsigned kBlock = 64;

// One bit for each byte of a block.
struct Masks {
  std::uint64_t quote;
  std::uint64_t backslash;
  std::uint64_t open;
  std::uint64_t close;
};

// Bit i: whether the number of bits of `quotes` up to it, itself included, is odd.
inline std::uint64_t odd_until(std::uint64_t quotes) {
  for (unsigned shift = 1; shift < kBlock; shift *= 2) quotes ^= quotes << shift;
  return quotes;
}

// Returns the quotes of a block of `size` bytes that no backslash escapes.
[[gnu::always_inline]] inline std::uint64_t open_quotes(const Masks& masks, unsigned size,
                                                        Nesting& nesting) {
  std::uint64_t quote = masks.quote;
  if (masks.backslash == 0 && !nesting.escaped) [[likely]]
    return quote;
  std::uint64_t backslash = masks.backslash;
  if (nesting.escaped) {
    quote &= ~std::uint64_t{1};
    backslash &= ~std::uint64_t{1};
    nesting.escaped = false;
  }
  while (backslash != 0) {
    const auto at = static_cast<unsigned>(std::countr_zero(backslash));
    if (at + 1 == size) {
      nesting.escaped = true;
      break;
    }
    const std::uint64_t next = std::uint64_t{2} << at;
    quote &= ~next;
    backslash &= ~(next | next >> 1);
  }
  return quote;
}

// The result of take(): 0 when the value continues, else the number of its bytes in the block.
struct Taken {
  unsigned bytes = 0;
  bool too_deep = false;
};

// Takes a block; `inside` marks the bytes in strings if no string is open before it.
[[gnu::always_inline]] inline Taken take(const Masks& masks, std::uint64_t inside,
                                         Nesting& nesting) {
  inside ^= nesting.in_string;
  nesting.in_string = std::uint64_t{0} - (inside >> 63);
  const std::uint64_t open = masks.open & ~inside;
  const std::uint64_t close = masks.close & ~inside;
  const auto opened = static_cast<std::uint64_t>(std::popcount(open));
  const auto closed = static_cast<std::uint64_t>(std::popcount(close));
  if (nesting.depth > closed && nesting.depth + opened <= kMaxDepth) [[likely]] {
    nesting.depth += opened - closed;
    return {};
  }
  for (std::uint64_t brackets = open | close; brackets != 0; brackets &= brackets - 1) {
    const int at = std::countr_zero(brackets);
    if ((open >> at & 1) != 0) {
      if (++nesting.depth > kMaxDepth) return {static_cast<unsigned>(at) + 1, true};
    } else if (--nesting.depth == 0) {
      return {static_cast<unsigned>(at) + 1, false};
    }
  }
  return {};
}

// '[' and '{', and ']' and '}', differ in one bit only.
#if defined(__x86_64__)
Masks classify(const char* block) {
  Masks masks{};
  for (unsigned lane = 0; lane < 4; ++lane) {
    const std::size_t at = std::size_t{16} * lane;
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + at));
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const auto find = [at](__m128i in, char c) {
      const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(in, _mm_set1_epi8(c)));
      return static_cast<std::uint64_t>(static_cast<unsigned>(found)) << at;
    };
    masks.quote |= find(bytes, '"');
    masks.backslash |= find(bytes, '\\');
    masks.open |= find(folded, '{');
    masks.close |= find(folded, '}');
  }
  return masks;
}
#else
Masks classify(const char* block) {
  Masks masks{};
  for (unsigned i = 0; i < kBlock; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (block[i] == '"') masks.quote |= bit;
    if (block[i] == '\\') masks.backslash |= bit;
    if ((block[i] | 0x20) == '{') masks.open |= bit;
    if ((block[i] | 0x20) == '}') masks.close |= bit;
  }
  return masks;
}
#endif

Taken take_block(const char* block, unsigned size, Nesting& nesting) {
  const Masks masks = classify(block);
  return take(masks, odd_until(open_quotes(masks, size, nesting)), nesting);
}

// Takes whole blocks from `at` until the value ends, and moves `at` past them.
Taken take_blocks(const char*& at, const char* end, Nesting& nesting) {
  for (; end - at >= kBlock; at += kBlock) {
    if (const Taken taken = take_block(at, kBlock, nesting); taken.bytes != 0) {
      at += taken.bytes;
      return taken;
    }
  }
  return {};
}

#if defined(__x86_64__)
__attribute__((target("avx2,bmi,pclmul,popcnt"))) Taken take_blocks_avx2(const char*& at,
                                                                         const char* end,
                                                                         Nesting& nesting) {
  const __m256i quote = _mm256_set1_epi8('"');
  const __m256i backslash = _mm256_set1_epi8('\\');
  const __m256i open = _mm256_set1_epi8('{');
  const __m256i close = _mm256_set1_epi8('}');
  const __m256i fold = _mm256_set1_epi8(0x20);
  for (; end - at >= kBlock; at += kBlock) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32));
    const __m256i low_folded = _mm256_or_si256(low, fold);
    const __m256i high_folded = _mm256_or_si256(high, fold);
    Masks masks;
    // A function would need the target of this one, which GCC does not inline from a lambda.
#define KUBE_FIND(a, b, c)                                                            \
  (static_cast<std::uint64_t>(                                                        \
       static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8((b), (c))))) \
       << 32 |                                                                        \
   static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8((a), (c)))))
    masks.quote = KUBE_FIND(low, high, quote);
    masks.backslash = KUBE_FIND(low, high, backslash);
    masks.open = KUBE_FIND(low_folded, high_folded, open);
    masks.close = KUBE_FIND(low_folded, high_folded, close);
#undef KUBE_FIND
    // A carry-less product with all bits set equals odd_until().
    const __m128i quotes =
        _mm_set_epi64x(0, static_cast<std::int64_t>(open_quotes(masks, kBlock, nesting)));
    const auto inside = static_cast<std::uint64_t>(
        _mm_cvtsi128_si64(_mm_clmulepi64_si128(quotes, _mm_set1_epi8(-1), 0)));
    if (const Taken taken = take(masks, inside, nesting); taken.bytes != 0) {
      at += taken.bytes;
      return taken;
    }
  }
  return {};
}
const auto kTakeWholeBlocks = [] {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                 __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("popcnt")
             ? take_blocks_avx2
             : take_blocks;
}();
#else
constexpr auto take_whole_blocks = take_blocks;
#endif

}  // namespace

std::size_t ValueScanner::feed(std::string_view chunk) {
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  Nesting nesting = nesting_;
  Taken taken = kTakeWholeBlocks(at, end, nesting);
  if (taken.bytes == 0 && at != end) {
    const auto size = static_cast<unsigned>(end - at);
    char block[kBlock];
    std::memset(block, ' ', sizeof block);
    std::memcpy(block, at, size);
    taken = take_block(block, size, nesting);
    at += taken.bytes != 0 ? taken.bytes : size;
  }
  nesting_ = nesting;
  if (taken.bytes != 0) state_ = taken.too_deep ? State::TooDeep : State::Done;
  return static_cast<std::size_t>(at - chunk.data());
}

}  // namespace kube::json
