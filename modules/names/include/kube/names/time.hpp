// SPDX-License-Identifier: Apache-2.0
//
// kube::meta::Time, MicroTime and Duration: points and spans of time with their form on the wire.
#pragma once

#include <chrono>
#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::meta {

/// A point in time, to the nanosecond, from the year 0 to 9999; the base of Time and MicroTime. The
/// default is the zero time, the start of the year 1, which means "not set" as in Go.
///
/// @par Thread safety   A value.
class Instant {
 public:
  /// kube::WallTime.
  using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;

  constexpr Instant() = default;
  /// `unix_time` is in seconds, `nanoseconds` is 0 to 999999999.
  constexpr Instant(std::int64_t unix_time, std::int32_t nanoseconds)
      : seconds_(unix_time), nanoseconds_(nanoseconds) {}
  constexpr Instant(WallTime time)  // implicit: a time is what it wraps
      : seconds_(std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count()),
        nanoseconds_(static_cast<std::int32_t>(
            (time - std::chrono::floor<std::chrono::seconds>(time)).count())) {}

  constexpr bool is_zero() const { return *this == Instant(); }
  constexpr std::int64_t unix_seconds() const { return seconds_; }
  constexpr std::int32_t nanoseconds() const { return nanoseconds_; }
  /// The nearest WallTime, which holds the years 1678 to 2261.
  WallTime to_wall_time() const;

  /// Compares by instant, also a Time with a MicroTime.
  friend constexpr auto operator<=>(const Instant&, const Instant&) = default;

 private:
  std::int64_t seconds_ = -62135596800;
  std::int32_t nanoseconds_ = 0;
};

/// Whether `a` is before `b`; false when one is unset.
template <std::derived_from<Instant> A, std::derived_from<Instant> B>
bool is_before(const std::optional<A>& a, const std::optional<B>& b) {
  return a && b && *a < *b;
}

/// metav1.Time. On the wire whole seconds in UTC: "2026-10-28T09:30:00Z"; null when zero. Reading
/// keeps fractions of a second in memory.
///
/// @par Thread safety   A value.
class Time : public Instant {
 public:
  using Instant::Instant;
  /// Reads RFC 3339 with any offset and any fraction.
  /// @par Errors   Decode, quoting the text.
  static Result<Time> parse(std::string_view text);
  /// Reads a query parameter: "" and "null" are the zero time.
  /// @par Errors   As parse().
  static Result<Time> from_query(std::string_view text);
  std::string to_string() const;  ///< RFC 3339, UTC, whole seconds.
  std::string to_query() const;   ///< The same; "" for the zero time.
};

/// metav1.MicroTime. On the wire "2026-10-28T09:30:00.123456Z"; null when zero.
///
/// @par Thread safety   A value.
class MicroTime : public Instant {
 public:
  using Instant::Instant;
  /// Reads RFC 3339 with any offset and exactly six digits of a fraction.
  /// @par Errors   Decode, quoting the text.
  static Result<MicroTime> parse(std::string_view text);
  std::string to_string() const;  ///< RFC 3339, UTC, six digits; truncates the rest.
};

/// metav1.Duration. On the wire Go's form: "1h2m3.5s".
///
/// @par Thread safety   A value.
struct Duration {
  std::chrono::nanoseconds value{};

  constexpr Duration() = default;
  constexpr Duration(std::chrono::nanoseconds span) : value(span) {}  // implicit: as Instant

  /// Reads Go's form.
  /// @par Errors   Decode, quoting the text; also for more than about 292 years.
  static Result<Duration> parse(std::string_view text);
  std::string to_string() const;
  auto operator<=>(const Duration&) const = default;
};

/// Returns a duration as tables show it, in about two digits: "90s", "5m30s", "3h20m", "2d",
/// "4y100d". "<invalid>" for more than a second before zero, the difference that clocks may have.
std::string human_duration(std::chrono::nanoseconds span);

}  // namespace kube::meta
