// SPDX-License-Identifier: Apache-2.0
#include "schema_format.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <regex>

#include <kube/base/ascii.hpp>
#include <kube/json/base64.hpp>
#include <kube/meta/validation.hpp>

#include "string_formats.hpp"
#include "text.hpp"

namespace kube::meta {
namespace {

// So that a dot is a character, not a byte.
std::wstring widened(std::string_view text) {
  std::wstring out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();)
    out += static_cast<wchar_t>(detail::next_rune(text, &at));
  return out;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// A form of short texts, in either case of letters.
class Form {
 public:
  explicit Form(const char* expression)
      : compiled_(expression, std::regex::ECMAScript | std::regex::icase | std::regex::nosubs |
                                  std::regex::optimize) {}
  // Nothing that these match is long; std::regex recurses for each character.
  bool matches(std::string_view text) const {
    return text.size() <= 1024 && std::regex_match(text.begin(), text.end(), compiled_);
  }

 private:
  std::regex compiled_;
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
  static const Form form(("rgb\\(" + number + "," + number + "," + number + "\\)").c_str());
  return text.starts_with("rgb") && form.matches(text);
}
bool is_bytes(std::string_view text) {
  // Without the line breaks that Go's decoder skips.
  return !text.empty() && text.find_first_of("\r\n") == std::string_view::npos &&
         json::read_base64(text).has_value();
}

// The text without spaces and hyphens.
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

// std::regex remembers which bytes are in a class, which std::wregex works out each time: most
// texts are ASCII.
struct Pattern::Impl {
  std::wregex wide;
  std::optional<std::regex> narrow;  // of an expression in ASCII
};

std::optional<Pattern> Pattern::compile(std::string_view expression) {
  // What ECMAScript reads as something else than Go does, rather than refusing it.
  for (const std::string_view foreign : {"(?i", "(?s", "(?m", "(?U", "(?P", "(?<", "(?=", "(?!",
                                         "\\p", "\\P", "\\A", "\\z", "\\Q", "\\C", "\\a", "\\x{"}) {
    if (expression.find(foreign) != std::string_view::npos) return std::nullopt;
  }
  try {
    // Searching is matching with anything around it: one pass instead of one from each character.
    // The polynomial executor keeps no stack, and all states at once.
    auto impl = std::make_shared<Impl>();
    constexpr auto options =
        std::regex::ECMAScript | std::regex::nosubs | std::regex_constants::__polynomial;
    if (is_ascii(expression))
      impl->narrow.emplace("[\\s\\S]*(?:" + std::string(expression) + ")[\\s\\S]*", options);
    impl->wide.assign(L"[\\s\\S]*(?:" + widened(expression) + L")[\\s\\S]*", options);
    Pattern pattern;
    pattern.impl_ = std::move(impl);
    return pattern;
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

bool Pattern::is_in(std::string_view text) const {
  if (impl_->narrow && is_ascii(text))
    return std::regex_match(text.begin(), text.end(), *impl_->narrow);
  return std::regex_match(widened(text), impl_->wide);
}

FormatCheck find_format(std::string_view name) {
  std::string plain(name);
  std::erase(plain, '-');
  for (const Format& format : kFormats) {
    if (format.name == plain) return format.check;
  }
  return nullptr;
}

}  // namespace kube::meta
