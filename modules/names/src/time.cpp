// SPDX-License-Identifier: Apache-2.0
#include <kube/names/time.hpp>

#include <algorithm>
#include <array>
#include <limits>

#include <kube/base/ascii.hpp>
#include <kube/names/time_range.hpp>

namespace kube::meta {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }
  char peek() const { return text_.empty() ? '\0' : text_.front(); }
  bool accept(char c) {
    if (peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Reads as many digits as follow, from `min` to `max`.
  std::optional<int> number(std::size_t min, std::size_t max) {
    int value = 0;
    std::size_t count = 0;
    while (count < max && ascii::is_digit(peek())) {
      value = value * 10 + (text_.front() - '0');
      text_.remove_prefix(1);
      ++count;
    }
    return count < min ? std::nullopt : std::optional<int>(value);
  }
  std::string_view digits() {
    const std::size_t count = std::min(text_.find_first_not_of("0123456789"), text_.size());
    const std::string_view result = text_.substr(0, count);
    text_.remove_prefix(count);
    return result;
  }

 private:
  std::string_view text_;
};

struct Civil {
  int year, month, day, hour, minute, second;
};

bool is_valid(const Civil& c) {
  return std::chrono::year_month_day(std::chrono::year(c.year),
                                     std::chrono::month(static_cast<unsigned>(c.month)),
                                     std::chrono::day(static_cast<unsigned>(c.day)))
             .ok() &&
         c.hour < 24 && c.minute < 60 && c.second < 60;
}

std::int64_t days_from_civil(const Civil& c) {
  return std::chrono::sys_days(
             std::chrono::year_month_day(std::chrono::year(c.year),
                                         std::chrono::month(static_cast<unsigned>(c.month)),
                                         std::chrono::day(static_cast<unsigned>(c.day))))
      .time_since_epoch()
      .count();
}

// Reads "Z" or "+02:00", in seconds. Like Go it accepts 24 hours and 60 minutes.
std::optional<int> read_offset(Scanner& in) {
  if (in.accept('Z')) return 0;
  const bool negative = in.peek() == '-';
  if (!in.accept('-') && !in.accept('+')) return std::nullopt;
  const auto hours = in.number(2, 2);
  if (!hours || *hours > 24 || !in.accept(':')) return std::nullopt;
  const auto minutes = in.number(2, 2);
  if (!minutes || *minutes > 60) return std::nullopt;
  const int offset = *hours * 3600 + *minutes * 60;
  return negative ? -offset : offset;
}

// Reads a fraction of a second after '.' or ','; drops digits beyond nanoseconds.
std::optional<std::int32_t> read_fraction(Scanner& in, std::size_t exact_digits) {
  if (!in.accept('.') && !in.accept(',')) {
    return exact_digits == 0 ? std::optional<std::int32_t>(0) : std::nullopt;
  }
  const std::string_view digits = in.digits();
  if (digits.empty() || (exact_digits != 0 && digits.size() != exact_digits)) return std::nullopt;
  std::int32_t value = 0;
  for (std::size_t i = 0; i < 9; ++i)
    value = value * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  return value;
}

// Reads RFC 3339 as Go does: the hour may have one digit. `exact_digits` of the fraction; 0: any.
std::optional<Instant> read_rfc3339(std::string_view text, std::size_t exact_digits) {
  Scanner in(text);
  const auto year = in.number(4, 4);
  if (!year || !in.accept('-')) return std::nullopt;
  const auto month = in.number(2, 2);
  if (!month || !in.accept('-')) return std::nullopt;
  const auto day = in.number(2, 2);
  if (!day || !in.accept('T')) return std::nullopt;
  const auto hour = in.number(1, 2);
  if (!hour || !in.accept(':')) return std::nullopt;
  const auto minute = in.number(2, 2);
  if (!minute || !in.accept(':')) return std::nullopt;
  const auto second = in.number(2, 2);
  if (!second) return std::nullopt;
  const auto fraction = read_fraction(in, exact_digits);
  if (!fraction) return std::nullopt;
  const auto offset = read_offset(in);
  const Civil civil{*year, *month, *day, *hour, *minute, *second};
  if (!offset || !in.done() || !is_valid(civil)) return std::nullopt;
  const std::int64_t seconds = days_from_civil(civil) * 86400 + civil.hour * 3600 +
                               civil.minute * 60 + civil.second - *offset;
  // The offset may move the time out of the years that can be written.
  if (seconds < kFirstSecond || seconds > kLastSecond) return std::nullopt;
  return Instant(seconds, *fraction);
}

// Appends at least `width` digits of a number that isn't negative.
void append_padded(std::int64_t value, std::size_t width, std::string& out) {
  std::array<char, 20> digits;
  std::size_t first = digits.size();
  for (; value != 0 || digits.size() - first < width; value /= 10)
    digits[--first] = static_cast<char>('0' + value % 10);
  out.append(digits.data() + first, digits.size() - first);
}

// Returns "2026-10-28T09:30:00", in UTC.
std::string write_seconds(const Instant& instant) {
  const std::chrono::sys_seconds time{std::chrono::seconds(instant.unix_seconds())};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string out;
  out.reserve(sizeof "2026-10-28T09:30:00.123456Z");
  const int year = static_cast<int>(date.year());
  if (year < 0) out += '-';
  append_padded(year < 0 ? -year : year, 4, out);
  out += '-';
  append_padded(static_cast<unsigned>(date.month()), 2, out);
  out += '-';
  append_padded(static_cast<unsigned>(date.day()), 2, out);
  out += 'T';
  append_padded(clock.hours().count(), 2, out);
  out += ':';
  append_padded(clock.minutes().count(), 2, out);
  out += ':';
  append_padded(clock.seconds().count(), 2, out);
  return out;
}

Error cannot_read(std::string_view what, std::string_view text, std::string_view expected) {
  constexpr std::size_t kShown = 64;
  std::string quoted(text.substr(0, kShown));
  if (text.size() > kShown) quoted += "...";
  return Error(ErrorCode::Decode, "cannot read \"" + quoted + "\" as a " + std::string(what) +
                                      ", expected " + std::string(expected));
}

}  // namespace

