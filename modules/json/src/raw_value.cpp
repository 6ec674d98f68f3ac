// SPDX-License-Identifier: Apache-2.0
#include <kube/json/raw_value.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>
#include <kube/json/plain_text.hpp>
#include <kube/json/text.hpp>

namespace kube::json {
namespace {

// Bit i: write_string() may not write byte i of a block unchanged.
inline std::uint64_t find_unusual(const char* block) {
  std::uint64_t found = 0;
  for (unsigned lane = 0; lane < 4; ++lane) {
    const auto unusual =
        detail::is_unusual(detail::load_bytes<detail::Sixteen>(block + std::size_t{16} * lane));
#if defined(__SSE2__)
    using Bytes [[gnu::vector_size(16)]] = char;
    const int mask = __builtin_ia32_pmovmskb128(std::bit_cast<Bytes>(unusual));
    found |= std::uint64_t{static_cast<unsigned>(mask)} << (16 * lane);
#else
    for (unsigned i = 0; i < 16; ++i) found |= std::uint64_t{unusual[i] != 0} << (16 * lane + i);
#endif
  }
  return found;
}

// The positions where strings end or need a check. They are found for 64 bytes at once, not from
// each string onwards: each position must not wait for the result of the one before.
class Stops {
 public:
  // @pre the text isn't empty
  Stops(const char* begin, const char* end) : block_(begin), end_(end), mask_(look(begin, end)) {}

  // Returns the first position at or after `at`; the last byte of the text is one. @pre `at` is in
  // the text and not before the previous argument
  [[gnu::always_inline]] const char* next(const char* at) {
    for (;;) {
      while (at - block_ >= 64) [[unlikely]] {
          block_ += 64;
          mask_ = look(block_, end_);
        }
      const std::uint64_t mask = mask_ >> (at - block_);
      if (mask != 0) [[likely]]
        return at + std::countr_zero(mask);
      at = block_ + 64;
    }
  }

 private:
  static std::uint64_t look(const char* block, const char* end) {
    const auto size = static_cast<std::size_t>(end - block);
    if (size > 64) return find_unusual(block);
    char last[64] = {};
    std::memcpy(last, block, size);
    return find_unusual(last) | std::uint64_t{1} << (size - 1);
  }

  const char* block_;
  const char* const end_;
  std::uint64_t mask_;
};

// Functions take the position of a value and return the position after it; null when the value is
// invalid. Positions are arguments, not members, so that they stay in registers.
class RawScan {
 public:
  explicit RawScan(const char* end) : end_(end) {}

  bool compact() const { return compact_; }

  // Scans a text that begins with an opening bracket and ends with a closing one. That last byte
  // ends every token before it, so only the code after a closing bracket checks for the end.
  const char* nested(const char* at) {
    Stops stops(at, end_);
    std::array<char, kMaxDepth> closing;  // the brackets that close the open values
    std::size_t depth = 0;
    for (;;) {
      // A value is next.
      const char open = *at;
      if (open == '{' || open == '[') {
        if (depth == kMaxDepth) return nullptr;
        const auto close = static_cast<char>(open + 2);
        at = behind_space(at + 1);
        if (*at != close) {
          closing[depth++] = close;
          if (open == '{' && (at = key(at, stops, depth)) == nullptr) return nullptr;
          continue;
        }
        if (++at == end_) return depth == 0 ? at : nullptr;
      } else {
        at = open == '"' ? string(at, stops) : other_scalar(at);
        if (at == nullptr) return nullptr;
      }
      // After a value: close all that ends here.
      for (;;) {
        if (depth == 0) return nullptr;  // more text follows the value
        at = behind_space(at);
        if (*at == ',') break;
        if (*at != closing[--depth]) return nullptr;
        if (++at == end_) return depth == 0 ? at : nullptr;
      }
      at = behind_space(at + 1);
      if (closing[depth - 1] == '}' && (at = key(at, stops, depth)) == nullptr) return nullptr;
    }
  }

  // Scans a text that is a scalar.
  const char* scalar(const char* at) {
    if (*at != '"') return other_scalar(at);
    for (++at; at != end_ && *at != '"';) {
      if ((at = string_byte(at)) == nullptr) return nullptr;
    }
    return at == end_ ? nullptr : at + 1;
  }

