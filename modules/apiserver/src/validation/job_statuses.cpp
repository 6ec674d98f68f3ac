// SPDX-License-Identifier: Apache-2.0
//
// The status of a Job, and the indexes that it counts.
#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>

#include <kube/names/go_text.hpp>

#include "validation/groups.hpp"
#include "validation/job_indexes.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

using Interval = std::pair<std::int64_t, std::int64_t>;

// Reads one index, which may have a sign.
std::optional<std::int64_t> read_index(std::string_view text, std::int64_t completions,
                                       std::string& problem) {
  std::int64_t index = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, index);
  if (read.ec != std::errc{} || read.ptr != end) {
    problem = "cannot convert string to integer for index: " + go::quote(text);
  } else if (index >= completions) {
    problem = "too large index: " + go::quote(text);
  } else {
    return index;
  }
  return std::nullopt;
}

std::string order_problem(std::int64_t previous, std::int64_t current) {
  return "non-increasing order, previous: " + std::to_string(previous) +
         ", current: " + std::to_string(current);
}

// Reads "1" or "1-3".
std::optional<Interval> read_interval(std::string_view text, std::int64_t completions,
                                      std::string& problem) {
  const auto limits = go::split(text, '-');
  if (limits.size() > 2) {
    problem = "the fragment " + go::quote(text) +
              " violates the requirement that an index interval can have at most two parts "
              "separated by '-'";
    return std::nullopt;
  }
  const auto first = read_index(limits[0], completions, problem);
  if (!first) return std::nullopt;
  if (limits.size() == 1) return Interval{*first, *first};
  const auto end = read_index(limits[1], completions, problem);
  if (!end) return std::nullopt;
  if (*first < *end) return Interval{*first, *end};
  problem = order_problem(*first, *end);
  return std::nullopt;
}

bool has_condition(const json::Value& status, std::string_view type, std::string_view is = "True") {
  return std::ranges::any_of(status.array_at({"conditions"}), [&](const json::Value& each) {
    return each.string_at({"type"}) == type && each.string_at({"status"}) == is;
  });
}

void report_conditions(const Place& status, std::string detail) {
  FieldError error = FieldError::invalid(status.path("conditions"), {}, std::move(detail));
  error.bad_value.reset();
  status.report(std::move(error));
}

/// What a write of the status changes: most rules look at what is new alone, so that a job whose
/// spec no longer fits its status can be mended.
class StatusChange {
 public:
  explicit StatusChange(const Place& status)
      : next_(status.value()), old_(status_before(status.walk().before)) {}

  const json::Value& old() const { return old_; }
  bool has(std::string_view condition) const { return has_condition(next_, condition); }
  bool had(std::string_view condition) const { return has_condition(old_, condition); }
  bool is_finished() const { return has("Complete") || has("Failed"); }

  bool of_field(std::string_view field) const {
    return value_in(next_, field) != value_in(old_, field);
  }
  bool of_condition(std::string_view type) const { return has(type) != had(type); }
  bool of_end() const { return is_finished() != (had("Complete") || had("Failed")); }

 private:
  static const json::Value& value_in(const json::Value& object, std::string_view field) {
    static const json::Value absent;
    const json::Value* found = object.at_path({field});
    return found == nullptr ? absent : *found;
  }
  static const json::Value& status_before(const json::Value* job) {
    static const json::Value absent;
    return job == nullptr ? absent : value_in(*job, "status");
  }

  const json::Value& next_;
  const json::Value& old_;
};

void check_uncounted_pods(const Place& status) {
  std::set<std::string_view> seen;
  status.each("uncountedTerminatedPods", [&seen](const Place& pods) {
    for (const std::string_view field : {"succeeded", "failed"}) {
      const json::Array& list = pods.list(field);
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string_view uid = list[i].string_or_empty();
        if (uid.empty()) {
          pods.report(FieldError::invalid(pods.path(field, i), uid, "must not be empty"));
        } else if (!seen.insert(uid).second) {
          pods.report(FieldError::duplicate(pods.path(field, i), uid));
        }
      }
    }
  });
}

