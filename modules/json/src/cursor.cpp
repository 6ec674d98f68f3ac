// SPDX-License-Identifier: Apache-2.0
//
// Walks over JSON text without parsing it.
#include <kube/json/cursor.hpp>

#include <bit>
#include <cstdint>
#include <utility>

#include <kube/json/key_hash.hpp>
#include <kube/json/text.hpp>
#include <kube/json/value.hpp>
#include <kube/json/value_scanner.hpp>

namespace kube::json {
namespace {

bool ends_scalar(char c) {
  return c == ',' || c == '}' || c == ']' || is_space(c);
}

}  // namespace

char Cursor::peek_after_space() {
  while (at_ != end_ && is_space(*at_)) ++at_;
  return at_ == end_ ? '\0' : *at_;
}

bool Cursor::enter(char bracket) {
  if (peek() != bracket) return false;
  ++at_;
  first_ = true;
  return true;
}

bool Cursor::leave(char bracket) {
  if (peek() != bracket) return false;
  ++at_;
  first_ = false;  // of the object or array around it
  return true;
}

Cursor::More Cursor::next(char close) {
  const char c = peek();
  if (c == close) return More::No;
  if (!std::exchange(first_, false)) {
    if (c != ',') return More::Wrong;
    ++at_;
    peek();
  }
  return at_ == end_ ? More::Wrong : More::Yes;
}

Cursor::More Cursor::next_element() {
  return next(']');
}

Cursor::More Cursor::next_member(std::string_view& key) {
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

// Returns the position after the string that begins at `at`; null when it does not end.
const char* Cursor::string_end(const char* at) const {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = kOnes << 7;
  for (++at; at < end_; ++at) {
    // Takes eight bytes at a time while none of them is special.
    for (; end_ - at >= 8; at += 8) {
      const auto word = detail::load<std::uint64_t>(at);
      const std::uint64_t quotes = word ^ kOnes * '"';
      const std::uint64_t slashes = word ^ kOnes * '\\';
      // The lowest bit that is set belongs to the first special byte.
      const std::uint64_t hits =
          (((quotes - kOnes) & ~quotes) | ((slashes - kOnes) & ~slashes)) & kHighs;
      if (hits == 0) continue;
      at += std::countr_zero(hits) / 8;
      break;
    }
    while (at != end_ && *at != '"' && *at != '\\') ++at;
    if (at == end_) return nullptr;
    if (*at == '"') return at + 1;
    if (++at == end_) return nullptr;  // skip the escaped byte too
  }
  return nullptr;
}

bool Cursor::skip(std::string_view& value) {
  const char* const begin = (peek(), at_);
  if (begin == end_) return false;
  const char* behind = begin;
  switch (*begin) {
    case '{':
    case '[': {
      ValueScanner scanner;
      behind += scanner.feed(std::string_view(begin, static_cast<std::size_t>(end_ - begin)));
      if (scanner.state() != ValueScanner::State::Done) behind = nullptr;
      break;
    }
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
  const auto value = parse("\"" + std::string(written) + "\"");
  return value ? std::string(value->string_or_empty()) : std::string(written);
}

}  // namespace kube::json
