// SPDX-License-Identifier: Apache-2.0
//
// The buffer for JSON text that is being written.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <kube/json/plain_text.hpp>
#include <kube/json/writer.hpp>
#include "copy_bytes.hpp"

namespace kube::meta {

/// A growing buffer; its first 16 KB are on the stack.
class JsonOutput {
 public:
  JsonOutput() = default;
  JsonOutput(const JsonOutput&) = delete;
  JsonOutput& operator=(const JsonOutput&) = delete;

  std::string_view text() const { return {begin_, static_cast<std::size_t>(at_ - begin_)}; }

  void byte(char c) {
    need(1);
    *at_++ = c;
  }
  void raw(std::string_view text) {
    need(text.size());
    at_ = put(at_, text);
  }
  /// Writes the key of an object's member, after a comma unless it is the first. The key needs no
  /// escapes.
  void key(std::string_view key) {
    need(key.size() + 4);
    char* at = at_;
    if (at[-1] != '{') *at++ = ',';
    *at++ = '"';
    at = put(at, key);
    *at++ = '"';
    *at++ = ':';
    at_ = at;
  }
  void string(std::string_view text) {
    if (!json::is_plain(text)) [[unlikely]]
      return other([&](std::string& out) { json::write_string(text, out); });
    need(text.size() + 2);
    char* at = at_;
    *at++ = '"';
    at = put(at, text);
    *at++ = '"';
    at_ = at;
  }
  void integer(std::int64_t value) {
    constexpr std::size_t kLongest = 20;
    need(kLongest);
    at_ = std::to_chars(at_, at_ + kLongest, value).ptr;
  }
  /// Calls a function that appends to a string, for rare forms.
  template <class Write>
  [[gnu::noinline]] void other(Write write) {
    std::string text;
    write(text);
    raw(text);
  }

 private:
  // Returns the end of the text; the buffer has room for it. (A char may alias at_: a copy of it
  // stays in a register.)
  static char* put(char* at, std::string_view text) {
    detail::copy_bytes(at, text.data(), text.size());
    return at + text.size();
  }
  void need(std::size_t count) {
    if (static_cast<std::size_t>(end_ - at_) < count) [[unlikely]]
      grow(count);
  }
  [[gnu::noinline, gnu::cold]] void grow(std::size_t count) {
    const std::size_t used = text().size();
    const std::size_t room = 2 * static_cast<std::size_t>(end_ - begin_) + count;
    std::unique_ptr<char[]> larger(new char[room]);
    std::memcpy(larger.get(), begin_, used);
    heap_ = std::move(larger);
    begin_ = heap_.get();
    end_ = begin_ + room;
    at_ = begin_ + used;
  }

  char stack_[std::size_t{16} << 10];
  std::unique_ptr<char[]> heap_;
  char* begin_ = stack_;
  char* end_ = stack_ + sizeof stack_;
  char* at_ = begin_;
};

}  // namespace kube::meta
