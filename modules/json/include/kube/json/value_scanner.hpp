// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// kube::json::ValueScanner: finds the end of a JSON object or array by its brackets and strings, 64
// bytes at a time, in any number of chunks. All code that cuts JSON without parsing it uses it: the
// splitters of lists and watches, and json::Cursor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <kube/json/text.hpp>

namespace kube::json {

/// Follows one object or array to its closing bracket. Brackets are counted, not matched: `[}` is
/// accepted, like other errors inside, which parsing the value finds.
///
/// @par Thread safety   One thread at a time.
/// @par Cost   Less than one instruction a byte with AVX2, one and a half with SSE2.
class ValueScanner {
 public:
  enum class State : std::uint8_t {
    More,     ///< The value continues after the bytes fed so far.
    Done,     ///< It has ended.
    TooDeep,  ///< It is nested deeper than kMaxDepth levels.
  };

  /// Scans the next bytes of the value; its first byte must be '{' or '['. Returns how many of them
  /// belong to the value: all of them in state More, those up to the closing bracket in state Done,
  /// those up to the bracket that is too deep otherwise. Call reset() after Done or TooDeep.
  std::size_t feed(std::string_view chunk);
  State state() const { return state_; }
  /// Starts over: the next byte is the first one of another value.
  void reset() { *this = {}; }

  /// The state of the scan at a position in the text.
  struct Nesting {
    std::uint64_t depth = 0;
    std::uint64_t in_string = 0;  ///< All bits are set, or no bit.
    bool escaped = false;         ///< A backslash escapes the next byte.
  };

 private:
  Nesting nesting_;
  State state_ = State::More;
};

}  // namespace kube::json
