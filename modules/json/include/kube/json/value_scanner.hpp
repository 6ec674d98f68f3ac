// SPDX-License-Identifier: Apache-2.0
//
// kube::json::ValueScanner: finds the end of a JSON object or array by its brackets and strings,
// 64 bytes at a time, in any number of chunks. Everything that cuts JSON without parsing it stands
// on this: bodies of lists and watches, and json::Cursor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <kube/json/text.hpp>

namespace kube::json {

/// Follows one object or array to its closing bracket. Brackets are counted, not matched: `[}`
/// passes, as does everything else that is wrong inside; it is found when the value is parsed.
///
/// @par Thread safety   Not thread-safe.
/// @par Cost   Less than one instruction a byte with AVX2, one and a half with SSE2.
class ValueScanner {
 public:
  enum class State : std::uint8_t {
    More,     ///< The value goes on behind what was fed.
    Done,     ///< It has ended.
    TooDeep,  ///< It is nested deeper than kMaxDepth levels.
  };

  /// Scans the next bytes of the value; the first byte of all is '{' or '['. Returns how many of
  /// them belong to the value: all of them in state More, those up to the closing bracket in state
  /// Done, those up to the bracket that is too deep otherwise. After Done or TooDeep: reset().
  std::size_t feed(std::string_view chunk);
  State state() const { return state_; }
  /// The next byte is the first one of another value.
  void reset() { *this = {}; }

  /// What is known at a place in the text.
  struct Nesting {
    std::uint64_t depth = 0;
    std::uint64_t in_string = 0;  ///< All bits or none.
    bool escaped = false;         ///< The next byte is, by a backslash.
  };

 private:
  Nesting nesting_;
  State state_ = State::More;
};

}  // namespace kube::json
