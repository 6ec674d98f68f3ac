// SPDX-License-Identifier: Apache-2.0
#include "json_skip.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <kube/json/key_hash.hpp>
#include <kube/json/text.hpp>
#include <kube/json/value.hpp>

namespace kube::meta {
namespace {

// One bit a byte of a block of 64.
struct Masks {
  std::uint64_t quote;
  std::uint64_t backslash;
  std::uint64_t open;
  std::uint64_t close;
};

struct Nesting {
  std::uint64_t depth = 0;
  std::uint64_t in_string = 0;  // all bits or none
  bool escaped = false;         // the first byte of the next block is
};

// Bit i: an odd number of bits of `quotes` at or before it.
inline std::uint64_t odd_until(std::uint64_t quotes) {
  for (unsigned shift = 1; shift < 64; shift *= 2) quotes ^= quotes << shift;
  return quotes;
}

// The quotes of a block that aren't escaped.
[[gnu::always_inline]] inline std::uint64_t open_quotes(Masks masks, Nesting& nesting) {
  std::uint64_t quote = masks.quote;
  if (masks.backslash != 0 || nesting.escaped) [[unlikely]] {
    std::uint64_t backslash = masks.backslash;
    if (nesting.escaped) {
      quote &= ~std::uint64_t{1};
      backslash &= ~std::uint64_t{1};
      nesting.escaped = false;
    }
    while (backslash != 0) {
      const int at = std::countr_zero(backslash);
      if (at == 63) {
        nesting.escaped = true;
        break;
      }
      const std::uint64_t next = std::uint64_t{2} << at;
      quote &= ~next;
      backslash &= ~(next | next >> 1);
    }
  }
  return quote;
}

// Takes a block of which the quotes of strings are known; the answer is the number of its bytes
// that belong to the value when it ends there, else 0.
[[gnu::always_inline]] inline unsigned take(Masks masks, std::uint64_t inside, Nesting& nesting) {
  inside ^= nesting.in_string;
  nesting.in_string = std::uint64_t{0} - (inside >> 63);
  std::uint64_t open = masks.open & ~inside;
  std::uint64_t close = masks.close & ~inside;
  const auto closed = static_cast<std::uint64_t>(std::popcount(close));
  if (nesting.depth > closed) {
    nesting.depth += static_cast<std::uint64_t>(std::popcount(open)) - closed;
    return 0;
  }
  for (std::uint64_t brackets = open | close; brackets != 0; brackets &= brackets - 1) {
    const int at = std::countr_zero(brackets);
    if ((open >> at & 1) != 0) {
      ++nesting.depth;
    } else if (--nesting.depth == 0) {
      return static_cast<unsigned>(at) + 1;
    }
  }
  return 0;
}

unsigned take_block(Masks masks, Nesting& nesting) {
  return take(masks, odd_until(open_quotes(masks, nesting)), nesting);
}

// '[' and '{', ']' and '}' differ in one bit only.
#if defined(__x86_64__)
Masks classify(const char* block) {
  Masks masks{};
  for (unsigned lane = 0; lane < 4; ++lane) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * lane));
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const auto find = [lane](__m128i in, char c) {
      const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(in, _mm_set1_epi8(c)));
      return static_cast<std::uint64_t>(static_cast<unsigned>(found)) << (16 * lane);
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
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (block[i] == '"') masks.quote |= bit;
    if (block[i] == '\\') masks.backslash |= bit;
    if ((block[i] | 0x20) == '{') masks.open |= bit;
    if ((block[i] | 0x20) == '}') masks.close |= bit;
  }
  return masks;
}
#endif

// Whole blocks from `at`. Answers behind the value, or null with `at` moved behind the last block.
const char* skip_blocks(const char*& at, const char* end, Nesting& nesting) {
  for (; end - at >= 64; at += 64) {
    if (const unsigned length = take_block(classify(at), nesting); length != 0) return at + length;
  }
  return nullptr;
}

