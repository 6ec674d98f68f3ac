// SPDX-License-Identifier: Apache-2.0
//
// Walking over JSON without finding its tokens first: what lies before the value that is wanted is
// skipped by its brackets, 64 bytes at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kube::meta {

/// A position in JSON text. Functions answer false for text that is wrong where they look.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text)
      : at_(text.data()), begin_(at_), end_(at_ + text.size()) {}

  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  /// What is in front behind white space; '\0' at the end.
  char peek() {
    return at_ != end_ && static_cast<unsigned char>(*at_) > ' ' ? *at_ : peek_behind_space();
  }

  /// Goes behind '{' or '['. @return whether it was in front
  bool enter(char bracket);
  enum class More { Yes, No, Wrong };
  /// In front of the next value of an array.
  More next_element();
  /// In front of the next value of an object; `key` is what stands between its quotes.
  More next_member(std::string_view& key);

  /// Goes behind the value in front.
  bool skip(std::string_view& value);

 private:
  char peek_behind_space();
  const char* string_end(const char* at) const;
  More next(char close);

  const char* at_;
  const char* begin_;
  const char* end_;
  bool first_ = false;  // nothing of the object or array has been read
};

/// Whether a key as it stands in the text says `key`.
bool is_key(std::string_view written, std::string_view key);
/// What it says.
std::string key_text(std::string_view written);

}  // namespace kube::meta
