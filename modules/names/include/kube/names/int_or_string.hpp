// SPDX-License-Identifier: Apache-2.0
//
// kube::meta::IntOrString: a port number or name, an absolute count or a percentage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <kube/base/result.hpp>

namespace kube::meta {

/// intstr.IntOrString; the number 0 by default.
///
/// @par Thread safety   A value.
class IntOrString {
 public:
  IntOrString() = default;
  IntOrString(std::int32_t number) : value_(number) {}          // implicit: either is one
  IntOrString(std::string text) : value_(std::move(text)) {}    // implicit: as above
  IntOrString(const char* text) : value_(std::string(text)) {}  // implicit: as above

  /// A decimal number that fits 32 bits reads as a number, anything else as text.
  static IntOrString parse(std::string_view text);

  bool is_int() const { return value_.index() == 0; }
  bool is_string() const { return value_.index() == 1; }
  /// Null when it is text.
  const std::int32_t* if_int() const& { return std::get_if<std::int32_t>(&value_); }
  const std::int32_t* if_int() const&& = delete;  // Give the IntOrString a name first.
  /// Null when it is a number.
  const std::string* if_string() const& { return std::get_if<std::string>(&value_); }
  const std::string* if_string() const&& = delete;  // Give the IntOrString a name first.

  /// Returns the number, or the number that the text spells; 0 for other text.
  std::int32_t int_value() const;
  std::string to_string() const;

  bool operator==(const IntOrString&) const = default;

 private:
  std::variant<std::int32_t, std::string> value_;
};

/// Returns the number, or the percentage ("40%") of `total`, rounded up or down.
/// @par Errors   InvalidArgument for text that isn't a percentage; quotes the text.
Result<std::int64_t> scaled_value(const IntOrString& value, std::int64_t total, bool round_up);

}  // namespace kube::meta
