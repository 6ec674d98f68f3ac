// SPDX-License-Identifier: Apache-2.0
//
// Jobs and cron jobs.
#include <string>

#include <kube/names/go_text.hpp>
#include <kube/names/time.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

// A job selects the pods that have its uid, unless it brings a selector.
void generate_selector(json::Value& job) {
  const json::Value uid(metadata_text(job, "uid"));
  const json::Value name(metadata_text(job, "name"));
  json::Object& pod = child(spec_in(job), "template");
  json::Object& labels = child(child(pod, "metadata"), "labels");
  for (const std::string_view label : {"job-name", "batch.kubernetes.io/job-name"})
    set_default(labels, label, name);
  for (const std::string_view label : {"controller-uid", "batch.kubernetes.io/controller-uid"})
    set_default(labels, label, uid);
  set_default(child(child(spec_in(job), "selector"), "matchLabels"),
              "batch.kubernetes.io/controller-uid", uid);
}

void prepare_job(json::Value& job, const json::Value* before, const std::string& /*now*/) {
  if (before == nullptr && !job.true_at({"spec", "manualSelector"})) generate_selector(job);
  // The labels of its pods, the generated ones too, are those of a job without any.
  const json::Value* labels = job.at_path({"spec", "template", "metadata", "labels"});
  const json::Value* own = job.at_path({"metadata", "labels"});
  const auto is_empty = [](const json::Value* map) {
    return map == nullptr || !map->is_object() || map->if_object()->empty();
  };
  if (!is_empty(labels) && is_empty(own)) {
    json::Value copy = *labels;
    metadata_of(job).set("labels", std::move(copy));
  }
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

std::string unknown_job_field(std::string_view label) {
  return "field label " + go::quote(label) + " not supported for Job";
}

constexpr KindRules kJobRules[] = {
    {.group = "batch",
     .resource = "jobs",
     .orphans_dependents = true,
     .deletion_warning =
         "child pods are preserved by default when jobs are deleted; set "
         "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to "
         "suppress this warning",
     .fields = kJobFields,
     .unknown_field = unknown_job_field,
     .cells = kJobCells,
     .prepare = prepare_job},
    {.group = "batch", .resource = "cronjobs", .cells = kCronJobCells},
};

}  // namespace

Kinds job_kinds() {
  return kJobRules;
}

}  // namespace kube::serving
