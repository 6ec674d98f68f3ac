// SPDX-License-Identifier: Apache-2.0
//
// Schedules of CronJobs: five fields of cron, or a name such as @daily.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kube::apiserver {

/// Returns what is wrong with a schedule, in the words of the reference server's reader.
std::optional<std::string> schedule_problem(std::string_view schedule);

/// Returns what is wrong with a time zone, in the words of Go.
std::optional<std::string> zone_problem(std::string_view zone);

/// Whether the IANA has a time zone of that name.
bool is_time_zone(std::string_view name);
/// Whether time zones begin with that name and a slash.
bool is_time_zone_folder(std::string_view name);

}  // namespace kube::apiserver
