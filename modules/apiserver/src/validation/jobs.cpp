// SPDX-License-Identifier: Apache-2.0
//
// Jobs and CronJobs.
#include <algorithm>

#include <kube/base/ascii.hpp>
#include <kube/names/go_text.hpp>

#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"
#include "validation/job_indexes.hpp"
#include "validation/schedule.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kCompletionModes[] = {"NonIndexed", "Indexed"};
constexpr std::string_view kReplacementPolicies[] = {"Failed", "TerminatingOrFailed"};
constexpr std::string_view kFailed[] = {"Failed"};
constexpr std::string_view kJobRestartPolicies[] = {"OnFailure", "Never"};
constexpr std::string_view kFailureActions[] = {"Count", "FailIndex", "FailJob", "Ignore"};
constexpr std::string_view kConditionStatuses[] = {"False", "True", "Unknown"};
constexpr std::string_view kCodeOperators[] = {"In", "NotIn"};
constexpr std::string_view kConcurrencyPolicies[] = {"Allow", "Forbid", "Replace"};
constexpr std::int64_t kMaxIndexes = 100'000;
constexpr std::int64_t kMaxWithManyIndexes = 10'000;

// "[\"a\" \"b\"]", as Go prints a list of texts.
std::string quoted_list(Words words) {
  std::string out = "[";
  for (const std::string_view word : words) {
    if (out.size() > 1) out += ' ';
    out += go::quote(word);
  }
  return out + "]";
}

void check_managed_by(const Place& spec) {
  if (!spec.has("managedBy")) return;
  const std::string_view name = spec.text("managedBy");
  if (name.empty()) {
    spec.required("managedBy");
  } else {
    check_domain_path(spec, "managedBy");
  }
  if (name.size() > 63) spec.report(FieldError::too_long(spec.path("managedBy"), 63));
}

void check_max_failed(const Place& spec) {
  if (spec.has("maxFailedIndexes") && !spec.has("backoffLimitPerIndex"))
    spec.required("backoffLimitPerIndex", "when maxFailedIndexes is specified");
}

void check_many_indexes(const Place& spec) {
  const auto completions = spec.number("completions");
  if (!completions || *completions <= kMaxIndexes || !spec.has("backoffLimitPerIndex")) return;
  if (!spec.has("maxFailedIndexes"))
    spec.required("maxFailedIndexes", "must be specified when completions is above 100000");
  for (const std::string_view field : {"parallelism", "maxFailedIndexes"}) {
    if (spec.number(field).value_or(0) > kMaxWithManyIndexes)
      spec.invalid(field,
                   "must be less than or equal to 10000 when completions are above 100000 and used "
                   "with backoff limit per index");
  }
}

void check_indexed(const Place& spec) {
  const auto completions = spec.number("completions");
  const auto failed = spec.number("maxFailedIndexes");
  if (!completions) spec.required("completions", "when completion mode is Indexed");
  if (spec.number("parallelism").value_or(0) > kMaxIndexes)
    spec.invalid("parallelism",
                 "must be less than or equal to 100000 when completion mode is Indexed");
  if (completions && failed && *failed > *completions)
    spec.invalid("maxFailedIndexes", "must be less than or equal to completions");
  if (failed && *failed > kMaxIndexes)
    spec.invalid("maxFailedIndexes", "must be less than or equal to 100000");
  check_many_indexes(spec);
}

void check_completion_mode(const Place& spec) {
  const std::string_view mode =
      spec.has("completionMode") ? spec.text("completionMode") : std::string_view("NonIndexed");
  if (std::ranges::find(kCompletionModes, mode) == std::end(kCompletionModes))
    spec.not_supported("completionMode", kCompletionModes);
  if (mode == "Indexed") check_indexed(spec);
  if (mode != "NonIndexed") return;
  for (const std::string_view field : {"backoffLimitPerIndex", "maxFailedIndexes"})
    if (spec.has(field)) spec.invalid(field, "requires indexed completion mode");
}

std::set<std::string_view> container_names(const Place& spec) {
  std::set<std::string_view> names;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const json::Value& each : spec.value().array_at({"template", "spec", list}))
      names.insert(each.string_at({"name"}));
  }
  return names;
}

// A word that is required, with the words that are valid in the text.
void check_valid_word(const Place& place, std::string_view field, Words words) {
  if (place.is_empty(field)) {
    place.required(field, "valid values: " + quoted_list(words));
  } else if (std::ranges::find(words, place.text(field)) == words.end()) {
    place.not_supported(field, words);
  }
}