Instant::WallTime Instant::to_wall_time() const {
  using std::chrono::nanoseconds;
  using std::chrono::seconds;
  constexpr std::int64_t kLimit = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 1;
  const std::int64_t clamped = std::clamp(seconds_, -kLimit, kLimit);
  return WallTime(seconds(clamped) + nanoseconds(clamped == seconds_ ? nanoseconds_ : 0));
}

Result<Time> Time::parse(std::string_view text) {
  const auto instant = read_rfc3339(text, 0);
  if (!instant) return cannot_read("time", text, "RFC 3339 such as 2026-10-28T09:30:00Z");
  return Time(instant->unix_seconds(), instant->nanoseconds());
}

Result<Time> Time::from_query(std::string_view text) {
  if (text.empty() || text == "null") return Time();
  return parse(text);
}

std::string Time::to_string() const {
  std::string out = write_seconds(*this);
  out += 'Z';
  return out;
}
std::string Time::to_query() const {
  return is_zero() ? std::string() : to_string();
}

Result<MicroTime> MicroTime::parse(std::string_view text) {
  const auto instant = read_rfc3339(text, 6);
  if (!instant) {
    return cannot_read("time with microseconds", text,
                       "RFC 3339 such as 2026-10-28T09:30:00.123456Z");
  }
  return MicroTime(instant->unix_seconds(), instant->nanoseconds());
}

std::string MicroTime::to_string() const {
  std::string out = write_seconds(*this);
  out += '.';
  append_padded(nanoseconds() / 1000, 6, out);
  out += 'Z';
  return out;
}

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};
constexpr std::array<Unit, 8> kUnits{{{"ns", 1},
                                      {"us", 1000},
                                      {"\xc2\xb5s", 1000},  // U+00B5, micro sign
                                      {"\xce\xbcs", 1000},  // U+03BC, Greek mu
                                      {"ms", 1000000},
                                      {"s", 1000000000},
                                      {"m", 60000000000},
                                      {"h", 3600000000000}}};

