// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Checks whether a foreign text may be embedded in JSON that is being written.
#pragma once

#include <cstdint>
#include <string_view>

namespace kube::json {

enum class RawValue : std::uint8_t {
  None,     ///< Not exactly one JSON value: embedding it could corrupt the surrounding document.
  Loose,    ///< One value that write_compact() may change.
  Compact,  ///< One value that write_compact() does not change.
};

/// Checks a whole text: the grammar, UTF-8 in strings, a depth of at most kMaxDepth; white space
/// may surround the value. Numbers may have any size. Any thread may call it.
/// @par Cost   One pass, no allocation, no recursion: 0.2 to 0.5 ns a byte for managedFields.
RawValue check_raw_value(std::string_view text);

}  // namespace kube::json
