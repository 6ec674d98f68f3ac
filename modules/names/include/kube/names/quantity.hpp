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

/// resource.Quantity: an exact decimal number and the family of suffixes it's written with.
/// Anything finer than 10^-9 is rounded up when read. Comparison is by value, whatever the suffix.
///
/// @par Thread safety   A value; const functions change nothing.
/// @par Cost   Numbers of up to 18 digits take no allocation; larger ones share an immutable
/// number.
class Quantity {
 public:
  /// The family of suffixes.
  enum class Format : std::uint8_t {
    Unspecified,      ///< Of a default-made quantity; takes that of what is added. Written as
                      ///< DecimalExponent.
    DecimalSI,        ///< n u m k M G T P E
    BinarySI,         ///< Ki Mi Gi Ti Pi Ei
    DecimalExponent,  ///< e3, e6, ...
  };

  Quantity() = default;
  /// value * 10^scale.
  static Quantity of(std::int64_t value, Format format = Format::DecimalSI, std::int32_t scale = 0);
  static Quantity of_milli(std::int64_t value, Format format = Format::DecimalSI) {
    return of(value, format, -3);
  }

  /// @par Errors   Decode, quoting the text, in the words of apimachinery.
  static Result<Quantity> parse(std::string_view text);
  /// For constants in code: throws ApiException ("cannot parse '1Q': ...") for what isn't a
  /// quantity.
  static Quantity must_parse(std::string_view text);

  /// The canonical form: no fraction, the largest suffix that keeps an integer. Text that was read
  /// in a form close to it is kept as it was, as apimachinery does.
  std::string to_string() const;
  Format format() const { return format_; }

  bool is_zero() const { return sign() == 0; }
  int sign() const;  ///< -1, 0 or 1

  /// In whole units, rounded away from zero; beyond 64 bits the nearest limit.
  std::int64_t value() const { return scaled_value(0); }
  /// In thousandths, likewise.
  std::int64_t milli_value() const { return scaled_value(-3); }
  /// In units of 10^scale, likewise.
  std::int64_t scaled_value(std::int32_t scale) const;
  /// As scaled_value(), but nothing when it doesn't fit 64 bits.
  std::optional<std::int64_t> checked_scaled_value(std::int32_t scale) const;
  /// The value if it is an integer held as such: of at most 18 digits, without a fraction.
  std::optional<std::int64_t> as_int64() const;
  /// The nearest double; infinite when too large.
  double as_double() const;

  /// Of the left one's format, unless that is zero.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  Quantity operator-() const;
  /// Multiplies; exact always. False when the result doesn't fit 64 bits (it is right
  /// nevertheless).
  bool multiply(std::int64_t factor);
  /// Rounds away from zero to a multiple of 10^scale; false when that changed the value.
  bool round_up(std::int32_t scale);

  friend bool operator==(const Quantity& a, const Quantity& b) { return (a <=> b) == 0; }
  friend std::weak_ordering operator<=>(const Quantity& a, const Quantity& b);

 private:
  struct Big;  // a number of any size
  Quantity(Big number, Format format);
  Big big() const;
  void set(Big number);

  // The number is mantissa_ * 10^scale_, unless big_ is there.
  std::int64_t mantissa_ = 0;
  std::int32_t scale_ = 0;
  Format format_ = Format::Unspecified;
  std::shared_ptr<const Big> big_;
  std::string text_;  // the form that was read, when it may be written again
};

}  // namespace kube::meta
