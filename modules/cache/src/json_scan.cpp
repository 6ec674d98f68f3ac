// SPDX-License-Identifier: Apache-2.0
#include "json_scan.hpp"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <kube/json/text.hpp>
#include <kube/json/value.hpp>

namespace kube::cache {
namespace {

// One bit a byte of a block of 64: what the scanner looks for.
struct Masks {
  std::uint64_t quote = 0;
  std::uint64_t backslash = 0;
  std::uint64_t bracket = 0;
};

Masks classify(const char* block) {
  Masks masks;
#if defined(__SSE2__)
  for (unsigned lane = 0; lane < 4; ++lane) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * lane));
    const auto equals = [](__m128i x, char c) { return _mm_cmpeq_epi8(x, _mm_set1_epi8(c)); };
    const auto mask = [lane](__m128i x) {
      return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(x))) << (16 * lane);
    };
    // '[' and '{', ']' and '}' differ in this bit only.
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    masks.quote |= mask(equals(bytes, '"'));
    masks.backslash |= mask(equals(bytes, '\\'));
    masks.bracket |= mask(_mm_or_si128(equals(folded, '{'), equals(folded, '}')));
  }
#else
  for (unsigned i = 0; i < 64; ++i) {
    const char c = block[i];
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (c == '"') masks.quote |= bit;
    if (c == '\\') masks.backslash |= bit;
    if (c == '{' || c == '}' || c == '[' || c == ']') masks.bracket |= bit;
  }
#endif
  return masks;
}

// Bit i of the result: an odd number of bits of x at or below i is set.
std::uint64_t prefix_xor(std::uint64_t x) {
  x ^= x << 1;
  x ^= x << 2;
  x ^= x << 4;
  x ^= x << 8;
  x ^= x << 16;
  x ^= x << 32;
  return x;
}

// Clears the bits of quotes that a backslash escapes.
std::uint64_t without_escaped(Masks masks, bool& escaped) {
  if (escaped) {
    masks.quote &= ~std::uint64_t{1};
    masks.backslash &= ~std::uint64_t{1};
    escaped = false;
  }
  while (masks.backslash != 0) {
    const int at = std::countr_zero(masks.backslash);
    if (at == 63) {
      escaped = true;
      break;
    }
    const std::uint64_t next = std::uint64_t{2} << at;
    masks.quote &= ~next;
    masks.backslash &= ~(next | (next >> 1));
  }
  return masks.quote;
}

}  // namespace

void ValueScanner::reset() {
  state_ = State::More;
  depth_ = 0;
  in_string_ = false;
  escaped_ = false;
}

bool ValueScanner::open(bool is_object) {
  if (depth_ == kMaxDepth) {
    state_ = State::Broken;
    problem_ = "nested deeper than 512 levels";
    return false;
  }
  const std::uint64_t bit = std::uint64_t{1} << (depth_ % 64);
  if (is_object) {
    is_object_[depth_ / 64] |= bit;
  } else {
    is_object_[depth_ / 64] &= ~bit;
  }
  ++depth_;
  return true;
}

bool ValueScanner::close(bool is_object) {
  if (depth_ == 0) {
    state_ = State::Broken;
    problem_ = "a closing bracket without an opening one";
    return false;
  }
  --depth_;
  const bool opened_object = ((is_object_[depth_ / 64] >> (depth_ % 64)) & 1) != 0;
  if (opened_object != is_object) {
    state_ = State::Broken;
    problem_ = opened_object ? "expected '}', found ']'" : "expected ']', found '}'";
    return false;
  }
  if (depth_ == 0) state_ = State::Done;
  return depth_ != 0;
}

