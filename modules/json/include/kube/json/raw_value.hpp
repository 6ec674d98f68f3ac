// SPDX-License-Identifier: Apache-2.0
//
// Whether a text from somewhere else may stand in JSON that is being written.
#pragma once

#include <cstdint>
#include <string_view>

namespace kube::json {

enum class RawValue : std::uint8_t {
  None,     ///< Not exactly one JSON value: embedded it could say anything about what is around it.
  Loose,    ///< One value that write_compact() may change.
  Compact,  ///< One value that write_compact() leaves as it is.
};

/// Checks all of a text: the grammar, UTF-8 in strings, no deeper than kMaxDepth; white space may
/// stand around the value. Numbers may have any size.
/// @par Cost   One pass, no allocation, no recursion: 0.2 to 0.5 ns a byte for managedFields.
RawValue check_raw_value(std::string_view text);

}  // namespace kube::json
