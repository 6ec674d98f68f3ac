// SPDX-License-Identifier: Apache-2.0
//
// read_wire(): one value of each kind from the protobuf wire. `at` is after the tag; the result is
// the end of the value, null when it is invalid.
#pragma once

#include <initializer_list>

#include <limits>
#include <utility>

#include <kube/codec/protobuf.hpp>
#include <kube/codec/wire.hpp>
#include <kube/json/key_hash.hpp>
#include <kube/json/raw_value.hpp>
#include <kube/names/time_range.hpp>
#include "set_text.hpp"
#include "value_kinds.hpp"

namespace kube::meta::wire {

/// Skips a field whose tag is not one of `known`, which are tags; fails if it has the number of one
/// of them. `tag` has been read, from `start` to `at`.
At skip_unknown(At start, At at, At end, std::uint32_t tag,
                std::initializer_list<std::uint32_t> known, Fault& fault);

/// Reads the fields of a small message in place: calls `read(tag, at, end)` for each, which returns
/// the end of the value, or its argument `at` for a tag that is not one of `known`.
template <class Read>
At read_fields(At at, At end, Fault& fault, std::initializer_list<std::uint32_t> known, Read read) {
  while (at != end) {
    const At start = at;
    std::uint32_t tag = 0;
    at = read_tag(at, end, tag, fault);
    if (at == nullptr) return nullptr;
    const At behind = read(tag, at, end);
    at = behind == at ? skip_unknown(start, at, end, tag, known, fault) : behind;
    if (at == nullptr) return nullptr;
  }
  return at;
}

inline At read_wire(KindConstant<ValueKind::Bool>, At at, At end, bool& out, Fault& fault) {
  std::uint64_t value = 0;
  at = read_varint(at, end, value, fault);
  out = value != 0;
  return at;
}

inline At read_wire(KindConstant<ValueKind::Int64>, At at, At end, std::int64_t& out,
                    Fault& fault) {
  std::uint64_t value = 0;
  at = read_varint(at, end, value, fault);
  out = static_cast<std::int64_t>(value);
  return at;
}

inline At read_wire(KindConstant<ValueKind::Int32>, At at, At end, std::int32_t& out,
                    Fault& fault) {
  std::int64_t value = 0;
  const At behind = read_wire(KindConstant<ValueKind::Int64>(), at, end, value, fault);
  out = static_cast<std::int32_t>(value);
  if (behind != nullptr && value != out)
    return fault(at, "expected a 32-bit integer, found " + std::to_string(value));
  return behind;
}

inline At read_wire(KindConstant<ValueKind::Double>, At at, At end, double& out, Fault& fault) {
  static_assert(sizeof(double) == 8 && std::numeric_limits<double>::is_iec559);
  if (end - at < 8) return fault(at, "the message ends within a 64-bit value");
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 8; ++i) bits |= std::uint64_t{at[i]} << (8 * i);
  std::memcpy(&out, &bits, 8);
  return at + 8;
}

inline At read_wire(KindConstant<ValueKind::Bytes>, At at, At end, std::string& out, Fault& fault) {
  std::size_t length = 0;
  at = read_length(at, end, length, fault);
  if (at == nullptr) return nullptr;
  detail::set_text(view(at, at + length), out);
  return at + length;
}

[[gnu::always_inline]] inline At read_text(At at, At end, std::string_view& out, Fault& fault) {
  std::size_t length = 0;
  const At begin = read_length(at, end, length, fault);
  if (begin == nullptr) return nullptr;
  out = view(begin, begin + length);
  if (!is_utf8(out)) [[unlikely]]
    return fault(begin, "expected UTF-8");
  return begin + length;
}

inline At read_wire(KindConstant<ValueKind::String>, At at, At end, std::string& out,
                    Fault& fault) {
  std::string_view text;
  at = read_text(at, end, text, fault);
  if (at != nullptr) detail::set_text(text, out);
  return at;
}

/// Reads the seconds of an instant in the usual form of present times, eight bytes: a field 1 of
/// five bytes, a field 2 that is zero. Returns false for any other form.
inline bool read_usual_instant(At at, std::int64_t& seconds) {
  constexpr std::uint64_t kMarks = 0xffff'8080'8080'80ff;
  constexpr std::uint64_t kUsual = 0x0010'0080'8080'8008;
  auto word = json::detail::load<std::uint64_t>(reinterpret_cast<const char*>(at));
  if ((word & kMarks) != kUsual) return false;
  word >>= 8;
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 5; ++i) value |= (word >> (8 * i) & 0x7f) << (7 * i);
  seconds = static_cast<std::int64_t>(value);
  return true;
}

