// SPDX-License-Identifier: Apache-2.0
#include <kube/json/text.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>
#include <kube/json/plain_text.hpp>

namespace kube::json {
namespace {

// Returns a byte as Go prints it: '\'' and '"' readable, others quoted, unprintable ones escaped.
std::string quoted(char c) {
  if (c == '\'') return R"('\'')";
  if (c == '\n') return R"('\n')";
  if (c == '\t') return R"('\t')";
  if (c == '\r') return R"('\r')";
  const auto byte = static_cast<std::uint8_t>(c);
  if (byte >= 0x20 && byte < 0x7f) return std::string("'") + c + "'";
  std::string escape = "'\\x";
  ascii::append_hex(c, escape);
  return escape + "'";
}

// Scans JSON up to the first error; byte by byte, except for plain text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool value() {
    skip_space();
    if (at_end()) return fail_at_end();
    switch (peek()) {
      case '{':
        return object();
      case '[':
        return array();
      case '"':
        return string();
      case 't':
        return literal("true");
      case 'f':
        return literal("false");
      case 'n':
        return literal("null");
      default:
        return number();
    }
  }

  void skip_space() {
    while (!at_end() && is_space(peek())) ++pos_;
  }
  bool at_end() const { return pos_ >= text_.size(); }
  bool fail(std::string message) {
    error_ = {pos_, std::move(message)};
    return false;
  }
  bool fail_character(std::string_view where) {
    if (at_end()) return fail_at_end();
    return fail("invalid character " + quoted(peek()) + " " + std::string(where));
  }

  std::size_t position() const { return pos_; }
  const SyntaxError& error() const { return error_; }

 private:
  char peek() const { return text_[pos_]; }
  bool fail_at_end() { return fail("unexpected end of JSON input"); }

  bool object() {
    if (++depth_ > kMaxDepth) return fail("exceeded max depth");
    ++pos_;
    skip_space();
    if (!at_end() && peek() == '}') return close();
    for (;;) {
      skip_space();
      if (at_end() || peek() != '"')
        return fail_character("looking for beginning of object key string");
      if (!string()) return false;
      skip_space();
      if (at_end() || peek() != ':') return fail_character("after object key");
      ++pos_;
      if (!value()) return false;
      skip_space();
      if (!at_end() && peek() == '}') return close();
      if (at_end() || peek() != ',') return fail_character("after object key:value pair");
      ++pos_;
    }
  }

  bool array() {
    if (++depth_ > kMaxDepth) return fail("exceeded max depth");
    ++pos_;
    skip_space();
    if (!at_end() && peek() == ']') return close();
    for (;;) {
      if (!value()) return false;
      skip_space();
      if (!at_end() && peek() == ']') return close();
      if (at_end() || peek() != ',') return fail_character("after array element");
      ++pos_;
    }
  }

  bool close() {
    --depth_;
    ++pos_;
    return true;
  }

  bool string() {
    ++pos_;
    skip_plain();
    while (!at_end()) {
      const char c = peek();
      if (c == '"') {
        ++pos_;
        return true;
      }
      if (c == '\\') {
        ++pos_;
        if (!escape()) return false;
        skip_plain();
      } else if (static_cast<std::uint8_t>(c) < 0x20) {
        return fail_character("in string literal");
      } else {
        const std::size_t length = utf8_length(text_, pos_);
        if (length == 0) return fail("invalid UTF-8 in string literal");
        pos_ += length;
        if (length != 1) skip_plain();
      }
    }
    return fail_at_end();
  }

  // Skips the part of a string that needs no check of each byte.
  void skip_plain() {
    constexpr std::size_t kStep = sizeof(detail::Sixteen);
    const auto unusual = [](detail::Sixteen bytes) {
      return (bytes < 0x20) | (bytes == '"') | (bytes == '\\');
    };
    while (text_.size() - pos_ >= kStep &&
           detail::has_none({text_.data() + pos_, kStep}, unusual)) {
      pos_ += kStep;
    }
  }

  bool escape() {
    if (at_end()) return fail_at_end();
    if (peek() != 'u') {
      if (std::string_view(R"("\/bfnrt)").find(peek()) == std::string_view::npos) {
        return fail_character("in string escape code");
      }
      ++pos_;
      return true;
    }
    ++pos_;
    for (int i = 0; i < 4; ++i, ++pos_) {
      if (at_end() || ascii::hex_value(peek()) < 0)
        return fail_character(R"(in \u hexadecimal character escape)");
    }
    return true;
  }