std::size_t ValueScanner::feed(std::string_view chunk) {
  std::size_t position = 0;
  while (position < chunk.size() && state_ == State::More) {
    const std::size_t length = std::min<std::size_t>(64, chunk.size() - position);
    const char* block = chunk.data() + position;
    char padded[64];
    if (length < 64) {
      std::memset(padded, ' ', sizeof padded);
      std::memcpy(padded, block, length);
      block = padded;
    }
    const Masks masks = classify(block);
    const bool was_escaped = escaped_;
    const std::uint64_t quotes = without_escaped(masks, escaped_);
    // The padding hides a backslash at the end of a short block; it still escapes what comes next.
    if (length < 64) {
      const bool ends_with_backslash = ((masks.backslash >> (length - 1)) & 1) != 0;
      if (ends_with_backslash) {
        std::size_t run = 0;
        while (run < length && block[length - 1 - run] == '\\') ++run;
        if (was_escaped && run == length) --run;
        escaped_ = run % 2 == 1;
      }
    }
    const std::uint64_t inside = prefix_xor(quotes) ^ (in_string_ ? ~std::uint64_t{0} : 0);
    std::uint64_t brackets = masks.bracket & ~inside;
    while (brackets != 0) {
      const int at = std::countr_zero(brackets);
      brackets &= brackets - 1;
      const char c = block[at];
      const bool goes_on = (c == '{' || c == '[') ? open(c == '{') : close(c == '}');
      if (!goes_on) return position + static_cast<std::size_t>(at) + 1;
    }
    in_string_ = (inside >> 63) != 0;
    position += length;
  }
  return position;
}

Result<void> for_each_member(std::string_view object,
                             const std::function<bool(const JsonMember&)>& visit, Extent extent) {
  std::size_t at = 0;
  const auto broken = [&](std::string_view expected) {
    return Error(ErrorCode::Decode,
                 "expected " + std::string(expected) + " at byte " + std::to_string(at));
  };
  const auto skip_spaces = [&] {
    while (at < object.size() && json::is_space(object[at])) ++at;
  };
  // The end of the string that starts at `from`, behind its closing quote; npos when it is cut.
  const auto string_end = [&](std::size_t from) {
    for (std::size_t i = from + 1; i < object.size(); ++i) {
      if (object[i] == '\\') {
        ++i;
      } else if (object[i] == '"') {
        return i + 1;
      }
    }
    return std::string_view::npos;
  };

  std::string storage;
  skip_spaces();
  if (at == object.size() || object[at] != '{') return broken("'{'");
  ++at;
  skip_spaces();
  if (at < object.size() && object[at] == '}') return {};
  for (;;) {
    skip_spaces();
    if (at == object.size() || object[at] != '"') return broken("a member's name");
    const std::size_t key_end = string_end(at);
    if (key_end == std::string_view::npos) return broken("the end of a member's name");
    const auto key = string_value(object.substr(at, key_end - at), storage);
    if (!key) return key.error().with_context("a member's name");
    JsonMember member{*key, {}};
    at = key_end;
    skip_spaces();
    if (at == object.size() || object[at] != ':') return broken("':'");
    ++at;
    skip_spaces();
    if (at == object.size()) return broken("a value");
    std::size_t value_end = at;
    if (object[at] == '"') {
      value_end = string_end(at);
      if (value_end == std::string_view::npos) return broken("the end of a string");
    } else if (object[at] == '{' || object[at] == '[') {
      ValueScanner scanner;
      value_end = at + scanner.feed(object.substr(at));
      const bool is_cut = scanner.state() == ValueScanner::State::More;
      if (scanner.state() != ValueScanner::State::Done &&
          !(is_cut && extent == Extent::Beginning)) {
        return broken("a closed value");
      }
    } else {
      while (value_end < object.size() && object[value_end] != ',' && object[value_end] != '}' &&
             !json::is_space(object[value_end])) {
        ++value_end;
      }
      if (value_end == at) return broken("a value");
    }
    member.value = object.substr(at, value_end - at);
    if (!visit(member)) return {};
    at = value_end;
    skip_spaces();
    if (at == object.size()) return broken("',' or '}'");
    if (object[at] == '}') return {};
    if (object[at] != ',') return broken("',' or '}'");
    ++at;
  }
}

Result<std::string_view> string_value(std::string_view value, std::string& storage) {
  if (value.size() < 2 || value.front() != '"') {
    return Error(ErrorCode::Decode, "expected a string");
  }
  const std::string_view text = value.substr(1, value.size() - 2);
  if (text.find('\\') == std::string_view::npos) return text;
  auto parsed = json::parse(value);
  if (!parsed) return parsed.error();
  storage = parsed->string_or_empty();
  return std::string_view(storage);
}

}  // namespace kube::cache