void check_exit_values(const Place& codes) {
  constexpr std::size_t kMax = 255;
  const json::Array& values = codes.list("values");
  const FieldPath path = codes.path("values");
  if (values.empty()) {
    codes.report(
        FieldError::invalid(path, codes.shown_own("values"), "at least one value is required"));
  } else if (values.size() > kMax) {
    codes.report(FieldError::too_many(path, values.size(), kMax));
  }
  const bool in = codes.text("operator") == "In";
  std::set<std::int64_t> seen;
  bool ordered = true;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t value = values[i].if_int() == nullptr ? 0 : *values[i].if_int();
    if (in && value == 0)
      codes.report(FieldError::invalid(path.index(i), value, "must not be 0 for the In operator"));
    if (!seen.insert(value).second) codes.report(FieldError::duplicate(path.index(i), value));
    ordered = ordered && (i == 0 || last <= value);
    last = value;
  }
  if (!ordered) codes.invalid("values", "must be ordered");
}

void check_exit_codes(const Place& codes, const std::set<std::string_view>& containers) {
  check_valid_word(codes, "operator", kCodeOperators);
  if (codes.has("containerName") && !containers.contains(codes.text("containerName")))
    codes.invalid("containerName",
                  "must be one of the container or initContainer names in the pod template");
  check_exit_values(codes);
}

void check_pod_condition(const Place& pattern) {
  pattern.problems("type", meta::validate_qualified_name(pattern.text("type")));
  // The default is True.
  if (!pattern.is_empty("status")) check_valid_word(pattern, "status", kConditionStatuses);
}

void check_failure_rule(const Place& rule, const Place& spec,
                        const std::set<std::string_view>& containers) {
  constexpr std::size_t kMaxPatterns = 20;
  if (rule.text("action") == "FailIndex") {
    if (!spec.has("backoffLimitPerIndex"))
      rule.invalid("action", "requires the backoffLimitPerIndex to be set");
  } else {
    check_valid_word(rule, "action", kFailureActions);
  }
  rule.each("onExitCodes", [&](const Place& codes) { check_exit_codes(codes, containers); });
  const std::size_t patterns = rule.list("onPodConditions").size();
  if (patterns > kMaxPatterns)
    rule.report(FieldError::too_many(rule.path("onPodConditions"), patterns, kMaxPatterns));
  rule.each("onPodConditions", check_pod_condition);
  const auto report = [&](std::string detail) {
    FieldError error = FieldError::invalid(rule.path(), nullptr, std::move(detail));
    error.bad_value.reset();
    rule.report(std::move(error));
  };
  if (rule.has("onExitCodes") && patterns > 0)
    report("specifying both OnExitCodes and OnPodConditions is not supported");
  if (!rule.has("onExitCodes") && patterns == 0)
    report("specifying one of OnExitCodes and OnPodConditions is required");
}

void check_failure_policy(const Place& spec) {
  constexpr std::size_t kMaxRules = 20;
  const auto containers = container_names(spec);
  spec.each("podFailurePolicy", [&](const Place& policy) {
    const std::size_t count = policy.list("rules").size();
    if (count > kMaxRules)
      policy.report(FieldError::too_many(policy.path("rules"), count, kMaxRules));
    policy.each("rules", [&](const Place& rule) { check_failure_rule(rule, spec, containers); });
  });
}

void check_success_rule(const Place& rule, std::int64_t completions) {
  const auto count = rule.number("succeededCount");
  const bool indexed = rule.has("succeededIndexes");
  if (!count && !indexed)
    rule.report(FieldError::required(
        rule.path(), "at least one of succeededCount or succeededIndexes must be specified"));
  const IndexSet indexes = read_indexes(rule.text("succeededIndexes"), completions);
  if (!indexes.problem.empty())
    rule.invalid("succeededIndexes", "error parsing succeededIndexes: " + indexes.problem);
  if (!count) return;
  if (*count < 0) rule.invalid("succeededCount", "must be greater than or equal to 0");
  if (*count > completions)
    rule.invalid("succeededCount", "must be less than or equal to " + std::to_string(completions) +
                                       " (the number of specified completions)");
  if (indexed && *count > indexes.count)
    rule.invalid("succeededCount",
                 "must be less than or equal to " + std::to_string(indexes.count) +
                     " (the number of indexes in the specified succeededIndexes field)");
}