  bool literal(std::string_view word) {
    for (const char c : word) {
      if (at_end() || peek() != c) {
        return fail_character("in literal " + std::string(word) + " (expecting '" + c + "')");
      }
      ++pos_;
    }
    return true;
  }

  bool digits(std::string_view where) {
    if (at_end() || !ascii::is_digit(peek())) return fail_character(where);
    while (!at_end() && ascii::is_digit(peek())) ++pos_;
    return true;
  }

  bool number() {
    if (peek() == '-') {
      ++pos_;
      if (at_end() || !ascii::is_digit(peek())) return fail_character("in numeric literal");
    } else if (!ascii::is_digit(peek())) {
      return fail_character("looking for beginning of value");
    }
    if (peek() == '0') {
      ++pos_;
    } else if (!digits("in numeric literal")) {
      return false;
    }
    if (!at_end() && peek() == '.') {
      ++pos_;
      if (!digits("after decimal point in numeric literal")) return false;
    }
    if (!at_end() && (peek() == 'e' || peek() == 'E')) {
      ++pos_;
      if (!at_end() && (peek() == '+' || peek() == '-')) ++pos_;
      if (!digits("in exponent of numeric literal")) return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  int depth_ = 0;
  SyntaxError error_;
};

// Reads four hexadecimal digits; returns -1 for another character.
int read_hex4(const char* text) {
  int code = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = ascii::hex_value(text[i]);
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

// Starts after "\u"; appends the character and returns the position after it.
const char* read_unicode_escape(const char* text, std::string& out) {
  constexpr std::uint32_t kReplacement = 0xfffd;
  const int first = read_hex4(text);
  if (first < 0) return nullptr;
  text += 4;
  auto code = static_cast<std::uint32_t>(first);
  if (code >= 0xdc00 && code <= 0xdfff) {
    code = kReplacement;
  } else if (code >= 0xd800 && code <= 0xdbff) {
    const int second = text[0] == '\\' && text[1] == 'u' ? read_hex4(text + 2) : -1;
    if (second >= 0xdc00 && second <= 0xdfff) {
      code = 0x10000 + ((code - 0xd800) << 10) + (static_cast<std::uint32_t>(second) - 0xdc00);
      text += 6;
    } else {
      code = kReplacement;
    }
  }
  append_utf8(code, out);
  return text;
}

// Returns the first '"' or '\\' at or after `text`. Takes eight bytes at a time, and reads at most
// seven past the result, which are literal text or padding.
const char* find_string_stop(const char* text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = 0x8080808080808080;
  for (;; text += 8) {
    std::uint64_t word;
    std::memcpy(&word, text, sizeof word);
    const std::uint64_t quotes = word ^ (kOnes * '"');
    const std::uint64_t slashes = word ^ (kOnes * '\\');
    const std::uint64_t hits =
        ((quotes - kOnes) & ~quotes & kHighs) | ((slashes - kOnes) & ~slashes & kHighs);
    if (hits == 0) continue;
    if constexpr (std::endian::native == std::endian::little) {
      return text + std::countr_zero(hits) / 8;
    } else {
      while (*text != '"' && *text != '\\') ++text;
      return text;
    }
  }
}

}  // namespace

Error SyntaxError::to_error() const {
  return Error(ErrorCode::Decode, "json: offset " + std::to_string(offset) + ": " + message);
}

std::optional<SyntaxError> find_syntax_error(std::string_view text) {
  Scanner scanner(text);
  if (!scanner.value()) return scanner.error();
  scanner.skip_space();
  if (scanner.at_end()) return std::nullopt;
  scanner.fail_character("after top-level value");
  return scanner.error();
}

Result<std::size_t> end_of_value(std::string_view text) {
  Scanner scanner(text);
  if (!scanner.value()) return scanner.error().to_error();
  return scanner.position();
}

const char* read_string(const char* text, std::string& out) {
  for (;;) {
    const char* stop = find_string_stop(text);
    const auto length = static_cast<std::size_t>(stop - text);
    if (out.empty() && length > out.capacity()) {
      out = std::string(text, length);  // append() would double the capacity
    } else {
      out.append(text, length);
    }
    if (*stop == '"') return stop + 1;
    text = stop + 2;
    switch (stop[1]) {
      case '"':
        out += '"';
        break;
      case '\\':
        out += '\\';
        break;
      case '/':
        out += '/';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u':
        text = read_unicode_escape(text, out);
        if (text == nullptr) return nullptr;
        break;
      default:
        return nullptr;
    }
  }
}

}  // namespace kube::json
