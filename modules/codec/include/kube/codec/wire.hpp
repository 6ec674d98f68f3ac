// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// kube::meta::wire: the protobuf wire format without types. Fields iterates over the fields of a
// message; the functions read and write its tokens: tags, varints, lengths. They return null for
// invalid input and record the reason in a Fault. Any thread may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>

namespace kube::meta::wire {

using At = const unsigned char*;

enum Type : std::uint32_t {
  Varint = 0,
  Fixed64 = 1,
  Bytes = 2,
  Group = 3,
  EndGroup = 4,
  Fixed32 = 5
};

inline At begin_of(std::string_view bytes) {
  return reinterpret_cast<At>(bytes.data());
}
inline std::string_view view(At begin, At end) {
  return {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin)};
}

/// Where the input is invalid, and why; false if it is valid so far.
struct Fault {
  At at = nullptr;
  std::string message{};

  explicit operator bool() const { return at != nullptr; }

  /// Records the first fault only.
  [[gnu::noinline, gnu::cold]] At operator()(At where, std::string what) {
    if (at != nullptr) return nullptr;
    at = where;
    message = std::move(what);
    return nullptr;
  }
};

// These functions are rarely called, and therefore out of line.
At read_long_varint(At at, At end, std::uint64_t& out, Fault& fault);
At bad_length(At at, std::uint64_t length, std::uint64_t available, Fault& fault);
/// Skips the value of a field; `at` is after its tag. Returns the end of the value.
At skip(At at, At end, std::uint32_t tag, Fault& fault, int depth = 0);
/// Explains an invalid tag: number 0, a number that is too large.
At bad_tag(At at, std::uint64_t tag, Fault& fault);
/// Explains why the raw bytes at `at` aren't one JSON value.
At bad_raw_json(At at, std::string_view raw, Fault& fault);
std::string_view name_of(std::uint32_t wire_type);
/// Explains a tag, `found` at `at`, whose wire type isn't that of the tag `expected`.
At wrong_wire_type(At at, std::uint32_t expected, std::uint32_t found, Fault& fault);

inline At read_varint(At at, At end, std::uint64_t& out, Fault& fault) {
  if (at != end && *at < 0x80) [[likely]] {
    out = *at;
    return at + 1;
  }
  if (end - at >= 2 && at[1] < 0x80) {
    out = (*at & 0x7fu) | std::uint64_t{at[1]} << 7;
    return at + 2;
  }
  return read_long_varint(at, end, out, fault);
}

/// @pre at != end
inline At read_tag(At at, At end, std::uint32_t& tag, Fault& fault) {
  if (*at < 0x80 && *at >= 8) [[likely]] {
    tag = *at;
    return at + 1;
  }
  if (*at >= 0x80 && end - at >= 2 && at[1] < 0x80 && at[1] != 0) {
    tag = (*at & 0x7fu) | std::uint32_t{at[1]} << 7;
    return at + 2;
  }
  std::uint64_t long_tag = 0;
  const At after = read_long_varint(at, end, long_tag, fault);
  if (after == nullptr) return nullptr;
  tag = static_cast<std::uint32_t>(long_tag);
  if (long_tag > 0xffffffff || tag < 8) return bad_tag(at, long_tag, fault);
  return after;
}

/// Reads a length; the value's bytes are then [result, result + length), all within the input.
[[gnu::always_inline]] inline At read_length(At at, At end, std::size_t& length, Fault& fault) {
  std::uint64_t value = 0;
  const At after = read_varint(at, end, value, fault);
  if (after == nullptr) return nullptr;
  const auto available = static_cast<std::uint64_t>(end - after);
  if (value > available) [[unlikely]]
    return bad_length(at, value, available, fault);
  length = static_cast<std::size_t>(value);
  return after;
}

/// One field of a message: views into it.
///
/// @par Thread safety   A value.
struct Field {
  std::uint32_t tag = 0;
  At begin = nullptr;        ///< Where its tag begins.
  std::string_view value{};  ///< Without tag and length.

  /// The field with its tag.
  std::string_view whole() const { return view(begin, begin_of(value) + value.size()); }
  std::uint32_t number() const { return tag >> 3; }
  /// Whether the value is a string, bytes or a message.
  bool is_bytes() const { return (tag & 7) == Bytes; }
};

/// Returns the field at `at`; a field without a begin if it is invalid.
/// @pre at != end
Field read_field(At at, At end, Fault& fault);

