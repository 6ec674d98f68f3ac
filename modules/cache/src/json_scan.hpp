// SPDX-License-Identifier: Apache-2.0
//
// Finding the ends of JSON values without parsing them: what splits list bodies and watch streams
// into objects as bytes arrive. It checks brackets and strings; what is inside is checked when the
// object is decoded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::cache {

/// Follows one object or array through any number of chunks to its closing bracket.
class ValueScanner {
 public:
  static constexpr std::size_t kMaxDepth = 512;
  enum class State { More, Done, Broken };

  /// Feed the value's first byte first. Returns how many bytes belong to the value; state() says
  /// whether it ended there. After Done: reset().
  std::size_t feed(std::string_view chunk);
  State state() const { return state_; }
  /// Why it is Broken.
  std::string_view problem() const { return problem_; }
  void reset();

 private:
  bool open(bool is_object);
  bool close(bool is_object);

  State state_ = State::More;
  std::string_view problem_;
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;  // the next byte is escaped by the last one
  std::array<std::uint64_t, kMaxDepth / 64> is_object_{};
};

/// One member of an object. The value is a view into its text.
struct JsonMember {
  std::string_view key;    ///< Escapes resolved; valid during the visit.
  std::string_view value;  ///< With quotes or brackets.
};

/// Whether an object's text is all of it.
enum class Extent { Whole, Beginning };

/// Walks the members of an object's text, in order, until `visit` returns false. Decode names the
/// offset in `object`, but for a key whose escapes are wrong. Of a Beginning, the object or array
/// that is cut is visited as far as it goes, and Decode says where the text ended.
Result<void> for_each_member(std::string_view object,
                             const std::function<bool(const JsonMember&)>& visit,
                             Extent extent = Extent::Whole);

/// The text of a JSON string given with its quotes; escapes resolved. A view into `value` when
/// there are none, else into `storage`. Decode when it is not a string.
Result<std::string_view> string_value(std::string_view value, std::string& storage);

}  // namespace kube::cache
