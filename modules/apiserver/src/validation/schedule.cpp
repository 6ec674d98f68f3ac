// SPDX-License-Identifier: Apache-2.0
#include "validation/schedule.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/codec/go_problems.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/time.hpp>

namespace kube::apiserver {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::string_view kNamedSchedules[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                                "@daily",  "@midnight", "@hourly"};

struct ScheduleField {
  std::int64_t min;
  std::int64_t max;
  Words names{};  ///< The first is the minimum.
};

constexpr ScheduleField kScheduleFields[] = {
    {0, 59}, {0, 23}, {1, 31}, {1, 12, kMonths}, {0, 6, kDays}};

std::vector<std::string_view> split_spaces(std::string_view text) {
  std::vector<std::string_view> out;
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_space(text[end])) ++end;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

struct ParsedNumber {
  std::int64_t value = 0;
  std::optional<std::string> problem{};
};

ParsedNumber parse_number(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  ParsedNumber out;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, out.value);
  if (read.ec != std::errc{} || read.ptr != end || digits.empty()) {
    out.problem =
        "failed to parse int from " + std::string(text) + ": strconv.Atoi: parsing " +
        go::quote(text) + ": " +
        (read.ec == std::errc::result_out_of_range ? "value out of range" : "invalid syntax");
  } else if (out.value < 0) {
    out.problem =
        "negative number (" + std::to_string(out.value) + ") not allowed: " + std::string(text);
  }
  return out;
}

ParsedNumber parse_number_or_name(std::string_view text, const ScheduleField& field) {
  const auto named = std::ranges::find(field.names, ascii::to_lower(text));
  if (named != field.names.end()) return {field.min + (named - field.names.begin())};
  return parse_number(text);
}

struct ParsedRange {
  std::int64_t start;
  std::int64_t end;
  std::int64_t step = 1;
};

std::optional<std::string> range_problem(std::string_view text, const ScheduleField& field,
                                         const ParsedRange& range) {
  const auto in_braces = [](std::int64_t number) { return "(" + std::to_string(number) + ")"; };
  const std::string shown = ": " + std::string(text);
  if (range.start < field.min)
    return "beginning of range " + in_braces(range.start) + " below minimum " +
           in_braces(field.min) + shown;
  if (range.end > field.max)
    return "end of range " + in_braces(range.end) + " above maximum " + in_braces(field.max) +
           shown;
  if (range.start > range.end)
    return "beginning of range " + in_braces(range.start) + " beyond end of range " +
           in_braces(range.end) + shown;
  if (range.step == 0) return "step of range should be a positive number" + shown;
  return std::nullopt;
}

std::optional<std::string> part_problem(std::string_view text, const ScheduleField& field) {
  const auto parts = go::split(text, '/');
  const auto ends = go::split(parts[0], '-');
  ParsedRange range{field.min, field.max};
  if (ends[0] != "*" && ends[0] != "?") {
    const ParsedNumber start = parse_number_or_name(ends[0], field);
    if (start.problem) return start.problem;
    range.start = range.end = start.value;
    if (ends.size() > 2) return "too many hyphens: " + std::string(text);
    if (ends.size() == 2) {
      const ParsedNumber end = parse_number_or_name(ends[1], field);
      if (end.problem) return end.problem;
      range.end = end.value;
    }
  }
  if (parts.size() > 2) return "too many slashes: " + std::string(text);
  if (parts.size() == 2) {
    const ParsedNumber step = parse_number(parts[1]);
    if (step.problem) return step.problem;
    range.step = step.value;
    if (ends.size() == 1) range.end = field.max;
  }
  return range_problem(text, field, range);
}

std::optional<std::string> named_problem(std::string_view schedule) {
  constexpr std::string_view kEvery = "@every ";
  if (std::ranges::find(kNamedSchedules, schedule) != std::end(kNamedSchedules))
    return std::nullopt;
  if (schedule.starts_with(kEvery)) {
    const std::string_view duration = schedule.substr(kEvery.size());
    if (meta::Duration::parse(duration)) return std::nullopt;
    return "failed to parse duration " + std::string(schedule) + ": " +
           go::duration_problem(duration);
  }
  return "unrecognized descriptor: " + std::string(schedule);
}

}  // namespace

std::optional<std::string> zone_problem(std::string_view zone) {
  if (zone.empty() || zone == "Local" || is_time_zone(zone)) return std::nullopt;
  if (zone.find("..") != std::string_view::npos || zone.starts_with('/') || zone.starts_with('\\'))
    return "time: invalid location name";
  if (is_time_zone_folder(zone)) return "is a directory";
  return "unknown time zone " + std::string(zone);
}

std::optional<std::string> schedule_problem(std::string_view schedule) {
  if (schedule.empty()) return "empty spec string";
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const std::size_t space = schedule.find(' ');
    if (space == std::string_view::npos)
      return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
    const std::string zone(schedule.substr(0, space).substr(schedule.find('=') + 1));
    if (const auto problem = zone_problem(zone))
      return "provided bad location " + zone + ": " + *problem;
    schedule.remove_prefix(space + 1);
    schedule.remove_prefix(std::min(schedule.find_first_not_of(' '), schedule.size()));
  }
  if (schedule.starts_with('@')) return named_problem(schedule);
  const auto fields = split_spaces(schedule);
  if (fields.size() != std::size(kScheduleFields))
    return "expected exactly 5 fields, found " + std::to_string(fields.size()) + ": [" +
           join(fields, " ") + "]";
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (const std::string_view part : go::split(fields[i], ',')) {
      if (part.empty()) continue;
      if (auto problem = part_problem(part, kScheduleFields[i])) return problem;
    }
  }
  return std::nullopt;
}

}  // namespace kube::apiserver