/// The fields of a message, in order:
///
///     wire::Fields fields(message);
///     for (const wire::Field& field : fields) {
///       if (field.number() == 2 && fields.expect_bytes(field)) items.push_back(field.value);
///     }
///     if (fields.fault()) return fields.error();
///
/// The iteration ends at the first invalid field. The message has to outlive it.
///
/// @par Thread safety   Not thread-safe.
/// @par Cost   Values are skipped. Only an invalid message allocates.
class Fields {
 public:
  explicit Fields(std::string_view message)
      : begin_(begin_of(message)), end_(begin_ + message.size()) {}
  template <TemporaryText T>
  explicit Fields(T&& message) = delete;  // Give the message a name first.
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  /// @par Thread safety   Not thread-safe.
  class Iterator {
   public:
    explicit Iterator(Fields& fields)
        : at_(fields.begin_), end_(fields.end_), fault_(&fields.fault_) {}
    const Field& operator*() const { return field_; }
    // The only code that reads, so that it is compiled once, into a loop. Nearly all fields have a
    // tag of one byte and a length of one or two.
    [[gnu::always_inline]] inline bool operator==(std::default_sentinel_t) {
      if (at_ == end_) return true;
      if (end_ - at_ < 3 || *at_ < 8 || (*at_ & 0x87) != Bytes)
        return !take(read_field(at_, end_, *fault_));
      At value = at_ + 2;
      std::ptrdiff_t length = at_[1];
      if (length >= 0x80) {
        if (*value >= 0x80) return !take(read_field(at_, end_, *fault_));
        length = (length & 0x7f) | *value++ << 7;
      }
      if (length > end_ - value) return !take(read_field(at_, end_, *fault_));
      field_.begin = at_;
      field_.tag = *at_;
      at_ = value + length;
      field_.value = view(value, at_);
      return false;
    }
    Iterator& operator++() { return *this; }

   private:
    // By value, so that the iterator stays in registers.
    [[gnu::always_inline]] inline bool take(Field field) {
      field_ = field;
      at_ = begin_of(field.value) + field.value.size();
      return field.begin != nullptr;
    }

    At at_;
    At end_;
    Fault* fault_;
    Field field_{};
  };
  Iterator begin() { return Iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

  /// Whether the value is a string, bytes or a message; records a fault if not.
  bool expect_bytes(const Field& field) {
    if (field.is_bytes()) return true;
    wrong_wire_type(field.begin, Bytes, field.tag, fault_);
    return false;
  }
  /// What is wrong with the part of the message that was read.
  const Fault& fault() const { return fault_; }
  /// Returns the fault as Decode, with the offset in the message, or in `whole`, which contains it.
  /// @pre fault()
  Error error() const { return error_in(begin_); }
  Error error(std::string_view whole) const { return error_in(begin_of(whole)); }

 private:
  Error error_in(At begin) const;

  At begin_;
  At end_;
  Fault fault_;
};

/// The maximum size of a varint, in bytes.
inline constexpr std::size_t kMaxVarint = 10;
/// Writes a varint at `at`, where kMaxVarint bytes have room; returns its end.
inline char* put_varint(char* at, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
  *at++ = static_cast<char>(value);
  return at;
}
/// Returns how many bytes put_varint() writes.
inline std::size_t varint_size(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}
inline void append_varint(std::uint64_t value, std::string& out) {
  char bytes[kMaxVarint];
  out.append(bytes, static_cast<std::size_t>(put_varint(bytes, value) - bytes));
}
/// Appends a field whose value is a string, bytes or a message.
inline void append_field(std::uint32_t number, std::string_view value, std::string& out) {
  append_varint(std::uint64_t{number} << 3 | Bytes, out);
  append_varint(value.size(), out);
  out += value;
}

bool is_utf8_of_any_length(std::string_view text);

/// Whether all of `text` is UTF-8. Nearly all is ASCII, and most of it is short.
inline bool is_utf8(std::string_view text) {
  const auto is_ascii = [&](auto first, auto last) {
    // Two parts that overlap.
    std::memcpy(&first, text.data(), sizeof first);
    std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
    return ((first | last) & static_cast<decltype(first)>(0x8080808080808080)) == 0;
  };
  if (text.size() >= 8 && text.size() <= 16 && is_ascii(std::uint64_t{}, std::uint64_t{}))
    return true;
  if (text.size() >= 4 && text.size() < 8 && is_ascii(std::uint32_t{}, std::uint32_t{}))
    return true;
  return is_utf8_of_any_length(text);
}

}  // namespace kube::meta::wire