void check_completion(const Place& status, const StatusChange& change) {
  const bool complete = change.has("Complete");
  const bool completes = change.of_condition("Complete");
  const bool ends = completes || change.of_field("completionTime");
  if (complete && change.has("Failed") && (completes || change.of_condition("Failed")))
    report_conditions(status, "cannot set Complete=True and Failed=true conditions");
  if (complete && change.has("FailureTarget") &&
      (completes || change.of_condition("FailureTarget")))
    report_conditions(status, "cannot set Complete=True and FailureTarget=true conditions");
  if (!complete && status.has("completionTime") && ends)
    status.invalid("completionTime",
                   "cannot set completionTime when there is no Complete=True condition");
  if (complete && !status.has("completionTime") && ends)
    status.required("completionTime", "completionTime is required for Complete jobs");
  // Times have one form, in which the earlier one is less.
  if (status.has("startTime") && status.has("completionTime") &&
      status.text("completionTime") < status.text("startTime") &&
      (change.of_field("startTime") || change.of_field("completionTime")))
    status.invalid("completionTime", "must be equal to or after `startTime`");
  if (change.has("Failed") && !change.has("FailureTarget") &&
      (change.of_condition("Failed") || change.of_field("failedIndexes")))
    report_conditions(status,
                      "cannot set Failed=True condition without the FailureTarget=true condition");
  if (complete && !change.has("SuccessCriteriaMet") &&
      (completes || change.of_condition("SuccessCriteriaMet")))
    report_conditions(
        status, "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
}

void check_finished(const Place& status, const StatusChange& change) {
  if (!change.is_finished()) return;
  const json::Value& job = status.root().value();
  const bool ends = change.of_end();
  if (status.number("active").value_or(0) > 0 && (ends || change.of_field("active")))
    status.invalid("active", "active>0 is invalid for finished job");
  const bool never_starts =
      job.true_at({"spec", "suspend"}) && job.int_at({"spec", "completions"}) == 0;
  if (!status.has("startTime") && !never_starts && (ends || change.of_field("startTime")))
    status.required("startTime", "startTime is required for finished job");
  status.each("uncountedTerminatedPods", [&](const Place& pods) {
    if ((!pods.is_empty("succeeded") || !pods.is_empty("failed")) &&
        (ends || change.of_field("uncountedTerminatedPods")))
      status.report(
          FieldError::invalid(pods.path(), pods.shown_whole(), "must be empty for finished job"));
  });
}

std::optional<std::int64_t> first_overlap(const IndexSet& completed, const IndexSet& failed) {
  auto c = completed.intervals.begin();
  auto f = failed.intervals.begin();
  while (c != completed.intervals.end() && f != failed.intervals.end()) {
    if (c->first <= f->second && f->first <= c->second) return std::max(c->first, f->first);
    if (c->first <= f->first) {
      ++c;
    } else {
      ++f;
    }
  }
  return std::nullopt;
}

void check_job_indexes(const Place& status, const StatusChange& change) {
  const json::Value& job = status.root().value();
  const auto completions = job.int_at({"spec", "completions"});
  const bool per_index = job.int_at({"spec", "backoffLimitPerIndex"}).has_value();
  const bool of_completed = change.of_field("completedIndexes");
  const bool of_failed = change.of_field("failedIndexes");
  const IndexSet completed = read_indexes(status.text("completedIndexes"), completions.value_or(0));
  const IndexSet failed = read_indexes(status.text("failedIndexes"), completions.value_or(0));
  if (of_completed && completions && !completed.problem.empty())
    status.invalid("completedIndexes", "error parsing completedIndexes: " + completed.problem);
  if (of_failed && completions && per_index && !failed.problem.empty())
    status.invalid("failedIndexes", "error parsing failedIndexes: " + failed.problem);
  if (of_completed && !status.is_empty("completedIndexes") &&
      job.string_at({"spec", "completionMode"}) != "Indexed")
    status.invalid("completedIndexes",
                   "cannot set non-empty completedIndexes when non-indexed completion mode");
  if (of_failed && status.has("failedIndexes") && !per_index)
    status.invalid("failedIndexes",
                   "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  const auto overlap = first_overlap(completed, failed);
  if ((of_completed || of_failed) && completions && overlap)
    status.invalid("failedIndexes", "failedIndexes and completedIndexes overlap at index: " +
                                        std::to_string(*overlap));
}

void check_running(const Place& status, const StatusChange& change) {
  const bool fails = change.has("Failed");
  const bool succeeds = change.has("SuccessCriteriaMet");
  if (status.number("terminating").value_or(0) > 0 && change.is_finished() &&
      (change.of_end() || change.of_field("terminating")))
    status.invalid("terminating", "terminating>0 is invalid for finished job");
  const auto ready = status.number("ready");
  if (ready && *ready > status.number("active").value_or(0) &&
      (change.of_field("ready") || change.of_field("active")))
    status.invalid("ready", "cannot set more ready pods than active");
  if (succeeds && fails)
    report_conditions(status, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (succeeds && change.has("FailureTarget"))
    report_conditions(status,
                      "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  const json::Value* policy = status.root().value().at_path({"spec", "successPolicy"});
  if (policy != nullptr && !policy->is_null() && !succeeds && change.has("Complete"))
    report_conditions(status,
                      "cannot set Complete=True for Job with SuccessPolicy unless "
                      "SuccessCriteriaMet=True");
}

void check_counts_change(const Place& status, const StatusChange& change) {
  const json::Value& job = status.root().value();
  const auto decreases = [&](std::string_view field) {
    return status.number(field).value_or(0) < change.old().int_at({field}).value_or(0);
  };
  if (decreases("failed"))
    status.invalid("failed", status.number("failed").value_or(0),
                   "cannot decrease the failed counter");
  // A job with as many pods as indexes may become smaller.
  const bool elastic = job.string_at({"spec", "completionMode"}) == "Indexed" &&
                       job.int_at({"spec", "completions"}) == job.int_at({"spec", "parallelism"});
  if (decreases("succeeded") && !elastic)
    status.invalid("succeeded", status.number("succeeded").value_or(0),
                   "cannot decrease the succeeded counter");
}

void check_times_change(const Place& status, const StatusChange& change) {
  const std::string_view completed = change.old().string_at({"completionTime"});
  if (status.has("completionTime") && !completed.empty() &&
      status.text("completionTime") != completed)
    status.invalid("completionTime", "field is immutable");
  const bool resumes =
      change.had("Suspended") && has_condition(status.value(), "Suspended", "False");
  if (!change.old().string_at({"startTime"}).empty() && change.of_field("startTime") && !resumes &&
      !status.root().value().true_at({"spec", "suspend"}))
    status.report(FieldError::invalid(
        status.path("startTime"),
        status.has("startTime") ? json::Value(status.text("startTime")) : json::Value{},
        "field is immutable for unsuspended job once set"));
}

void check_job_status(const Place& status) {
  const StatusChange change(status);
  check_uncounted_pods(status);
  check_completion(status, change);
  check_finished(status, change);
  check_job_indexes(status, change);
  check_running(status, change);
  for (const std::string_view end : {"Failed", "Complete", "FailureTarget"}) {
    if (change.had(end) && !change.has(end))
      report_conditions(status,
                        "cannot disable the terminal " + std::string(end) + "=True condition");
  }
  check_counts_change(status, change);
  check_times_change(status, change);
  constexpr std::string_view kCriteria = "SuccessCriteriaMet";
  if (change.had(kCriteria) && !change.has(kCriteria))
    report_conditions(status, "cannot disable the SuccessCriteriaMet=True condition");
  if (change.had("Complete") && !change.had(kCriteria) && change.has(kCriteria))
    report_conditions(status,
                      "cannot set SuccessCriteriaMet=True for Job already has Complete=true "
                      "conditions");
}

constexpr Rule kJobStatusRules[] = {
    rules::not_negative("active"),      rules::not_negative("succeeded"),
    rules::not_negative("failed"),      rules::not_negative("ready"),
    rules::not_negative("terminating"), rules::call(check_job_status)};

constexpr TypeRules kJobStatusTypes[] = {
    {"batch.v1.JobStatus", kJobStatusRules},
};

}  // namespace

IndexSet read_indexes(std::string_view text, std::int64_t completions) {
  IndexSet out;
  if (text.empty()) return out;
  for (const std::string_view text_of_one : go::split(text, ',')) {
    std::string problem;
    const auto interval = read_interval(text_of_one, completions, problem);
    if (!interval) {
      if (out.problem.empty()) out.problem = problem;
      continue;
    }
    if (out.problem.empty() && !out.intervals.empty() &&
        out.intervals.back().second >= interval->first)
      out.problem = order_problem(out.intervals.back().second, interval->first);
    out.count += interval->second - interval->first + 1;
    out.intervals.push_back(*interval);
  }
  if (!out.problem.empty()) out.count = 0;
  return out;
}

std::span<const TypeRules> job_status_types() {
  return kJobStatusTypes;
}

}  // namespace kube::apiserver