void check_success_policy(const Place& spec) {
  constexpr std::size_t kMaxRules = 20;
  if (!spec.has("successPolicy")) return;
  if (spec.text("completionMode") != "Indexed") {
    spec.each("successPolicy", [](const Place& policy) {
      policy.report(FieldError::invalid(policy.path(), policy.shown_whole(),
                                        "requires indexed completion mode"));
    });
    return;
  }
  spec.each("successPolicy", [&](const Place& policy) {
    const std::size_t count = policy.list("rules").size();
    if (count == 0)
      policy.required("rules",
                      "at least one rules must be specified when the successPolicy is specified");
    if (count > kMaxRules)
      policy.report(FieldError::too_many(policy.path("rules"), count, kMaxRules));
    policy.each("rules", [&](const Place& rule) {
      check_success_rule(rule, spec.number("completions").value_or(1));
    });
  });
}

void check_replacement_policy(const Place& spec) {
  if (!spec.has("podReplacementPolicy")) return;
  const Words words = spec.has("podFailurePolicy") ? Words(kFailed) : Words(kReplacementPolicies);
  if (std::ranges::find(words, spec.text("podReplacementPolicy")) == words.end())
    spec.not_supported("podReplacementPolicy", words);
}

void check_job_restart(const Place& spec) {
  const std::string_view policy = spec.value().string_at({"template", "spec", "restartPolicy"});
  const FieldPath path = spec.path("template").child("spec").child("restartPolicy");
  if (policy.empty() || policy == "Always") {
    spec.report(FieldError::required(path, "valid values: \"OnFailure\", \"Never\""));
  } else if (policy != "OnFailure" && policy != "Never") {
    spec.report(FieldError::not_supported(path, policy, texts_of(kJobRestartPolicies)));
  } else if (spec.has("podFailurePolicy") && policy != "Never") {
    spec.report(FieldError::invalid(
        path, policy, "only \"Never\" is supported when podFailurePolicy is specified"));
  }
}

// The selector of a new Job is generated before; a template's comes with each Job.
void check_job_selector(const Place& spec) {
  const Place* owner = spec.parent();
  if (owner != nullptr && owner->type().name.ends_with(".JobTemplateSpec")) {
    if (spec.has("selector")) spec.invalid("selector", "`selector` will be auto-generated");
    if (spec.is_true("manualSelector"))
      spec.report(FieldError::not_supported(spec.path("manualSelector"), true, {"nil", "false"}));
    return;
  }
  const bool by_client = spec.is_true("manualSelector") || spec.walk().before != nullptr;
  if (spec.has("selector")) {
    spec.into("selector");
  } else if (by_client) {
    spec.required("selector");
  }
  if (by_client || spec.has("selector")) check_template_labels(spec, false);
}

// A selector that the server did not generate is refused, unless the user takes care of it.
void check_generated_selector(const Place& job) {
  constexpr std::string_view kLabels[][2] = {{"controller-uid", "uid"},
                                             {"job-name", "name"},
                                             {"batch.kubernetes.io/controller-uid", "uid"},
                                             {"batch.kubernetes.io/job-name", "name"}};
  const json::Value* selector = job.value().at_path({"spec", "selector"});
  if (selector == nullptr || job.walk().before != nullptr ||
      job.value().true_at({"spec", "manualSelector"}))
    return;
  const json::Value* pod = job.value().at_path({"spec", "template"});
  const labels::Set found = pod == nullptr ? labels::Set{} : labels_of(*pod);
  labels::Set expected;
  for (const auto& [label, field] : kLabels) {
    const std::string value(job.value().string_at({"metadata", field}));
    const FieldPath path =
        job.path("spec").child("template").child("metadata").child("labels").key(label);
    const auto given = found.find(label);
    expected.emplace(label, value);
    if (given == found.end()) {
      job.report(FieldError::required(path, "must be '" + value + "'"));
    } else if (given->second != value) {
      job.report(FieldError::invalid(path,
                                     json::sorted_members(*pod->at_path({"metadata", "labels"})),
                                     "must be '" + value + "'"));
    }
  }
  const auto wanted = labels::from_label_selector(*selector);
  if (wanted && !wanted->matches(expected))
    job.each("spec",
             [](const Place& spec) { spec.invalid("selector", "`selector` not auto-generated"); });
}

