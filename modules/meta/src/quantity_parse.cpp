// SPDX-License-Identifier: Apache-2.0
//
// Quantity::parse, with the two ways and the limits of apimachinery: short numbers are kept as an
// integer and a power of ten, others as a number of any size.
#include <kube/meta/quantity.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "quantity_big.hpp"

namespace kube::meta {
namespace {

constexpr std::int32_t kNano = -9;
// Numbers beyond these make no sense as quantities and would only cost time.
constexpr std::size_t kMostDigits = 4096;
constexpr std::int64_t kLargestExponent = 4096;

constexpr std::string_view kFormatError =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kSuffixError = "unable to parse quantity's suffix";
constexpr std::string_view kNumericError = "unable to parse numeric part of quantity";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes the digits off the front of `text`.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

struct Parts {
  bool negative = false;
  std::string_view whole;     // "0" when there's none; no leading zeros
  std::string_view fraction;  // digits behind the point
  std::string_view suffix;
};

std::optional<Parts> split(std::string_view text) {
  Parts parts;
  parts.negative = text.starts_with('-');
  if (parts.negative || text.starts_with('+')) text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  parts.whole = take_digits(text);
  if (parts.whole.empty()) parts.whole = "0";
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
  }
  parts.suffix = text;
  // Letters of suffixes, then an exponent.
  text.remove_prefix(std::min(text.find_first_not_of("eEinumkKMGTP"), text.size()));
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  take_digits(text);
  if (!text.empty()) return std::nullopt;
  return parts;
}

struct Suffix {
  int base = 10;
  std::int32_t exponent = 0;
  Quantity::Format format = Quantity::Format::DecimalSI;
};

std::optional<Suffix> read_suffix(std::string_view text) {
  using Format = Quantity::Format;
  struct Entry {
    std::string_view text;
    Suffix meaning;
  };
  static constexpr std::array<Entry, 16> table{{{"", {10, 0, Format::DecimalSI}},
                                                {"Ki", {2, 10, Format::BinarySI}},
                                                {"Mi", {2, 20, Format::BinarySI}},
                                                {"Gi", {2, 30, Format::BinarySI}},
                                                {"Ti", {2, 40, Format::BinarySI}},
                                                {"Pi", {2, 50, Format::BinarySI}},
                                                {"Ei", {2, 60, Format::BinarySI}},
                                                {"n", {10, -9, Format::DecimalSI}},
                                                {"u", {10, -6, Format::DecimalSI}},
                                                {"m", {10, -3, Format::DecimalSI}},
                                                {"k", {10, 3, Format::DecimalSI}},
                                                {"M", {10, 6, Format::DecimalSI}},
                                                {"G", {10, 9, Format::DecimalSI}},
                                                {"T", {10, 12, Format::DecimalSI}},
                                                {"P", {10, 15, Format::DecimalSI}},
                                                {"E", {10, 18, Format::DecimalSI}}}};
  if (const auto found = std::ranges::find(table, text, &Entry::text); found != table.end())
    return found->meaning;
  if (text.size() < 2 || (text.front() != 'e' && text.front() != 'E')) return std::nullopt;
  std::string_view digits = text.substr(1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (code != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (exponent > kLargestExponent || exponent < -kLargestExponent) return std::nullopt;
  return Suffix{10, static_cast<std::int32_t>(exponent), Format::DecimalExponent};
}

// The short way's number, if it's short enough.
struct Short {
  std::int64_t mantissa;
  std::int32_t scale;
  bool keep_text;
};

std::optional<Short> read_short(const Parts& parts, const Suffix& suffix) {
  const std::string digits = std::string(parts.whole) + std::string(parts.fraction);
  std::int64_t number = 0;
  if (digits.size() > 18) return std::nullopt;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (suffix.base == 2) {
    if (!parts.fraction.empty()) return std::nullopt;
    const auto precision = 15 - static_cast<int>(parts.whole.size()) - suffix.exponent * 3 / 10 - 1;
    std::int64_t product = 0;
    if (precision < 0 ||
        __builtin_mul_overflow(number, std::int64_t{1} << suffix.exponent, &product)) {
      return std::nullopt;
    }
    return Short{parts.negative ? -product : product, 0, number % 8 != 0};
  }
  const std::int32_t scale = suffix.exponent - static_cast<std::int32_t>(parts.fraction.size());
  if (scale < kNano) return std::nullopt;
  const bool keep_text = scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0');
  return Short{parts.negative ? -number : number, scale, keep_text};
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  const auto fail = [&](std::string_view message) {
    constexpr std::size_t shown = 64;
    std::string quoted(text.substr(0, shown));
    if (text.size() > shown) quoted += "...";
    return Error(ErrorCode::Decode, "\"" + quoted + "\": " + std::string(message));
  };
  if (text.empty()) return fail(kFormatError);
  const auto parts = split(text);
  if (!parts) return fail(kFormatError);
  const auto suffix = read_suffix(parts->suffix);
  if (!suffix) return fail(kSuffixError);

  if (const auto number = read_short(*parts, *suffix)) {
    Quantity quantity = of(number->mantissa, suffix->format, number->scale);
    if (number->keep_text) quantity.text_ = text;
    return quantity;
  }

  const std::string digits = std::string(parts->whole) + std::string(parts->fraction);
  if (digits.size() > kMostDigits) return fail(kNumericError);
  const std::size_t first = digits.find_first_not_of('0');  // a leading 0 would mean octal
  Big number{first == std::string::npos ? Integer(0) : Integer(digits.substr(first)),
             -static_cast<std::int32_t>(parts->fraction.size())};
  if (suffix->base == 2) {
    number.unscaled <<= static_cast<unsigned>(suffix->exponent);
  } else {
    number.exponent += suffix->exponent;
  }
  if (number.exponent < kNano) number = Big{number.at_scale(kNano).first, kNano};
  Format format = suffix->format;
  if (format == Format::BinarySI) {
    const Big most{std::numeric_limits<std::int64_t>::max(), 0};
    if (number.compare(most) > 0) number = most;
    if (number.unscaled > 0 && number.compare(Big{1, 0}) < 0) format = Format::DecimalSI;
  }
  if (parts->negative) number.unscaled = -number.unscaled;
  return Quantity(std::move(number), format);
}

Quantity Quantity::must_parse(std::string_view text) {
  auto quantity = parse(text);
  if (!quantity) {
    const std::string& reason = quantity.error().message();
    throw ApiException(Error(
        ErrorCode::InvalidArgument,
        "cannot parse '" + std::string(text) + "': " + reason.substr(reason.rfind("\": ") + 3)));
  }
  return *std::move(quantity);
}

}  // namespace kube::meta
