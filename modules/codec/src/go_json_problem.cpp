// SPDX-License-Identifier: Apache-2.0
//
// Finds the first character that Go's JSON reader refuses, and what it says about it.
#include <cstddef>
#include <string>
#include <string_view>

#include <kube/base/ascii.hpp>
#include <kube/codec/go_problems.hpp>
#include <kube/json/text.hpp>
#include <kube/names/go_text.hpp>

namespace kube::go {
namespace {

std::string quoted_character(char c) {
  if (c == '\'') return R"('\'')";
  if (c == '"') return R"('"')";
  // Go takes the byte for a code point.
  const auto byte = static_cast<unsigned char>(c);
  std::string text(1, c);
  if (byte >= 0x80) {
    text = {static_cast<char>(0xc0 | (byte >> 6)), static_cast<char>(0x80 | (byte & 0x3f))};
  }
  const std::string in_quotes = quote(text);
  return "'" + in_quotes.substr(1, in_quotes.size() - 2) + "'";
}

bool is_hex(char c) {
  return ascii::is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

class SyntaxScan {
 public:
  explicit SyntaxScan(std::string_view text) : text_(text) {}

  std::string problem() {
    const bool whole = value(0);
    if (whole) skip_space();
    if (whole && !at_end()) wrong("after top-level value");
    return problem_.empty() && !whole ? "unexpected end of JSON input" : problem_;
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_space() {
    while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n'))
      ++at_;
  }
  // Says what is wrong with the next character; at the end of the text that it ends.
  bool wrong(std::string_view context) {
    if (!at_end())
      problem_ = "invalid character " + quoted_character(peek()) + " " + std::string(context);
    return false;
  }

  // Each of these returns false at a problem.
  bool value(std::size_t depth) {
    skip_space();
    if (depth > std::size_t{json::kMaxDepth}) {
      problem_ = "exceeded max depth";
      return false;
    }
    switch (peek()) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        return string();
      case 't':
        return literal("true");
      case 'f':
        return literal("false");
      case 'n':
        return literal("null");
      default:
        if (peek() == '-' || ascii::is_digit(peek())) return number();
        return wrong("looking for beginning of value");
    }
  }

  bool object(std::size_t depth) {
    ++at_;
    skip_space();
    if (take('}')) return true;
    while (true) {
      skip_space();
      if (peek() != '"' || at_end()) return wrong("looking for beginning of object key string");
      if (!string()) return false;
      skip_space();
      if (!take(':')) return wrong("after object key");
      if (!value(depth + 1)) return false;
      skip_space();
      if (take('}')) return true;
      if (!take(',')) return wrong("after object key:value pair");
    }
  }

  bool array(std::size_t depth) {
    ++at_;
    skip_space();
    if (take(']')) return true;
    while (true) {
      if (!value(depth + 1)) return false;
      skip_space();
      if (take(']')) return true;
      if (!take(',')) return wrong("after array element");
    }
  }

  bool literal(std::string_view word) {
    for (const char c : word) {
      if (take(c)) continue;
      return wrong("in literal " + std::string(word) + " (expecting " + quoted_character(c) + ")");
    }
    return true;
  }

  bool digits(std::string_view context) {
    if (!ascii::is_digit(peek())) return wrong(context);
    while (ascii::is_digit(peek())) ++at_;
    return true;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits("in numeric literal")) return false;
    if (take('.') && !digits("after decimal point in numeric literal")) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return digits("in exponent of numeric literal");
  }

  bool string() {
    ++at_;
    while (!at_end()) {
      if (take('"')) return true;
      if (static_cast<unsigned char>(peek()) < 0x20) return wrong("in string literal");
      if (!take('\\')) {
        ++at_;
        continue;
      }
      if (take('u')) {
        for (int i = 0; i < 4; ++i) {
          if (!is_hex(peek())) return wrong("in \\u hexadecimal character escape");
          ++at_;
        }
      } else if (std::string_view("bfnrt\\/\"").find(peek()) == std::string_view::npos ||
                 at_end()) {
        return wrong("in string escape code");
      } else {
        ++at_;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string problem_{};
};

}  // namespace

std::string json_problem(std::string_view text) {
  return SyntaxScan(text).problem();
}

}  // namespace kube::go
