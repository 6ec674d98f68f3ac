// SPDX-License-Identifier: Apache-2.0
//
// Writes protobuf from its end to its beginning: the length of a message is known when it is
// written before the message, so one pass suffices, and no size is computed twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <kube/codec/wire.hpp>

#include "copy_bytes.hpp"

namespace kube::meta::wire {

/// A buffer that grows downwards; its first 16 KB are on the stack.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::size_t size() const { return static_cast<std::size_t>(end_ - at_); }
  std::string_view text() const { return {at_, size()}; }

  void byte(unsigned value) {
    need(1);
    *--at_ = static_cast<char>(value);
  }
  void bytes(std::string_view text) {
    need(text.size());
    at_ = put_bytes(at_, text);
  }
  void varint(std::uint64_t value) {
    need(kLongest);
    at_ = put_varint(at_, value);
  }
  /// Writes a signed number, in ten bytes if it is negative.
  void signed_varint(std::int64_t value) { varint(static_cast<std::uint64_t>(value)); }
  void fixed64(std::uint64_t value) {
    need(8);
    at_ -= 8;
    for (unsigned i = 0; i < 8; ++i) at_[i] = static_cast<char>(value >> (8 * i));
  }
  /// Writes the length of what has been written since size() was `before`, and the tag.
  void close(std::size_t before, std::uint32_t tag) {
    need(2 * kLongest);
    at_ = put_tag(put_varint(at_, size() - before), tag);
  }
  [[gnu::always_inline]] void text_field(std::uint32_t tag, std::string_view text) {
    need(text.size() + 2 * kLongest);
    at_ = put_tag(put_varint(put_bytes(at_, text), text.size()), tag);
  }
  void varint_field(std::uint32_t tag, std::int64_t value) {
    need(2 * kLongest);
    at_ = put_tag(put_varint(at_, static_cast<std::uint64_t>(value)), tag);
  }

 private:
  static constexpr std::size_t kLongest = kMaxVarint;

  // The next functions take the end of what they write and return its beginning, so that it stays
  // in a register: a char may alias at_. The buffer has room.
  static char* put_bytes(char* at, std::string_view text) {
    at -= text.size();
    detail::copy_bytes(at, text.data(), text.size());
    return at;
  }
  static char* put_varint(char* at, std::uint64_t value) {
    if (value < 0x80) [[likely]] {
      *--at = static_cast<char>(value);
      return at;
    }
    if (value >= 0x4000) return put_long_varint(at, value);
    at -= 2;
    at[0] = static_cast<char>(value | 0x80);
    at[1] = static_cast<char>(value >> 7);
    return at;
  }
  // Like put_varint(), but without a branch on whether the field's number is below 16, which no
  // processor can predict.
  static char* put_tag(char* at, std::uint32_t tag) {
    if (tag >= 0x4000) [[unlikely]]
      return put_long_varint(at, tag);
    const bool two = tag >= 0x80;
    at[-2] = static_cast<char>(tag | 0x80);
    at[-1] = static_cast<char>(two ? tag >> 7 : tag);
    return at - (two ? 2 : 1);
  }
  [[gnu::noinline]] static char* put_long_varint(char* at, std::uint64_t value) {
    at -= varint_size(value);
    wire::put_varint(at, value);
    return at;
  }
  void need(std::size_t count) {
    if (static_cast<std::size_t>(at_ - begin_) < count) [[unlikely]]
      grow(count);
  }
  [[gnu::noinline, gnu::cold]] void grow(std::size_t count) {
    const std::size_t used = size();
    const std::size_t room = 2 * static_cast<std::size_t>(end_ - begin_) + count;
    std::unique_ptr<char[]> larger(new char[room]);
    std::memcpy(larger.get() + room - used, at_, used);
    heap_ = std::move(larger);
    begin_ = heap_.get();
    end_ = begin_ + room;
    at_ = end_ - used;
  }

  char stack_[std::size_t{16} << 10];
  std::unique_ptr<char[]> heap_;
  char* begin_ = stack_;
  char* end_ = stack_ + sizeof stack_;
  char* at_ = end_;
};

}  // namespace kube::meta::wire