#if defined(__x86_64__)
__attribute__((target("avx2,bmi,pclmul,popcnt"))) const char* skip_blocks_avx2(const char*& at,
                                                                               const char* end,
                                                                               Nesting& nesting) {
  const __m256i quote = _mm256_set1_epi8('"');
  const __m256i backslash = _mm256_set1_epi8('\\');
  const __m256i open = _mm256_set1_epi8('{');
  const __m256i close = _mm256_set1_epi8('}');
  const __m256i fold = _mm256_set1_epi8(0x20);
  for (; end - at >= 64; at += 64) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32));
    const __m256i low_folded = _mm256_or_si256(low, fold);
    const __m256i high_folded = _mm256_or_si256(high, fold);
    Masks masks;
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
    // A product without carries with all bits set says the same as odd_until().
    const __m128i quotes =
        _mm_set_epi64x(0, static_cast<std::int64_t>(open_quotes(masks, nesting)));
    const auto inside = static_cast<std::uint64_t>(
        _mm_cvtsi128_si64(_mm_clmulepi64_si128(quotes, _mm_set1_epi8(-1), 0)));
    if (const unsigned length = take(masks, inside, nesting); length != 0) return at + length;
  }
  return nullptr;
}
const auto skip_whole_blocks = [] {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                 __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("popcnt")
             ? skip_blocks_avx2
             : skip_blocks;
}();
#else
constexpr auto skip_whole_blocks = skip_blocks;
#endif

// Behind the object or array at `at`; null when it doesn't end.
const char* skip_nested(const char* at, const char* end) {
  Nesting nesting;
  if (const char* behind = skip_whole_blocks(at, end, nesting)) return behind;
  char block[64];
  std::memset(block, ' ', sizeof block);
  std::memcpy(block, at, static_cast<std::size_t>(end - at));
  const unsigned length = take_block(classify(block), nesting);
  return length == 0 ? nullptr : at + length;
}

bool ends_scalar(char c) {
  return c == ',' || c == '}' || c == ']' || json::is_space(c);
}

}  // namespace

char JsonCursor::peek_behind_space() {
  while (at_ != end_ && json::is_space(*at_)) ++at_;
  return at_ == end_ ? '\0' : *at_;
}

bool JsonCursor::enter(char bracket) {
  if (peek() != bracket) return false;
  ++at_;
  first_ = true;
  return true;
}

JsonCursor::More JsonCursor::next(char close) {
  const char c = peek();
  if (c == close) return More::No;
  if (!std::exchange(first_, false)) {
    if (c != ',') return More::Wrong;
    ++at_;
    peek();
  }
  return at_ == end_ ? More::Wrong : More::Yes;
}

JsonCursor::More JsonCursor::next_element() {
  return next(']');
}

JsonCursor::More JsonCursor::next_member(std::string_view& key) {
  const More more = next('}');
  if (more != More::Yes) return more;
  if (*at_ != '"') return More::Wrong;
  const char* const close = string_end(at_);
  if (close == nullptr) return More::Wrong;
  key = std::string_view(at_ + 1, static_cast<std::size_t>(close - at_ - 2));
  at_ = close;
  if (peek() != ':') return More::Wrong;
  ++at_;
  return peek() == '\0' ? More::Wrong : More::Yes;
}

// Behind the string that begins at `at`; null when it doesn't end.
const char* JsonCursor::string_end(const char* at) const {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = kOnes << 7;
  for (++at; at < end_; ++at) {
    // Eight bytes at a time, as far as there is nothing of interest.
    for (; end_ - at >= 8; at += 8) {
      const auto word = json::detail::load<std::uint64_t>(at);
      const std::uint64_t quotes = word ^ kOnes * '"';
      const std::uint64_t slashes = word ^ kOnes * '\\';
      // The lowest bit of each is that of the first such byte.
      const std::uint64_t hits =
          (((quotes - kOnes) & ~quotes) | ((slashes - kOnes) & ~slashes)) & kHighs;
      if (hits == 0) continue;
      at += std::countr_zero(hits) / 8;
      break;
    }
    while (at != end_ && *at != '"' && *at != '\\') ++at;
    if (at == end_) return nullptr;
    if (*at == '"') return at + 1;
    if (++at == end_) return nullptr;  // what is escaped is passed too
  }
  return nullptr;
}

bool JsonCursor::skip(std::string_view& value) {
  const char* const begin = (peek(), at_);
  if (begin == end_) return false;
  const char* behind = begin;
  switch (*begin) {
    case '{':
    case '[':
      behind = skip_nested(begin, end_);
      break;
    case '"':
      behind = string_end(begin);
      break;
    default:
      while (behind != end_ && !ends_scalar(*behind)) ++behind;
      if (behind == begin) behind = nullptr;
      break;
  }
  if (behind == nullptr) return false;
  at_ = behind;
  value = std::string_view(begin, static_cast<std::size_t>(behind - begin));
  return true;
}

bool is_key(std::string_view written, std::string_view key) {
  if (written == key) return true;
  return written.find('\\') != std::string_view::npos && key_text(written) == key;
}

std::string key_text(std::string_view written) {
  if (written.find('\\') == std::string_view::npos) return std::string(written);
  const auto value = json::parse("\"" + std::string(written) + "\"");
  return value ? std::string(value->string_or_empty()) : std::string(written);
}

}  // namespace kube::meta
