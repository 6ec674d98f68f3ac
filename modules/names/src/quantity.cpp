// SPDX-License-Identifier: Apache-2.0
//
// Quantity's arithmetic and its printed form. quantity_parse.cpp reads quantities.
#include <kube/names/quantity.hpp>

#include <charconv>
#include <limits>
#include <utility>

#include "quantity_big.hpp"

namespace kube::meta {
namespace {

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();

std::optional<std::int64_t> scale_up(std::int64_t value, std::int64_t power) {
  if (value == 0) return 0;
  if (power > 18) return std::nullopt;
  for (; power > 0; --power) {
    if (__builtin_mul_overflow(value, 10, &value)) return std::nullopt;
  }
  return value;
}

// Returns value / 10^power, rounded away from zero, and whether the result is exact.
std::pair<std::int64_t, bool> scale_down(std::int64_t value, std::int64_t power) {
  const int away = value < 0 ? -1 : 1;
  bool exact = true;
  for (; power > 0 && value != 0; --power) {
    exact = exact && value % 10 == 0;
    value /= 10;
    if (value == 0 && !exact) break;
  }
  return {exact ? value : value + away, exact};
}

}  // namespace

Quantity Quantity::of(std::int64_t value, Format format, std::int32_t scale) {
  Quantity quantity;
  quantity.mantissa_ = value;
  quantity.scale_ = scale;
  quantity.format_ = format;
  return quantity;
}

Quantity::Quantity(Big number, Format format)
    : format_(format), big_(std::make_shared<const Big>(std::move(number))) {}

Quantity::Big Quantity::big() const {
  return big_ ? *big_ : Big{mantissa_, scale_};
}

void Quantity::set(Big number) {
  text_.clear();
  big_ = std::make_shared<const Big>(std::move(number));
}

int Quantity::sign() const {
  if (big_) return big_->unscaled.sign();
  return mantissa_ < 0 ? -1 : (mantissa_ > 0 ? 1 : 0);
}

std::optional<std::int64_t> Quantity::checked_scaled_value(std::int32_t scale) const {
  const std::int64_t power = std::int64_t{scale_} - scale;
  if (!big_) return power >= 0 ? scale_up(mantissa_, power) : scale_down(mantissa_, -power).first;
  if (sign() != 0 && std::int64_t{big_->exponent} - scale > 18) return std::nullopt;
  const Integer number = big_->at_scale(scale).first;
  if (number > kMaxInt64 || number < kMinInt64) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::int64_t Quantity::scaled_value(std::int32_t scale) const {
  const auto exact = checked_scaled_value(scale);
  if (exact) return *exact;
  return sign() < 0 ? kMinInt64 : kMaxInt64;
}

std::optional<std::int64_t> Quantity::as_int64() const {
  if (big_ || scale_ < 0) return std::nullopt;
  return scale_up(mantissa_, scale_);
}

double Quantity::as_double() const {
  const Big number = big();
  const std::string text = number.unscaled.str() + "e" + std::to_string(number.exponent);
  double result = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (code == std::errc{}) return result;
  if (number.exponent < 0) return 0;
  return sign() < 0 ? -std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::infinity();
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (is_zero()) format_ = other.format_;
  text_.clear();
  if (other.is_zero()) return *this;
  if (is_zero()) {
    mantissa_ = other.mantissa_;
    scale_ = other.scale_;
    big_ = other.big_;
    return *this;
  }
  if (!big_ && !other.big_) {
    // Add on the finer of the two scales.
    const std::int32_t scale = std::min(scale_, other.scale_);
    const auto a = scale_up(mantissa_, std::int64_t{scale_} - scale);
    const auto b = scale_up(other.mantissa_, std::int64_t{other.scale_} - scale);
    std::int64_t sum = 0;
    if (a && b && !__builtin_add_overflow(*a, *b, &sum)) {
      mantissa_ = sum;
      scale_ = scale;
      return *this;
    }
  }
  set(big() + other.big());
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  return *this += -other;
}

Quantity Quantity::operator-() const {
  Quantity result = *this;
  result.text_.clear();
  if (!big_ && mantissa_ != kMinInt64) {
    result.mantissa_ = -mantissa_;
  } else {
    const Big number = big();
    result.set(Big{-number.unscaled, number.exponent});
  }
  return result;
}

bool Quantity::multiply(std::int64_t factor) {
  text_.clear();
  if (!big_) {
    if (mantissa_ == 0) return true;
    if (factor == 0) {
      mantissa_ = 0;
      scale_ = 0;
      return true;
    }
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(mantissa_, factor, &product)) {
      mantissa_ = product;
      return true;
    }
  }
  const Big number = big();
  const Integer product = number.unscaled * factor;
  set(Big{product, number.exponent});
  return product <= kMaxInt64 && product >= kMinInt64;
}

bool Quantity::round_up(std::int32_t scale) {
  if (big_) {
    auto [number, exact] = big_->at_scale(scale);
    if (big_->exponent < scale) set(Big{std::move(number), scale});
    return exact;
  }
  if (scale_ >= scale) return true;
  text_.clear();
  const auto [number, exact] = scale_down(mantissa_, std::int64_t{scale} - scale_);
  mantissa_ = number;
  scale_ = scale;
  return exact;
}

std::weak_ordering operator<=>(const Quantity& a, const Quantity& b) {
  const int a_sign = a.sign();
  const int b_sign = b.sign();
  if (a_sign != b_sign || a_sign == 0) return a_sign <=> b_sign;
  if (!a.big_ && !b.big_) {
    const std::int32_t scale = std::min(a.scale_, b.scale_);
    const auto x = scale_up(a.mantissa_, std::int64_t{a.scale_} - scale);
    const auto y = scale_up(b.mantissa_, std::int64_t{b.scale_} - scale);
    if (x && y) return *x <=> *y;
  }
  const int order = a.big().compare(b.big());
  return order <=> 0;
}

namespace {

std::string digits_of(std::int64_t number) {
  return std::to_string(number);
}
std::string digits_of(const Integer& number) {
  return number.str();
}

template <class Number>
std::string decimal_form(const Quantity::Format format, Number mantissa, std::int64_t exponent) {
  const Number ten = 10;
  while (mantissa % ten == 0) {
    mantissa /= ten;
    ++exponent;
  }
  while (exponent % 3 != 0) {
    mantissa *= ten;
    --exponent;
  }
  if (format == Quantity::Format::DecimalSI) {
    constexpr std::string_view kSuffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    // No suffix is larger than E. (apimachinery then writes no suffix, and so another number.)
    while (exponent > 18) {
      mantissa *= ten;
      --exponent;
    }
    if (exponent >= -9) return digits_of(mantissa).append(kSuffixes[(exponent + 9) / 3]);
  }
  if (exponent == 0) return digits_of(mantissa);
  return digits_of(mantissa) + "e" + std::to_string(exponent);
}

template <class Number>
std::string binary_form(Number mantissa) {
  constexpr std::string_view kSuffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t power = 0;
  while (power + 1 < std::size(kSuffixes) && mantissa % 1024 == 0) {
    mantissa /= 1024;
    ++power;
  }
  return digits_of(mantissa).append(kSuffixes[power]);
}

}  // namespace

std::string Quantity::to_string() const {
  if (!text_.empty()) return text_;
  if (is_zero()) return "0";
  // Nearly all quantities are short. Three more digits fit 64 bits.
  constexpr std::int64_t kShort = 1'000'000'000'000'000;
  if (!big_ && mantissa_ < kShort && mantissa_ > -kShort && scale_ >= -9 && scale_ <= 18) {
    if (format_ != Format::BinarySI) return decimal_form(format_, mantissa_, scale_);
    if (scale_ == 0) {
      if (mantissa_ >= 1024 || mantissa_ <= -1024) return binary_form(mantissa_);
      return decimal_form(Format::DecimalSI, mantissa_, scale_);
    }
  }
  const Big number = big();
  Format format = format_;
  if (format == Format::BinarySI) {
    const auto [whole, exact] = number.at_scale(0);
    if (exact && (whole >= 1024 || whole <= -1024)) return binary_form(whole);
    format = Format::DecimalSI;
  }
  return decimal_form(format, number.unscaled, number.exponent);
}

}  // namespace kube::meta
