// SPDX-License-Identifier: Apache-2.0
#include "retry_after.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace kube {
namespace {

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The parts of a date, where its form has them.
struct DateParts {
  std::string_view day;
  std::string_view month;
  std::string_view year;
  std::string_view time;  // 00:00:00
};

// Reads the form that senders use, and the two that RFC 9110 (5.6.7) has recipients accept:
// "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994".
std::optional<DateParts> parts_of_date(std::string_view text) {
  constexpr std::size_t kFixed = std::string_view("Xxx, 00 Xxx 0000 00:00:00 GMT").size();
  constexpr std::size_t kOfC = std::string_view("Xxx Xxx  0 00:00:00 0000").size();
  constexpr std::string_view kAfterName = "00-Xxx-00 00:00:00 GMT";
  if (text.size() == kFixed && text.ends_with(" GMT") && text[3] == ',') {
    return DateParts{text.substr(5, 2), text.substr(8, 3), text.substr(12, 4), text.substr(17, 8)};
  }
  if (text.size() == kOfC && text[3] == ' ') {
    const std::string_view day = text.substr(text[8] == ' ' ? 9 : 8, text[8] == ' ' ? 1 : 2);
    return DateParts{day, text.substr(4, 3), text.substr(20, 4), text.substr(11, 8)};
  }
  const std::size_t comma = text.find(", ");
  if (comma == text.npos || text.size() - comma - 2 != kAfterName.size()) return std::nullopt;
  text.remove_prefix(comma + 2);
  if (!text.ends_with(" GMT") || text[2] != '-' || text[6] != '-') return std::nullopt;
  return DateParts{text.substr(0, 2), text.substr(3, 3), text.substr(7, 2), text.substr(10, 8)};
}

// Returns the year of two digits that is not more than 50 years after `now`.
int whole_year(int of_century, WallTime now) {
  const std::chrono::year_month_day today(std::chrono::floor<std::chrono::days>(now));
  const int current = static_cast<int>(today.year());
  const int year = current - current % 100 + of_century;
  return year > current + 50 ? year - 100 : year;
}

std::optional<std::chrono::sys_seconds> http_date(std::string_view text, WallTime now) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::optional<DateParts> parts = parts_of_date(text);
  if (!parts) return std::nullopt;
  const std::size_t month = kMonths.find(parts->month);
  const auto day = number_in<unsigned>(parts->day);
  const auto year = number_in<int>(parts->year);
  const auto hour = number_in<unsigned>(parts->time.substr(0, 2));
  const auto minute = number_in<unsigned>(parts->time.substr(3, 2));
  const auto second = number_in<unsigned>(parts->time.substr(6, 2));
  if (month == kMonths.npos || month % 3 != 0 || !day || !year || !hour || !minute || !second)
    return std::nullopt;
  const std::chrono::year_month_day date{
      std::chrono::year(parts->year.size() == 2 ? whole_year(*year, now) : *year),
      std::chrono::month(static_cast<unsigned>(month / 3 + 1)), std::chrono::day(*day)};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::sys_seconds(std::chrono::sys_days(date)) + std::chrono::hours(*hour) +
         std::chrono::minutes(*minute) + std::chrono::seconds(*second);
}

}  // namespace

std::optional<std::chrono::seconds> retry_after(const transport::Headers& headers, WallTime now) {
  const auto text = headers.find("Retry-After");
  if (!text) return std::nullopt;
  if (const auto seconds = number_in<std::int32_t>(*text)) {
    if (*seconds < 0) return std::nullopt;
    return std::chrono::seconds(*seconds);
  }
  const std::optional<std::chrono::sys_seconds> date = http_date(*text, now);
  if (!date) return std::nullopt;
  const auto left = *date - std::chrono::floor<std::chrono::seconds>(now);
  return std::max(left, std::chrono::seconds(0));
}

}  // namespace kube