// Removes one "1.5h" from the beginning of `text`, and returns its nanoseconds.
std::optional<std::uint64_t> read_part(std::string_view& text) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 63;
  const std::size_t whole_end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::uint64_t whole = 0;
  for (const char c : text.substr(0, whole_end)) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (whole > (kMax - digit) / 10) return std::nullopt;
    whole = whole * 10 + digit;
  }
  std::string_view rest = text.substr(whole_end);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size()));
    rest.remove_prefix(fraction.size());
  }
  if (whole_end == 0 && fraction.empty()) return std::nullopt;
  const std::string_view name =
      rest.substr(0, std::min(rest.find_first_of(".0123456789"), rest.size()));
  const auto unit = std::ranges::find(kUnits, name, &Unit::name);
  if (unit == kUnits.end()) return std::nullopt;
  text = rest.substr(name.size());
  if (whole > kMax / unit->nanoseconds) return std::nullopt;
  std::uint64_t total = whole * unit->nanoseconds;
  // As in Go, digits beyond the range of an integer are dropped.
  std::uint64_t part = 0;
  double scale = 1;
  for (const char c : fraction) {
    const std::uint64_t longer = part * 10 + static_cast<std::uint64_t>(c - '0');
    if (part > (kMax - 1) / 10 || longer > kMax) break;
    part = longer;
    scale *= 10;
  }
  total += static_cast<std::uint64_t>(static_cast<double>(part) *
                                      (static_cast<double>(unit->nanoseconds) / scale));
  return total > kMax ? std::nullopt : std::optional<std::uint64_t>(total);
}

}  // namespace

Result<Duration> Duration::parse(std::string_view text) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 63;
  const Error error = cannot_read("duration", text, "Go's form such as 1h30m or 1.5s");
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return Duration();
  if (rest.empty()) return error;
  std::uint64_t total = 0;
  while (!rest.empty()) {
    const auto part = read_part(rest);
    if (!part || *part > kMax - total) return error;
    total += *part;
  }
  if (total == kMax) {
    if (!negative) return error;
    return Duration(std::chrono::nanoseconds::min());
  }
  const auto count = static_cast<std::int64_t>(total);
  return Duration(std::chrono::nanoseconds(negative ? -count : count));
}

std::string Duration::to_string() const {
  const bool negative = value.count() < 0;
  std::uint64_t rest = static_cast<std::uint64_t>(value.count());
  if (negative) rest = ~rest + 1;
  if (rest == 0) return "0s";
  // Returns a number of `unit` with a fraction but without trailing zeros.
  const auto decimal = [](std::uint64_t count, std::uint64_t unit) {
    std::string out = std::to_string(count / unit);
    std::string fraction = std::to_string(unit + count % unit).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return fraction.empty() ? out : out + "." + fraction;
  };
  std::string out = negative ? "-" : "";
  if (rest < 1000) return out + std::to_string(rest) + "ns";
  if (rest < 1000000) return out + decimal(rest, 1000) + "\xc2\xb5s";
  if (rest < 1000000000) return out + decimal(rest, 1000000) + "ms";
  constexpr std::uint64_t kMinute = 60000000000;
  const std::uint64_t minutes = rest / kMinute;
  if (minutes >= 60) out += std::to_string(minutes / 60) + "h";
  if (minutes > 0) out += std::to_string(minutes % 60) + "m";
  return out + decimal(rest % kMinute, 1000000000) + "s";
}

namespace {

/// Returns "3h20m": a count, and the rest in the next smaller unit unless it is zero.
std::string with_rest(std::int64_t whole, char unit, std::int64_t rest, char rest_unit) {
  std::string out = std::to_string(whole) + unit;
  if (rest != 0) out += std::to_string(rest) + rest_unit;
  return out;
}

}  // namespace

std::string human_duration(std::chrono::nanoseconds span) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return with_rest(seconds, 's', 0, ' ');
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return with_rest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return with_rest(minutes, 'm', 0, ' ');
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return with_rest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return with_rest(hours, 'h', 0, ' ');
  const std::int64_t days = hours / 24;
  if (days < 8) return with_rest(days, 'd', hours % 24, 'h');
  if (days < 730) return with_rest(days, 'd', 0, ' ');
  const std::int64_t years = days / 365;
  return with_rest(years, 'y', years < 8 ? days % 365 : 0, 'd');
}

}  // namespace kube::meta
