// SPDX-License-Identifier: Apache-2.0
//
// kube::json::Reader: reads one document token by token, without making json::Values. simdjson
// finds all tokens at once; the functions here walk over them and are inline, because every read of
// an API object goes through them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <kube/json/text.hpp>

namespace kube::json {

/// A position in a document. The caller looks at the next value with peek() and reads it with the
/// function for its type, or skips it:
///
///     for (bool more = reader.begin_object(); more; more = reader.next_member()) {
///       if (reader.key() == "kind" && reader.peek() == '"') {
///         reader.read_string(text);
///       } else {
///         reader.skip();
///       }
///     }
///
/// After a function has failed, failed() is true and all others fail too; find_syntax_error()
/// reports what is wrong with the text.
///
/// @par Thread safety   Only the thread that made it: it borrows buffers of that thread.
/// @par Cost   The constructor copies the text and makes one pass over it, without allocation once
///   the thread's buffers are large enough.
class Reader {
 public:
  explicit Reader(std::string_view text);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();

  bool failed() const { return failed_; }
  /// Whether the whole document has been read.
  bool at_end() const { return token_ == end_ && !failed_; }

  /// Returns the first character of the next token: one of { [ " - 0...9 t f n for a value; '\0' at
  /// the end.
  char peek() const { return text_[*token_]; }
  /// Returns the offset of the next token in the text.
  std::size_t offset() const { return *token_; }

  /// Enters an object. Returns true if key() is the first key and its value is next; false if the
  /// object was empty and has been read, or the text is invalid.
  /// @pre peek() == '{'
  bool begin_object() {
    ++token_;
    if (peek() != '}') return read_key();
    ++token_;
    return false;
  }
  /// Call it after a member's value: true for another member, false after the end of the object.
  bool next_member() {
    const char c = peek();
    if (c == ',') {
      ++token_;
      return read_key();
    }
    if (c != '}') return fail();
    ++token_;
    return false;
  }
  /// Returns the key as it is written, with its escapes.
  std::string_view key() const { return key_; }
  std::size_t key_offset() const { return static_cast<std::size_t>(key_.data() - text_) - 1; }
  /// Appends the key, escapes resolved.
  bool read_key_text(std::string& out) {
    return json::read_string(key_.data(), out) != nullptr || fail();
  }

  /// Enters an array. Returns true if an element is next.
  /// @pre peek() == '['
  bool begin_array() {
    ++token_;
    if (peek() != ']') return true;
    ++token_;
    return false;
  }
  bool next_element() {
    const char c = peek();
    if (c != ',' && c != ']') return fail();
    ++token_;
    return c == ',';
  }
  /// Returns the number of elements of the array; if it is invalid, at most that of its values.
  /// @pre peek() == '['
  std::size_t count_elements() const;

  /// Appends the string to `out`.
  /// @pre peek() == '"'
  bool read_string(std::string& out) {
    const char* begin = text_ + *token_ + 1;
    ++token_;
    return json::read_string(begin, out) != nullptr || fail();
  }
  /// @pre peek() is 't' or 'f'.
  bool read_bool(bool& out) {
    out = peek() == 't';
    return read_word(out ? "true" : "false");
  }
  /// @pre peek() == 'n'.
  bool read_null() { return read_word("null"); }

  /// Reads the text of a valid number.
  /// @pre peek() is '-' or a digit
  bool read_number(std::string_view& out);

  /// Skips a value of any type, and checks it as the functions that read do.
  bool skip() {
    const char c = peek();
    return c == '{' || c == '[' ? skip_nested() : skip_scalar();
  }
  /// skip() that returns the text of the value.
  bool skip(std::string_view& out);

  /// Makes failed() true. Returns false, for `return reader.fail();`.
  bool fail() {
    failed_ = true;
    token_ = end_;
    return false;
  }

 private:
  struct Buffers;

  bool read_key() {
    if (peek() != '"') return fail();
    const char* begin = text_ + *token_ + 1;
    ++token_;
    if (peek() != ':') return fail();
    const char* end = text_ + *token_ - 1;
    while (*end != '"') --end;
    key_ = std::string_view(begin, static_cast<std::size_t>(end - begin));
    ++token_;
    return true;
  }

  // Whether a scalar may end before `at`.
  bool ends_scalar(const char* at) const {
    switch (*at) {
      case ',':
      case '}':
      case ']':
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        return true;
      default:
        return at == text_ + *end_;
    }
  }
  bool read_word(std::string_view word) {
    const char* at = text_ + *token_;
    if (std::memcmp(at, word.data(), word.size()) != 0 || !ends_scalar(at + word.size()))
      return fail();
    ++token_;
    return true;
  }
  bool skip_key() {
    if (peek() != '"') return fail();
    if (!skip_string()) return false;
    if (peek() != ':') return fail();
    ++token_;
    return true;
  }
  bool skip_nested();
  bool skip_scalar();
  bool skip_string();

  const char* text_;            // padded with zeros
  const std::uint32_t* token_;  // the offset of the next token
  const std::uint32_t* end_;    // the last offset, which is the padding's
  bool failed_ = false;
  std::string_view key_;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace kube::json
