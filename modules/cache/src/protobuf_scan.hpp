// SPDX-License-Identifier: Apache-2.0
//
// Reading a few fields of a protobuf message without decoding it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/meta/detail/wire.hpp>

namespace kube::cache {

/// Numbers that are the same in every object and list.
namespace field {
inline constexpr std::uint32_t metadata = 1;
inline constexpr std::uint32_t items = 2;
// ObjectMeta
inline constexpr std::uint32_t labels = 11;
inline constexpr std::uint32_t annotations = 12;
}  // namespace field

/// Calls `visit(number, bytes)` -> bool for each field that holds a string, bytes or a message, in
/// order, until it answers false. Decode names the offset in `message`.
template <class Visit>
Result<void> for_each_field(std::string_view message, Visit&& visit) {
  namespace wire = meta::wire;
  wire::Fault fault;
  const wire::At begin = wire::begin_of(message);
  const wire::At end = begin + message.size();
  for (wire::At at = begin; at != end;) {
    std::uint32_t tag = 0;
    at = wire::read_tag(at, end, tag, fault);
    if (at != nullptr && (tag & 7) == wire::Bytes) {
      std::size_t length = 0;
      at = wire::read_length(at, end, length, fault);
      if (at != nullptr) {
        if (!visit(tag >> 3, wire::view(at, at + length))) return {};
        at += length;
      }
    } else if (at != nullptr) {
      at = wire::skip(at, end, tag, fault);
    }
    if (at == nullptr) {
      return Error(ErrorCode::Decode, fault.message + " at offset " +
                                          std::to_string(fault.at - begin) + " of a message");
    }
  }
  return {};
}

/// Calls `visit(key, value)` -> bool for the members of a map of strings (field `map` of the
/// object's metadata), until it answers false.
template <class Visit>
Result<void> for_each_in_metadata_map(std::string_view object, std::uint32_t map, Visit&& visit) {
  Result<void> inner;
  auto outer = for_each_field(object, [&](std::uint32_t number, std::string_view metadata) {
    if (number != field::metadata) return true;
    inner = for_each_field(metadata, [&](std::uint32_t member, std::string_view entry) {
      if (member != map) return true;
      std::string_view key;
      std::string_view value;
      const auto read = for_each_field(entry, [&](std::uint32_t part, std::string_view text) {
        if (part == 1) key = text;
        if (part == 2) value = text;
        return true;
      });
      if (!read) {
        inner = read;
        return false;
      }
      return visit(key, value);
    });
    return false;
  });
  if (!outer) return outer;
  return inner ? inner : Result<void>(inner.error().with_context("metadata"));
}

}  // namespace kube::cache
