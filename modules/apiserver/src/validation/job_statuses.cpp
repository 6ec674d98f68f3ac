// SPDX-License-Identifier: Apache-2.0
//
// The status of a Job, and the indexes that it counts.
#include <algorithm>
#include <charconv>
#include <optional>

#include <kube/names/go_text.hpp>

#include "validation/groups.hpp"
#include "validation/job_indexes.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

// Reads one index, which is above the last one.
std::optional<std::int64_t> read_index(std::string_view text, std::int64_t completions,
                                       std::int64_t last, std::string& problem) {
  std::int32_t index = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, index);
  if (read.ec != std::errc{} || read.ptr != end) {
    problem = "cannot convert string to integer for index: " + go::quote(text);
  } else if (index >= completions) {
    problem = "too large index: " + go::quote(text);
  } else if (last >= index) {
    problem = "non-increasing order, previous: " + std::to_string(last) +
              ", current: " + std::to_string(index);
  } else {
    return index;
  }
  return std::nullopt;
}

bool has_condition(const Place& status, std::string_view type) {
  return std::ranges::any_of(status.list("conditions"), [&](const json::Value& each) {
    return each.string_at({"type"}) == type && each.string_at({"status"}) == "True";
  });
}

void report_conditions(const Place& status, std::string detail) {
  FieldError error = FieldError::invalid(status.path("conditions"), {}, std::move(detail));
  error.bad_value.reset();
  status.report(std::move(error));
}

void check_job_end(const Place& status) {
  const bool complete = has_condition(status, "Complete");
  const bool failed = has_condition(status, "Failed");
  if (complete && !status.has("completionTime"))
    status.required("completionTime", "completionTime is required for Complete jobs");
  if (!complete && status.has("completionTime"))
    status.invalid("completionTime",
                   "cannot set completionTime when there is no Complete=True condition");
  if (complete && failed)
    report_conditions(status, "cannot set Complete=True and Failed=true conditions");
  if (complete && !has_condition(status, "SuccessCriteriaMet"))
    report_conditions(
        status, "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  if (failed && !has_condition(status, "FailureTarget"))
    report_conditions(status,
                      "cannot set Failed=True condition without the FailureTarget=true condition");
  if ((complete || failed) && !status.has("startTime"))
    status.required("startTime", "startTime is required for finished job");
}

void check_job_indexes(const Place& status) {
  const json::Value& job = status.root().value();
  const std::int64_t completions = job.int_at({"spec", "completions"}).value_or(1);
  if (!status.is_empty("completedIndexes")) {
    const IndexSet indexes = read_indexes(status.text("completedIndexes"), completions);
    if (!indexes.problem.empty())
      status.invalid("completedIndexes", "error parsing completedIndexes: " + indexes.problem);
    if (job.string_at({"spec", "completionMode"}) != "Indexed")
      status.invalid("completedIndexes",
                     "cannot set non-empty completedIndexes when non-indexed completion mode");
  }
  if (status.has("failedIndexes") && !job.int_at({"spec", "backoffLimitPerIndex"}))
    status.invalid("failedIndexes",
                   "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  const auto ready = status.number("ready");
  if (ready && *ready > status.number("active").value_or(0))
    status.invalid("ready", "cannot set more ready pods than active");
}

constexpr Rule kJobStatusRules[] = {rules::call(check_job_end), rules::call(check_job_indexes)};

constexpr TypeRules kJobStatusTypes[] = {
    {"batch.v1.JobStatus", kJobStatusRules},
};

}  // namespace

IndexSet read_indexes(std::string_view text, std::int64_t completions) {
  IndexSet out;
  if (text.empty()) return out;
  std::int64_t last = -1;
  for (const std::string_view interval : go::split(text, ',')) {
    const auto limits = go::split(interval, '-');
    if (limits.size() > 2) {
      out.problem = "the fragment " + go::quote(interval) +
                    " violates the requirement that an index interval can have at most two parts "
                    "separated by '-'";
      return {0, out.problem};
    }
    const auto first = read_index(limits[0], completions, last, out.problem);
    if (!first) return {0, out.problem};
    ++out.count;
    last = *first;
    if (limits.size() == 1) continue;
    const auto end = read_index(limits[1], completions, last, out.problem);
    if (!end) return {0, out.problem};
    out.count += *end - *first;
    last = *end;
  }
  return out;
}

std::span<const TypeRules> job_status_types() {
  return kJobStatusTypes;
}

}  // namespace kube::apiserver
