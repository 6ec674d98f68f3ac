// SPDX-License-Identifier: Apache-2.0
//
// Quantity::parse, with the two paths and the limits of apimachinery: short numbers are stored as
// an integer and a power of ten, others as a number of any size.
#include <kube/names/quantity.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

#include <kube/base/ascii.hpp>

#include "quantity_big.hpp"

namespace kube::meta {
namespace {

constexpr std::int32_t kNano = -9;
// Larger numbers make no sense as quantities and would only cost time.
constexpr std::size_t kMaxDigits = 4096;
constexpr std::int64_t kLargestExponent = 4096;

constexpr std::string_view kFormatError =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kSuffixError = "unable to parse quantity's suffix";
constexpr std::string_view kNumericError = "unable to parse numeric part of quantity";

// Removes the digits from the beginning of `text`.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, ascii::is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

struct Parts {
  bool negative = false;
  bool has_digits = false;    // zeros included
  std::string_view whole;     // "0" when it is missing; no leading zeros
  std::string_view fraction;  // digits after the point
  std::string_view suffix;
};

std::optional<Parts> split(std::string_view text) {
  Parts parts;
  parts.negative = text.starts_with('-');
  if (parts.negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t zeros = std::min(text.find_first_not_of('0'), text.size());
  text.remove_prefix(zeros);
  parts.whole = take_digits(text);
  parts.has_digits = zeros > 0 || !parts.whole.empty();
  if (parts.whole.empty()) parts.whole = "0";
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
    parts.has_digits = parts.has_digits || !parts.fraction.empty();
  }
  parts.suffix = text;
  // The letters of suffixes, then an exponent.
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
  if (text.empty()) return Suffix{10, 0, Format::DecimalSI};
  // Starts at 1000^-3; ' ' is not a suffix.
  constexpr std::string_view kDecimal = "num kMGTPE";
  if (const auto at = kDecimal.find(text[0]); text.size() == 1 && at != std::string_view::npos)
    return Suffix{10, 3 * static_cast<std::int32_t>(at) - 9, Format::DecimalSI};
  constexpr std::string_view kBinary = "KMGTPE";  // starts at 1024
  if (const auto at = kBinary.find(text[0]);
      text.size() == 2 && text[1] == 'i' && at != std::string_view::npos) {
    return Suffix{2, 10 * static_cast<std::int32_t>(at) + 10, Format::BinarySI};
  }
  if (text.size() < 2 || (text.front() != 'e' && text.front() != 'E')) return std::nullopt;
  std::string_view digits = text.substr(1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (code != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (exponent > kLargestExponent || exponent < -kLargestExponent) return std::nullopt;
  return Suffix{10, static_cast<std::int32_t>(exponent), Format::DecimalExponent};
}

// The number of the short path, if it is short enough.
struct Short {
  std::int64_t mantissa;
  std::int32_t scale;
  bool keep_text;
};

std::optional<Short> read_short(const Parts& parts, const Suffix& suffix) {
  if (parts.whole.size() + parts.fraction.size() > 18) return std::nullopt;
  std::int64_t number = 0;
  for (const std::string_view digits : {parts.whole, parts.fraction})
    for (const char digit : digits) number = number * 10 + (digit - '0');
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
  const bool whole_thousands =
      number % 1000 == 0 && parts.whole.size() + parts.fraction.size() >= 3;
  const bool keep_text = scale % 3 == 0 && !whole_thousands && !parts.whole.starts_with('0');
  return Short{parts.negative ? -number : number, scale, keep_text};
}

// Returns the beginning of each error.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 64;
  std::string out = "\"" + std::string(text.substr(0, kShown));
  return out.append(text.size() > kShown ? "...\": " : "\": ");
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  const auto fail = [&](std::string_view message) {
    return Error(ErrorCode::Decode, quoted(text).append(message));
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

  // The short path needs no digits for 0, as in apimachinery: "Ki", but not "Pi".
  if (!parts->has_digits) return fail(kNumericError);
  const std::string digits = std::string(parts->whole) + std::string(parts->fraction);
  if (digits.size() > kMaxDigits) return fail(kNumericError);
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
    const Big max{std::numeric_limits<std::int64_t>::max(), 0};
    if (number.compare(max) > 0) number = max;
    if (number.unscaled > 0 && number.compare(Big{1, 0}) < 0) format = Format::DecimalSI;
  }
  if (parts->negative) number.unscaled = -number.unscaled;
  return Quantity(std::move(number), format);
}

Quantity Quantity::must_parse(std::string_view text) {
  auto quantity = parse(text);
  if (!quantity) {
    // by text: of the words alone, without the quantity that they begin with
    throw ApiException(Error(ErrorCode::InvalidArgument,
                             "cannot parse '" + std::string(text) +
                                 "': " + quantity.error().message().substr(quoted(text).size())));
  }
  return *std::move(quantity);
}

}  // namespace kube::meta
