// SPDX-License-Identifier: Apache-2.0
//
// The paths of a FieldDropper as a tree, and the changes that it makes to bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kube/codec/field_dropper.hpp>

namespace kube::meta {

/// What a path names at one level. In JSON a member of an object by its key, or each element or
/// member; in protobuf a field by its number, or below the number of a map an entry.
struct FieldDropper::Node {
  enum class Kind : std::uint8_t { Key, Number, Every };
  Kind kind = Kind::Every;
  std::uint32_t number = 0;
  std::string key{};
  bool dropped = false;  ///< The path ends here.
  std::vector<Node> children{};

  bool is_same(const Node& other) const {
    return kind == other.kind && number == other.number && key == other.key;
  }
};

/// Bytes of the input that the output does not have, or has in another form.
struct DroppedRange {
  std::size_t begin;
  std::size_t end;
  std::string instead{};  ///< The tag and the new length of a message around dropped fields.
};

/// Copies the input without the ranges, which are in order.
inline std::string_view copy_rest(std::string_view input, const std::vector<DroppedRange>& ranges,
                                  std::string& out) {
  out.clear();
  std::size_t at = 0;
  for (const DroppedRange& range : ranges) {
    out += input.substr(at, range.begin - at);
    out += range.instead;
    at = range.end;
  }
  out += input.substr(at);
  return out;
}

}  // namespace kube::meta
