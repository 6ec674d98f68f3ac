// SPDX-License-Identifier: Apache-2.0
//
// The numbers of any size inside Quantity.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <kube/names/quantity.hpp>

namespace kube::meta {

using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;

inline Integer power_of_ten(std::int64_t power) {
  return boost::multiprecision::pow(Integer(10), static_cast<unsigned>(power));
}

/// The number unscaled * 10^exponent.
struct Quantity::Big {
  Integer unscaled;
  std::int32_t exponent = 0;

  /// Returns the number in units of 10^scale, rounded away from zero, and whether it is exact.
  std::pair<Integer, bool> at_scale(std::int32_t scale) const {
    const std::int64_t power = std::int64_t{exponent} - scale;
    if (power >= 0) return {unscaled * power_of_ten(power), true};
    Integer quotient;
    Integer remainder;
    boost::multiprecision::divide_qr(unscaled, power_of_ten(-power), quotient, remainder);
    if (remainder == 0) return {std::move(quotient), true};
    return {quotient + (unscaled.sign() < 0 ? -1 : 1), false};
  }

  friend Big operator+(const Big& a, const Big& b) {
    const std::int32_t finer = std::min(a.exponent, b.exponent);
    return {a.at_scale(finer).first + b.at_scale(finer).first, finer};
  }

  int compare(const Big& other) const {
    const std::int32_t finer = std::min(exponent, other.exponent);
    return at_scale(finer).first.compare(other.at_scale(finer).first);
  }
};

}  // namespace kube::meta
