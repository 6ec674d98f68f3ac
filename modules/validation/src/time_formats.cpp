// SPDX-License-Identifier: Apache-2.0
//
// The formats of a schema for times.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/time.hpp>

#include "string_formats.hpp"

namespace kube::meta::detail {
namespace {

// Returns the number of two digits at a position; -1 if they are not digits.
int two_digits(std::string_view text, std::size_t at) {
  if (!ascii::is_digit(text[at]) || !ascii::is_digit(text[at + 1])) return -1;
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

bool is_zone(std::string_view text) {
  if (text == "z") return true;
  return text.size() == 6 && (text[0] == '+' || text[0] == '-') && two_digits(text, 1) >= 0 &&
         text[3] == ':' && two_digits(text, 4) >= 0;
}

bool is_duration_unit(std::string_view word) {
  const std::string unit = ascii::to_lower(word);
  constexpr std::array<std::string_view, 11> kWords = {"ns", "us", "µs", "ms", "s", "m",
                                                       "h",  "hr", "d",  "w",  "wk"};
  constexpr std::array<std::string_view, 8> kStems = {"nano", "micro", "milli", "sec",
                                                      "min",  "hour",  "day",   "week"};
  return std::ranges::find(kWords, unit) != kWords.end() ||
         std::ranges::any_of(kStems, [&](std::string_view stem) { return unit.starts_with(stem); });
}

}  // namespace

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const int century = two_digits(text, 0);
  const int year = two_digits(text, 2);
  const int month = two_digits(text, 5);
  const int day = two_digits(text, 8);
  if (century < 0 || year < 0 || month < 1 || month > 12 || day < 1) return false;
  const bool leap = year == 0 ? century % 4 == 0 : year % 4 == 0;
  const int days = month == 2                                              ? (leap ? 29 : 28)
                   : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                           : 31;
  return day <= days;
}

bool is_date_time(std::string_view text) {
  const std::string lower = ascii::to_lower(text);
  const auto parts = go::split(lower, 't');
  if (parts.size() < 2 || !is_date(parts[0])) return false;
  std::string_view clock = parts[1];
  if (clock.size() < 9 || clock[2] != ':' || clock[5] != ':') return false;
  const int hour = two_digits(clock, 0);
  const int minute = two_digits(clock, 3);
  const int second = two_digits(clock, 6);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false;
  clock.remove_prefix(8);
  if (is_zone(clock)) return true;
  if (clock.front() == '\n') return false;
  std::size_t at = 0;
  next_code_point(clock, &at);
  const std::size_t end = std::min(clock.find_first_not_of("0123456789", at), clock.size());
  return end > at && is_zone(clock.substr(end));
}

bool is_duration(std::string_view text) {
  if (Duration::parse(text)) return true;
  bool found = false;
  for (std::size_t at = 0; at < text.size();) {
    if (!ascii::is_digit(text[at])) {
      ++at;
      continue;
    }
    const std::size_t digits_end = std::min(text.find_first_not_of("0123456789", at), text.size());
    const std::string_view digits = text.substr(at, digits_end - at);
    const std::size_t begin =
        std::min(text.find_first_not_of("\t\n\f\r ", digits_end), text.size());
    std::size_t end = begin;
    while (end < text.size() && (ascii::is_alpha(text[end]) || text.substr(end).starts_with("µ")))
      end += ascii::is_alpha(text[end]) ? 1 : 2;
    at = digits_end;
    if (end == begin) continue;
    std::int64_t number = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc())
      return false;
    found = found || is_duration_unit(text.substr(begin, end - begin));
    at = end;
  }
  return found;
}

}  // namespace kube::meta::detail
