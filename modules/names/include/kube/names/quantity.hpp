// SPDX-License-Identifier: Apache-2.0
//
// kube::meta::Quantity: an amount of cpu, memory, ... with a suffix: "100m", "1.5Gi", "2e3".
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::meta {

/// resource.Quantity: an exact decimal number and the family of suffixes that it is written with.
/// Reading rounds up to a multiple of 10^-9. Comparison is by value, whatever the suffix.
///
/// @par Thread safety   A value.
/// @par Cost   Numbers of up to 18 digits take no allocation; copies of larger ones share it.
class Quantity {
 public:
  /// The family of suffixes.
  enum class Format : std::uint8_t {
    Unspecified,      ///< The default; adding to it takes the format of the addend. Written as
                      ///< DecimalExponent.
    DecimalSI,        ///< n u m k M G T P E
    BinarySI,         ///< Ki Mi Gi Ti Pi Ei
    DecimalExponent,  ///< e3, e6, ...
  };

  Quantity() = default;
  /// Returns value * 10^scale.
  static Quantity of(std::int64_t value, Format format = Format::DecimalSI, std::int32_t scale = 0);
  static Quantity of_milli(std::int64_t value, Format format = Format::DecimalSI) {
    return of(value, format, -3);
  }

  /// Reads a quantity.
  /// @par Errors   Decode, quoting the text, in apimachinery's words.
  static Result<Quantity> parse(std::string_view text);
  /// For constants in code: throws ApiException ("cannot parse '1Q': ...") for text that isn't a
  /// quantity.
  static Quantity must_parse(std::string_view text);

  /// Returns the canonical form: no fraction, the largest suffix that keeps an integer. A quantity
  /// that was read from text close to that form returns this text, as in apimachinery.
  std::string to_string() const;
  Format format() const { return format_; }

  bool is_zero() const { return sign() == 0; }
  int sign() const;  ///< -1, 0 or 1

  /// The value in whole units, rounded away from zero; beyond 64 bits the nearest limit.
  std::int64_t value() const { return scaled_value(0); }
  /// The same in thousandths.
  std::int64_t milli_value() const { return scaled_value(-3); }
  /// The same in units of 10^scale.
  std::int64_t scaled_value(std::int32_t scale) const;
  /// As scaled_value(), but nullopt when it doesn't fit 64 bits.
  std::optional<std::int64_t> checked_scaled_value(std::int32_t scale) const;
  /// The value if it is an integer of at most 18 digits; nullopt otherwise.
  std::optional<std::int64_t> as_int64() const;
  /// The nearest double; infinite when too large.
  double as_double() const;

  /// The result has the format of the left operand, unless that is zero.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  Quantity operator-() const;
  /// Multiplies exactly. Returns false when the result doesn't fit 64 bits; it is correct
  /// nevertheless.
  bool multiply(std::int64_t factor);
  /// Rounds away from zero to a multiple of 10^scale; returns false when that changed the value.
  bool round_up(std::int32_t scale);

  friend bool operator==(const Quantity& a, const Quantity& b) { return (a <=> b) == 0; }
  friend std::weak_ordering operator<=>(const Quantity& a, const Quantity& b);

 private:
  struct Big;  // a number of any size
  Quantity(Big number, Format format);
  Big big() const;
  void set(Big number);

  // The number is mantissa_ * 10^scale_, unless big_ is set.
  std::int64_t mantissa_ = 0;
  std::int32_t scale_ = 0;
  Format format_ = Format::Unspecified;
  std::shared_ptr<const Big> big_;
  std::string text_;  // the text that was read, when to_string() returns it
};

}  // namespace kube::meta
