// SPDX-License-Identifier: Apache-2.0
#include "schema_format.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <re2/re2.h>

#include <kube/base/ascii.hpp>
#include <kube/json/base64.hpp>
#include <kube/names/validation.hpp>
#include <kube/validation/definition_validation.hpp>

#include "string_formats.hpp"

namespace kube::meta {
namespace {

// A regular expression that ignores case.
class Form {
 public:
  explicit Form(const std::string& expression) : compiled_(expression, options()) {}
  bool matches(std::string_view text) const {
    return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), compiled_);
  }

 private:
  static RE2::Options options() {
    RE2::Options made(RE2::Latin1);
    made.set_case_sensitive(false);
    made.set_never_capture(true);
    return made;
  }

  RE2 compiled_;
};

bool is_mac(std::string_view text) {
  static const Form colons("(([0-9a-f]{2}:){5}|([0-9a-f]{2}:){7}|([0-9a-f]{2}:){19})[0-9a-f]{2}");
  static const Form dashes("(([0-9a-f]{2}-){5}|([0-9a-f]{2}-){7}|([0-9a-f]{2}-){19})[0-9a-f]{2}");
  static const Form dots(
      "(([0-9a-f]{4}\\.){2}|([0-9a-f]{4}\\.){3}|([0-9a-f]{4}\\.){9})[0-9a-f]{4}");
  return colons.matches(text) || dashes.matches(text) || dots.matches(text);
}
bool is_uuid(std::string_view text) {
  static const Form form("[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}");
  return form.matches(text);
}
bool is_uuid3(std::string_view text) {
  static const Form form("[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}");
  return form.matches(text);
}
bool is_uuid4(std::string_view text) {
  static const Form form("[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}");
  return form.matches(text);
}
bool is_uuid5(std::string_view text) {
  static const Form form("[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}");
  return form.matches(text);
}
bool is_hex_color(std::string_view text) {
  static const Form form("#?([0-9a-f]{3}|[0-9a-f]{6})");
  return form.matches(text);
}
bool is_object_id(std::string_view text) {
  static const Form form("[0-9a-f]{24}");
  return form.matches(text);
}
bool is_ssn(std::string_view text) {
  static const Form form("[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}");
  return text.size() == 11 && form.matches(text);
}
bool is_rgb_color(std::string_view text) {
  static const std::string space = "[\\t\\n\\f\\r ]*";
  static const std::string number =
      space + "(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])" + space;
  static const Form form("rgb\\(" + number + "," + number + "," + number + "\\)");
  return text.starts_with("rgb") && form.matches(text);
}
bool is_bytes(std::string_view text) {
  // Go's decoder skips line breaks, which are not accepted here.
  return !text.empty() && text.find_first_of("\r\n") == std::string_view::npos &&
         json::read_base64(text).has_value();
}

// Returns the text without spaces and hyphens.
std::string isbn_digits(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) {
    return std::string_view("\t\n\f\r -").find(c) == std::string_view::npos;
  });
  return digits;
}
bool is_isbn10(std::string_view text) {
  const std::string digits = isbn_digits(text);
  if (digits.size() != 10 || !std::ranges::all_of(digits.substr(0, 9), ascii::is_digit))
    return false;
  if (!ascii::is_digit(digits[9]) && digits[9] != 'X') return false;
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    const char digit = digits[static_cast<std::size_t>(i)];
    sum += (i + 1) * (digit == 'X' ? 10 : digit - '0');
  }
  return sum % 11 == 0;
}
bool is_isbn13(std::string_view text) {
  const std::string digits = isbn_digits(text);
  if (digits.size() != 13 || !std::ranges::all_of(digits, ascii::is_digit)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 13; ++i) sum += (i % 2 == 0 ? 1 : 3) * (digits[i] - '0');
  return sum % 10 == 0;
}
bool is_isbn(std::string_view text) {
  return is_isbn10(text) || is_isbn13(text);
}
bool is_credit_card(std::string_view text) {
  static const Form form(
      "4[0-9]{12}([0-9]{3})?|5[1-5][0-9]{14}|6(011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|"
      "3(0[0-5]|[68][0-9])[0-9]{11}|(2131|1800|35[0-9]{3})[0-9]{11}");
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), ascii::is_digit);
  if (!form.matches(digits)) return false;
  int sum = 0;
  bool doubled = false;
  for (auto at = digits.rbegin(); at != digits.rend(); ++at, doubled = !doubled) {
    const int value = (*at - '0') * (doubled ? 2 : 1);
    sum += value / 10 + value % 10;
  }
  return sum % 10 == 0;
}
bool is_anything(std::string_view) {
  return true;
}
bool is_short_name(std::string_view text) {
  return validate_dns1123_label(text).empty();
}
bool is_long_name(std::string_view text) {
  return validate_dns1123_subdomain(text).empty();
}

struct Format {
  std::string_view name;
  FormatCheck check;
};
constexpr std::array kFormats{
    Format{"bsonobjectid", is_object_id},
    Format{"byte", is_bytes},
    Format{"cidr", detail::is_cidr},
    Format{"creditcard", is_credit_card},
    Format{"date", detail::is_date},
    Format{"datetime", detail::is_date_time},
    Format{"duration", detail::is_duration},
    Format{"email", detail::is_email},
    Format{"hexcolor", is_hex_color},
    Format{"hostname", detail::is_hostname},
    Format{"ipv4", detail::is_ipv4},
    Format{"ipv6", detail::is_ipv6},
    Format{"isbn", is_isbn},
    Format{"isbn10", is_isbn10},
    Format{"isbn13", is_isbn13},
    Format{"k8slongname", is_long_name},
    Format{"k8sshortname", is_short_name},
    Format{"mac", is_mac},
    Format{"password", is_anything},
    Format{"rgbcolor", is_rgb_color},
    Format{"ssn", is_ssn},
    Format{"uri", detail::is_uri},
    Format{"uuid", is_uuid},
    Format{"uuid3", is_uuid3},
    Format{"uuid4", is_uuid4},
    Format{"uuid5", is_uuid5},
};

}  // namespace

FormatCheck find_format(std::string_view name) {
  std::string plain(name);
  std::erase(plain, '-');
  for (const Format& format : kFormats) {
    if (format.name == plain) return format.check;
  }
  return nullptr;
}

bool is_known_format(std::string_view format) {
  constexpr std::array<std::string_view, 4> kOfNumbers = {"int32", "int64", "float", "double"};
  return find_format(format) != nullptr ||
         std::ranges::find(kOfNumbers, format) != kOfNumbers.end();
}

}  // namespace kube::meta
