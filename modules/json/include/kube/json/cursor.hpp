// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// kube::json::Cursor: walks over JSON text without parsing it first. The values before the wanted
// one are skipped by their brackets (json::ValueScanner).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <kube/base/text_argument.hpp>

namespace kube::json {

/// A position in JSON text, which must outlive it. Functions report invalid text where they read
/// it; skipped values are not checked. Enter an object or array, then move from value to value and
/// skip each.
///
/// @par Thread safety   One thread at a time.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : at_(text.data()), begin_(at_), end_(at_ + text.size()) {}
  template <TemporaryText T>
  explicit Cursor(T&& text) = delete;  // Give the text a name first.

  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  /// Skips white space and returns the next byte; '\0' at the end.
  char peek() {
    return at_ != end_ && static_cast<unsigned char>(*at_) > ' ' ? *at_ : peek_after_space();
  }

  /// Moves past '{' or '['. Returns false when another byte is next.
  bool enter(char bracket);
  /// Moves past '}' or ']', and so past the value that enter() began. Returns false when another
  /// byte is next.
  bool leave(char bracket);
  enum class More { Yes, No, Wrong };
  /// Moves to the next value of an array.
  More next_element();
  /// Moves to the next value of an object. `key` is the text between its quotes, with its escapes.
  More next_member(std::string_view& key);

  /// Moves past the next value. Returns false when it does not end or is nested too deep.
  bool skip(std::string_view& value);

 private:
  char peek_after_space();
  const char* string_end(const char* at) const;
  More next(char close);

  const char* at_;
  const char* begin_;
  const char* end_;
  bool first_ = false;  // no value of the object or array has been read
};

/// Whether `written`, a key with its escapes, means `key`. Any thread may call these two.
bool is_key(std::string_view written, std::string_view key);
/// Returns the key that `written` means.
std::string key_text(std::string_view written);

}  // namespace kube::json
