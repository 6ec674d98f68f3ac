// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/go_problems.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

#include <kube/base/ascii.hpp>
#include <kube/base/printable.hpp>
#include <kube/names/go_text.hpp>

namespace kube::go {
namespace {

// A value may be as long as a request.
std::string quoted_start(std::string_view text) {
  constexpr std::size_t kMax = 256;
  if (text.size() <= kMax) return quote(text);
  return quote(std::string(whole_characters(text, kMax)) + "...");
}

/// A number of a time, what precedes it, and its smallest and greatest value.
struct TimePart {
  std::string_view before;
  std::string_view layout;
  int least;
  int most;
  std::string_view name;
};

constexpr std::array<TimePart, 6> kTimeParts = {{{"", "2006", 0, 9999, "year"},
                                                 {"-", "01", 1, 12, "month"},
                                                 {"-", "02", 0, 99, ""},
                                                 {"T", "15", 0, 23, "hour"},
                                                 {":", "04", 0, 59, "minute"},
                                                 {":", "05", 0, 59, "second"}}};

class TimeReader {
 public:
  TimeReader(std::string_view text, bool micro) : text_(text), rest_(text), micro_(micro) {}

  std::string problem() {
    for (const TimePart& part : kTimeParts) {
      if (!rest_.starts_with(part.before)) return not_as(rest_, part.before);
      rest_.remove_prefix(part.before.size());
      const std::string_view start = rest_;
      const int number =
          take_number(part.layout.size(), part.layout == "15" ? 1 : part.layout.size());
      if (number < 0) return not_as(start, part.layout);
      if (number < part.least || number > part.most) return out_of_range(part.name);
    }
    if (const std::string why = fraction(); !why.empty()) return why;
    if (const std::string why = zone(); !why.empty()) return why;
    if (!rest_.empty()) return begin() + ": extra text: " + quoted_start(rest_);
    return out_of_range("day");
  }

 private:
  std::string begin() const { return "parsing time " + quoted_start(text_); }
  std::string not_as(std::string_view text, std::string_view layout) const {
    return begin() + " as \"2006-01-02T15:04:05" + (micro_ ? ".000000" : "") +
           "Z07:00\": cannot parse " + quoted_start(text) + " as " + quote(layout);
  }
  std::string out_of_range(std::string_view name) const {
    return begin() + ": " + std::string(name) + " out of range";
  }

  // Returns -1 for fewer digits than `least`.
  int take_number(std::size_t most, std::size_t least) {
    const std::size_t found = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    const std::size_t count = std::min(found, most);
    if (count < least) return -1;
    int number = 0;
    for (const char c : rest_.substr(0, count)) number = number * 10 + (c - '0');
    rest_.remove_prefix(count);
    return number;
  }

  std::string fraction() {
    const bool starts =
        rest_.size() > 1 && (rest_[0] == '.' || rest_[0] == ',') && ascii::is_digit(rest_[1]);
    if (!starts) return micro_ ? not_as(rest_, ".000000") : std::string();
    const std::string_view start = rest_;
    rest_.remove_prefix(1);
    if (!micro_) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of("0123456789"), rest_.size()));
      return {};
    }
    return take_number(6, 6) < 0 ? not_as(start, ".000000") : std::string();
  }

  std::string zone() {
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return {};
    }
    const std::string_view start = rest_;
    const auto bad = [&] { return not_as(start, "Z07:00"); };
    if (rest_.size() < 6 || rest_[3] != ':') return bad();
    const bool is_signed = rest_[0] == '+' || rest_[0] == '-';
    rest_.remove_prefix(1);
    const int hours = take_number(2, 2);
    if (hours < 0) return bad();
    rest_.remove_prefix(1);
    const int minutes = take_number(2, 2);
    if (minutes < 0) return bad();
    if (hours > 24) return out_of_range("time zone offset hour");
    if (minutes > 60) return out_of_range("time zone offset minute");
    return is_signed ? std::string() : bad();
  }

  std::string_view text_;
  std::string_view rest_;
  bool micro_;
};

bool is_base64(char c) {
  return ascii::is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '+' ||
         c == '/';
}

// Returns the place that Go's decoder complains about.
std::size_t base64_fault(std::string_view text) {
  std::size_t in_group = 0;
  const auto skip_lines = [&](std::size_t at) {
    return std::min(text.find_first_not_of("\r\n", at), text.size());
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_base64(text[i])) {
      in_group = (in_group + 1) % 4;
      continue;
    }
    if (text[i] == '\n' || text[i] == '\r') continue;
    if (text[i] != '=' || in_group < 2) return i;
    std::size_t next = skip_lines(i + 1);
    if (in_group == 2) {
      if (next == text.size()) return next;
      if (text[next] != '=') return next - 1;
      next = skip_lines(next + 1);
    }
    return next;
  }
  return text.size() - in_group;
}

}  // namespace

std::string time_problem(std::string_view text, bool micro) {
  return TimeReader(text, micro).problem();
}

std::string duration_problem(std::string_view text) {
  const auto say = [&](const std::string& what) {
    return "time: " + what + " duration " + quoted_start(text);
  };
  constexpr std::array<std::string_view, 8> kUnits = {"ns", "us", "\u00b5s", "\u03bcs",
                                                      "ms", "s",  "m",       "h"};
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  while (!rest.empty()) {
    const std::size_t number = std::min(rest.find_first_not_of(".0123456789"), rest.size());
    const std::string_view digits = rest.substr(0, number);
    if (digits.find_first_not_of('.') == std::string_view::npos) break;
    rest.remove_prefix(number);
    const std::string_view unit =
        rest.substr(0, std::min(rest.find_first_of(".0123456789"), rest.size()));
    if (unit.empty() || std::ranges::count(digits, '.') > 1) return say("missing unit in");
    if (std::ranges::find(kUnits, unit) == kUnits.end())
      return say("unknown unit " + quoted_start(unit) + " in");
    rest.remove_prefix(unit.size());
  }
  return say("invalid");
}

std::string base64_problem(std::string_view text) {
  return "illegal base64 data at input byte " + std::to_string(base64_fault(text));
}

}  // namespace kube::go