void check_job_name(const Place& job) {
  const std::string_view name = job.value().string_at({"metadata", "name"});
  const auto completions = job.value().int_at({"spec", "completions"});
  if (job.value().string_at({"spec", "completionMode"}) != "Indexed" || !completions ||
      *completions <= 0)
    return;
  const std::string host = std::string(name) + "-" + std::to_string(*completions - 1);
  if (!meta::validate_dns1123_label(host).empty())
    job.report(FieldError::invalid(job.path("metadata").child("name"), name,
                                   "will not able to create pod with invalid DNS label: " + host));
}

void check_cron_job_name(const Place& job) {
  constexpr std::size_t kMax = 52;
  const std::string_view name = job.value().string_at({"metadata", "name"});
  if (name.size() > kMax && job.walk().before == nullptr)
    job.report(FieldError::invalid(job.path("metadata").child("name"), name,
                                   "must be no more than 52 characters"));
}

void check_schedule(const Place& spec) {
  const std::string_view schedule = spec.text("schedule");
  if (schedule.empty()) {
    spec.required_late("schedule");
    return;
  }
  if (auto problem = schedule_problem(schedule)) spec.invalid("schedule", *problem);
  if (schedule.find("TZ") == std::string_view::npos) return;
  const bool had_zone =
      spec.walk().before != nullptr &&
      spec.walk().before->string_at({"spec", "schedule"}).find("TZ") != std::string_view::npos;
  if (!had_zone) {
    spec.invalid("schedule", "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (spec.has("timeZone")) {
    spec.invalid("schedule", "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

bool is_zone_part(std::string_view part) {
  return !part.empty() && part.size() <= 14 && part != "." && part != ".." &&
         !part.starts_with('-') && std::ranges::all_of(part, [](char c) {
           return ascii::is_alnum(c) || std::string_view(".-_+").find(c) != std::string_view::npos;
         });
}

void check_time_zone(const Place& spec) {
  if (!spec.has("timeZone")) return;
  const std::string_view zone = spec.text("timeZone");
  const std::string unknown = "unknown time zone " + std::string(zone);
  if (zone.empty()) return spec.invalid("timeZone", "timeZone must be nil or non-empty string");
  if (!std::ranges::all_of(go::split(zone, '/'), is_zone_part))
    return spec.invalid("timeZone", unknown);
  if (ascii::to_lower(zone) == "local")
    spec.invalid("timeZone",
                 "timeZone must be an explicit time zone as defined in "
                 "https://www.iana.org/time-zones");
  if (const auto problem = zone_problem(zone)) spec.invalid("timeZone", *problem);
}

constexpr Rule kJobRules[] = {rules::call(check_generated_selector), rules::into("spec"),
                              rules::call(check_job_name)};
constexpr Rule kJobSpecRules[] = {rules::not_negative("parallelism"),
                                  rules::not_negative("completions"),
                                  rules::not_negative("activeDeadlineSeconds"),
                                  rules::not_negative("backoffLimit"),
                                  rules::not_negative("ttlSecondsAfterFinished"),
                                  rules::not_negative("backoffLimitPerIndex"),
                                  rules::not_negative("maxFailedIndexes"),
                                  rules::call(check_max_failed),
                                  rules::call(check_managed_by),
                                  rules::call(check_completion_mode),
                                  rules::call("podFailurePolicy", check_failure_policy),
                                  rules::call("successPolicy", check_success_policy),
                                  rules::call(check_replacement_policy),
                                  rules::into("template"),
                                  rules::call(check_job_restart),
                                  rules::call("selector", check_job_selector)};
constexpr Rule kCronJobRules[] = {rules::into("spec"), rules::call(check_cron_job_name)};
constexpr Rule kCronJobSpecRules[] = {rules::call(check_schedule),
                                      rules::not_negative("startingDeadlineSeconds"),
                                      rules::call(check_time_zone),
                                      rules::one_of("concurrencyPolicy", kConcurrencyPolicies),
                                      rules::into("jobTemplate"),
                                      rules::not_negative("successfulJobsHistoryLimit"),
                                      rules::not_negative("failedJobsHistoryLimit")};
constexpr Rule kJobTemplateRules[] = {rules::skip("metadata"), rules::into("spec")};

constexpr TypeRules kJobTypes[] = {
    {"batch.v1.Job", kJobRules},
    {"batch.v1.JobSpec", kJobSpecRules},
    {"batch.v1.CronJob", kCronJobRules},
    {"batch.v1.CronJobSpec", kCronJobSpecRules},
    {"batch.v1.JobTemplateSpec", kJobTemplateRules},
};

}  // namespace

std::span<const TypeRules> job_types() {
  return kJobTypes;
}

}  // namespace kube::apiserver