 private:
  [[gnu::always_inline]] const char* behind_space(const char* at) {
    return *at > ' ' || !is_space(*at) ? at : skip_space(at);
  }
  [[gnu::noinline]] const char* skip_space(const char* at) {
    compact_ = false;
    while (is_space(*at)) ++at;
    return at;
  }

  // Returns the value of the next member, or of a later one.
  [[gnu::always_inline]] const char* key(const char* at, Stops& stops, std::size_t depth) {
    for (;;) {
      if (*at != '"' || (at = string(at, stops)) == nullptr) return nullptr;
      // An empty object and another member: the most frequent part of managedFields.
      if (end_ - at <= 5 || !is_empty_object_and_more(at) || depth == kMaxDepth) break;
      at += 4;
    }
    at = behind_space(at);
    return *at == ':' ? behind_space(at + 1) : nullptr;
  }

  // Whether `:{},"` is next. (memcmp() of five bytes is a call.)
  static bool is_empty_object_and_more(const char* at) {
    return std::memcmp(at, ":{},", 4) == 0 && at[4] == '"';
  }

  [[gnu::always_inline]] const char* string(const char* at, Stops& stops) {
    ++at;
    for (;;) {
      at = stops.next(at);
      if (*at == '"') return at + 1;
      if (*at == '\\' && at[1] == '"') {
        at += 2;
      } else if ((at = string_byte(at)) == nullptr || at == end_) {
        return nullptr;
      }
    }
  }
  // Scans one byte of a string, or several that belong together.
  [[gnu::noinline]] const char* string_byte(const char* at) {
    const char c = *at;
    if (c == '\\') return escape(at);
    if (static_cast<signed char>(c) >= 0x20) {
      if (c == '<' || c == '>' || c == '&') compact_ = false;
      return at + 1;
    }
    const std::string_view rest = rest_of(at);
    const std::size_t length = utf8_length(rest, 0);
    if (length == 0 || static_cast<unsigned char>(c) < 0x20) return nullptr;
    if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) compact_ = false;
    return at + length;
  }
  const char* escape(const char* at) const {
    const std::string_view rest = rest_of(at);
    if (rest.size() < 2) return nullptr;
    if (rest[1] != 'u')
      return std::string_view(R"("\/bfnrt)").find(rest[1]) != std::string_view::npos ? at + 2
                                                                                     : nullptr;
    if (rest.size() < 6) return nullptr;
    for (const char c : rest.substr(2, 4)) {
      if (ascii::hex_value(c) < 0) return nullptr;
    }
    return at + 6;
  }

  [[gnu::noinline]] const char* other_scalar(const char* at) const {
    switch (*at) {
      case 't':
        return word(at, "true");
      case 'f':
        return word(at, "false");
      case 'n':
        return word(at, "null");
      default:
        return number(at);
    }
  }
  const char* word(const char* at, std::string_view expected) const {
    return rest_of(at).starts_with(expected) ? at + expected.size() : nullptr;
  }
  const char* number(const char* at) const {
    const auto is = [&](char c) { return at != end_ && *at == c; };
    const auto digits = [&] {
      const char* const first = at;
      while (at != end_ && ascii::is_digit(*at)) ++at;
      return at != first;
    };
    if (is('-')) ++at;
    if (is('0')) {
      ++at;
    } else if (!digits()) {
      return nullptr;
    }
    if (is('.')) {
      ++at;
      if (!digits()) return nullptr;
    }
    if (is('e') || is('E')) {
      ++at;
      if (is('+') || is('-')) ++at;
      if (!digits()) return nullptr;
    }
    return at;
  }

  std::string_view rest_of(const char* at) const {
    return {at, static_cast<std::size_t>(end_ - at)};
  }

  const char* const end_;
  bool compact_ = true;
};

}  // namespace

RawValue check_raw_value(std::string_view text) {
  const std::size_t size = text.size();
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  if (text.empty()) return RawValue::None;
  const char first = text.front();
  const bool nested = first == '{' || first == '[';
  // '}' is '{' + 2, and ']' is '[' + 2.
  if (nested && text.back() != first + 2) return RawValue::None;
  const char* const end = text.data() + text.size();
  RawScan scan(end);
  if ((nested ? scan.nested(text.data()) : scan.scalar(text.data())) != end) return RawValue::None;
  return scan.compact() && text.size() == size ? RawValue::Compact : RawValue::Loose;
}

}  // namespace kube::json
