// SPDX-License-Identifier: Apache-2.0
//
// Jobs and cron jobs.
#include <string>

#include <kube/names/time.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"
#include "kinds/pod_template.hpp"

namespace kube::serving {
namespace {

void default_job_spec(json::Object& spec) {
  default_template(spec);
  if (spec.find("completions") == nullptr && spec.find("parallelism") == nullptr) {
    spec.set("completions", 1);
  }
  set_default(spec, "parallelism", 1);
  set_default(spec, "backoffLimit", 6);
  set_default(spec, "completionMode", "NonIndexed");
  set_default(spec, "suspend", false);
}

void default_job(json::Value& job) {
  default_job_spec(spec_in(job));
}

void default_cron_job(json::Value& object) {
  json::Object& spec = spec_in(object);
  set_default(spec, "concurrencyPolicy", "Allow");
  set_default(spec, "suspend", false);
  set_default(spec, "successfulJobsHistoryLimit", 3);
  set_default(spec, "failedJobsHistoryLimit", 1);
  default_job_spec(child(child(spec, "jobTemplate"), "spec"));
}

meta::FieldErrors validate_job(const json::Value& after, const json::Value* before) {
  meta::FieldErrors errors;
  if (before == nullptr) return errors;
  for (const std::string_view member : {"selector", "template", "completionMode"}) {
    // The template of a suspended job may still change, for its scheduling.
    if (member == "template" && before->true_at({"spec", "suspend"})) continue;
    if (same_member(after, *before, {"spec", member})) continue;
    errors.push_back(immutable_field(after, member));
  }
  return errors;
}

std::string out_of(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + "/" + std::to_string(whole);
}

json::Value job_status(const CellInput& input) {
  const json::Value& job = input.object;
  if (is_condition_true(job, "Complete")) return "Complete";
  if (is_condition_true(job, "Failed")) return "Failed";
  if (!metadata_text(job, "deletionTimestamp").empty()) return "Terminating";
  if (is_condition_true(job, "Suspended")) return "Suspended";
  if (is_condition_true(job, "FailureTarget")) return "FailureTarget";
  return "Running";
}

json::Value job_completions(const CellInput& input) {
  const std::int64_t succeeded = input.object.int_at({"status", "succeeded"}).value_or(0);
  if (const std::int64_t wanted = input.object.int_at({"spec", "completions"}).value_or(-1);
      wanted >= 0) {
    return out_of(succeeded, wanted);
  }
  const std::int64_t parallelism = input.object.int_at({"spec", "parallelism"}).value_or(0);
  std::string out = out_of(succeeded, 1);
  if (parallelism > 1) out += " of " + std::to_string(parallelism);
  return out;
}

json::Value job_duration(const CellInput& input) {
  const auto start = meta::Time::parse(input.object.string_at({"status", "startTime"}));
  if (!start) return "";
  const auto end = meta::Time::parse(input.object.string_at({"status", "completionTime"}));
  const WallTime until =
      end ? std::chrono::time_point_cast<Duration>(end->to_wall_time()) : input.now;
  return meta::human_duration(until -
                              std::chrono::time_point_cast<Duration>(start->to_wall_time()));
}

json::Value suspended(const CellInput& input) {
  if (input.found.empty() || !input.found.front()->is_bool()) return "<unset>";
  return *input.found.front()->if_bool() ? "True" : "False";
}

constexpr Cell kJobCells[] = {
    {"Status", job_status},      {"Completions", job_completions}, {"Duration", job_duration},
    {"Containers", cells::list}, {"Images", cells::list},          {"Selector", cells::selector},
};
constexpr Cell kCronJobCells[] = {
    {"Timezone", cells::text, "<none>"},
    {"Suspend", suspended},
    {"Active", cells::count},
    {"Last Schedule", cells::elapsed, "<none>"},
    {"Containers", cells::list},
    {"Images", cells::list},
    {"Selector", cells::selector},
};

constexpr FieldRule kJobFields[] = {{"status.successful", "status.succeeded", "0"}};

constexpr KindRules kJobRules[] = {
    {.group = "batch",
     .resource = "jobs",
     .orphans_dependents = true,
     .deletion_warning =
         "child pods are preserved by default when jobs are deleted; set "
         "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to "
         "suppress this warning",
     .fields = kJobFields,
     .cells = kJobCells,
     .defaults = default_job,
     .validate = validate_job},
    {.group = "batch",
     .resource = "cronjobs",
     .cells = kCronJobCells,
     .defaults = default_cron_job},
};

}  // namespace

Kinds job_kinds() {
  return kJobRules;
}

}  // namespace kube::serving