/// Reads a Time or a MicroTime: `keeps_fraction` says whether it stores fractions of a second.
template <class T>
At read_instant(At at, At end, T& out, bool keeps_fraction, Fault& fault) {
  std::size_t length = 0;
  const At begin = read_length(at, end, length, fault);
  if (begin == nullptr) return nullptr;
  out = T();
  if (length == 0) return begin;
  std::int64_t seconds = 0;
  std::int32_t nanoseconds = 0;
  if (length == 8 && read_usual_instant(begin, seconds)) {
    out = T(seconds, 0);
    return begin + 8;
  }
  const At behind =
      read_fields(begin, begin + length, fault, {8, 16}, [&](auto tag, At from, At to) {
        if (tag == 8) return read_wire(KindConstant<ValueKind::Int64>(), from, to, seconds, fault);
        if (tag == 16)
          return read_wire(KindConstant<ValueKind::Int32>(), from, to, nanoseconds, fault);
        return from;
      });
  if (behind == nullptr) return nullptr;
  if (seconds < kFirstSecond || seconds > kLastSecond)
    return fault(begin,
                 "expected a time of the years 0 to 9999, found second " + std::to_string(seconds));
  if (!keeps_fraction) {
    nanoseconds = 0;
  } else if (nanoseconds < 0 || nanoseconds > 999'999'999) {
    return fault(begin,
                 "expected nanoseconds below one second, found " + std::to_string(nanoseconds));
  }
  out = T(seconds, nanoseconds - nanoseconds % 1000);
  return behind;
}

inline At read_wire(KindConstant<ValueKind::Time>, At at, At end, Time& out, Fault& fault) {
  return read_instant(at, end, out, false, fault);
}
inline At read_wire(KindConstant<ValueKind::MicroTime>, At at, At end, MicroTime& out,
                    Fault& fault) {
  return read_instant(at, end, out, true, fault);
}

inline At read_wire(KindConstant<ValueKind::Duration>, At at, At end, Duration& out, Fault& fault) {
  std::size_t length = 0;
  at = read_length(at, end, length, fault);
  if (at == nullptr) return nullptr;
  std::int64_t nanoseconds = 0;
  at = read_fields(at, at + length, fault, {8}, [&](auto tag, At from, At to) {
    return tag == 8 ? read_wire(KindConstant<ValueKind::Int64>(), from, to, nanoseconds, fault)
                    : from;
  });
  out.value = std::chrono::nanoseconds(nanoseconds);
  return at;
}

inline At read_wire(KindConstant<ValueKind::Quantity>, At at, At end, Quantity& out, Fault& fault) {
  std::size_t length = 0;
  at = read_length(at, end, length, fault);
  if (at == nullptr) return nullptr;
  out = Quantity();
  return read_fields(at, at + length, fault, {10}, [&](auto tag, At from, At to) -> At {
    if (tag != 10) return from;
    std::string_view text;
    const At behind = read_text(from, to, text, fault);
    if (behind == nullptr) return nullptr;
    auto quantity = Quantity::parse(text);
    if (!quantity) return fault(from, quantity.error().message());
    out = *std::move(quantity);
    return behind;
  });
}

inline At read_wire(KindConstant<ValueKind::IntOrString>, At at, At end, IntOrString& out,
                    Fault& fault) {
  std::size_t length = 0;
  const At begin = read_length(at, end, length, fault);
  if (begin == nullptr) return nullptr;
  std::int64_t type = 0;
  std::int32_t number = 0;
  std::string text;
  const At behind =
      read_fields(begin, begin + length, fault, {8, 16, 26}, [&](auto tag, At from, At to) {
        if (tag == 8) return read_wire(KindConstant<ValueKind::Int64>(), from, to, type, fault);
        if (tag == 16) return read_wire(KindConstant<ValueKind::Int32>(), from, to, number, fault);
        if (tag == 26) return read_wire(KindConstant<ValueKind::String>(), from, to, text, fault);
        return from;
      });
  if (behind == nullptr) return nullptr;
  if (type != 0 && type != 1) {
    return fault(begin,
                 "expected type 0 (a number) or 1 (a string), found " + std::to_string(type));
  }
  if (type == 0) {
    out = number;
  } else {
    out = std::move(text);
  }
  return behind;
}

// Raw bytes are copied into JSON unchanged: anything but one value could corrupt the object around
// it.
inline At read_wire(KindConstant<ValueKind::RawJson>, At at, At end, RawExtension& out,
                    Fault& fault) {
  std::size_t length = 0;
  at = read_length(at, end, length, fault);
  if (at == nullptr) return nullptr;
  return read_fields(at, at + length, fault, {10}, [&](auto tag, At from, At to) -> At {
    if (tag != 10) return from;
    std::size_t size = 0;
    const At begin = read_length(from, to, size, fault);
    if (begin == nullptr) return nullptr;
    const std::string_view raw = view(begin, begin + size);
    if (!raw.empty() && !is_protobuf(raw) && json::check_raw_value(raw) == json::RawValue::None)
        [[unlikely]]
      return bad_raw_json(begin, raw, fault);
    detail::set_text(raw, out.raw);
    return begin + size;
  });
}

}  // namespace kube::meta::wire
