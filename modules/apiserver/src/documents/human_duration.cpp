// SPDX-License-Identifier: Apache-2.0
#include "documents/human_duration.hpp"

namespace kube::apiserver {
namespace {

/// "3h20m": a count, and what is left in the next smaller unit when there is any.
std::string with_rest(std::int64_t whole, char unit, std::int64_t rest, char rest_unit) {
  std::string out = std::to_string(whole) + unit;
  if (rest != 0) out += std::to_string(rest) + rest_unit;
  return out;
}

}  // namespace

std::string human_duration(Duration span) {
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

}  // namespace kube::apiserver
