// SPDX-License-Identifier: Apache-2.0
//
// kube::json::Cursor: a walk over JSON text that is not parsed first. What lies before the value
// that is wanted is skipped by its brackets (json::ValueScanner).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kube::json {

/// A position in JSON text, which must outlive it. Functions report text that is wrong where they
/// look; what they skip is not checked.
/// Enter an object or array, then go from value to value, each of which is skipped.
///
/// @par Thread safety   Not thread-safe.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : at_(text.data()), begin_(at_), end_(at_ + text.size()) {}

  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  /// Skips white space and returns the next byte; '\0' at the end.
  char peek() {
    return at_ != end_ && static_cast<unsigned char>(*at_) > ' ' ? *at_ : peek_after_space();
  }

  /// Moves past '{' or '['. False when another byte is next.
  bool enter(char bracket);
  enum class More { Yes, No, Wrong };
  /// Moves to the next value of an array.
  More next_element();
  /// Moves to the next value of an object. `key` is what is between its quotes, escapes and all.
  More next_member(std::string_view& key);

  /// Moves past the next value. False when it does not end or is nested too deep.
  bool skip(std::string_view& value);

 private:
  char peek_after_space();
  const char* string_end(const char* at) const;
  More next(char close);

  const char* at_;
  const char* begin_;
  const char* end_;
  bool first_ = false;  // nothing of the object or array has been read
};

/// Whether a key as it is written in the text means `key`.
bool is_key(std::string_view written, std::string_view key);
/// The key that is meant by one as it is written in the text.
std::string key_text(std::string_view written);

}  // namespace kube::json
