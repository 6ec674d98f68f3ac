// SPDX-License-Identifier: Apache-2.0
#include <kube/validation/options_validation.hpp>

#include <algorithm>
#include <cstdio>

#include <kube/base/utf8.hpp>
#include <kube/names/go_text.hpp>

namespace kube {

namespace {

using meta::FieldError;
using meta::FieldErrors;
using meta::FieldPath;

constexpr std::size_t kMaxFieldManagerBytes = 128;

void check_dry_run(const std::vector<std::string>& dry_run, FieldErrors& errors) {
  if (std::all_of(dry_run.begin(), dry_run.end(), [](const auto& word) { return word == "All"; })) {
    return;
  }
  errors.push_back(FieldError::not_supported(FieldPath("dryRun"),
                                             json::Array(dry_run.begin(), dry_run.end()), {"All"}));
}

std::string code_point(char32_t rune) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(rune));
  return text;
}

void check_field_manager(const std::string& manager, FieldErrors& errors) {
  const FieldPath path("fieldManager");
  if (manager.size() > kMaxFieldManagerBytes) {
    errors.push_back(FieldError::too_long(path, kMaxFieldManagerBytes));
  }
  for (std::size_t at = 0; at < manager.size();) {
    const std::size_t start = at;
    const char32_t rune = next_code_point(manager, &at);
    if (go::is_printable(rune)) continue;
    errors.push_back(FieldError::invalid(
        path, manager,
        "invalid character " + code_point(rune) + " (at position " + std::to_string(start) + ')'));
  }
}

void check_field_validation(const std::string& validation, FieldErrors& errors) {
  for (const std::string_view word : {"", "Ignore", "Strict", "Warn"}) {
    if (validation == word) return;
  }
  errors.push_back(FieldError::not_supported(FieldPath("fieldValidation"), validation,
                                             {"", "Ignore", "Strict", "Warn"}));
}

template <class Options>
void check_write(const Options& options, FieldErrors& errors) {
  check_field_manager(options.field_manager, errors);
  check_dry_run(options.dry_run, errors);
  check_field_validation(options.field_validation, errors);
}

FieldErrors check_watch(const ListOptions& options) {
  FieldErrors errors;
  const FieldPath match("resourceVersionMatch");
  if (options.send_initial_events && options.resource_version_match != "NotOlderThan") {
    errors.push_back(FieldError::forbidden(
        match, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (options.resource_version_match.empty()) return errors;
  if (!options.send_initial_events) {
    errors.push_back(FieldError::forbidden(
        match, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (options.resource_version_match != "NotOlderThan") {
    errors.push_back(
        FieldError::not_supported(match, options.resource_version_match, {"NotOlderThan"}));
  }
  if (!options.continue_.empty()) {
    errors.push_back(FieldError::forbidden(
        match, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return errors;
}

FieldErrors check_list(const ListOptions& options) {
  FieldErrors errors;
  const FieldPath path("resourceVersionMatch");
  if (const std::string& match = options.resource_version_match; !match.empty()) {
    if (options.resource_version.empty()) {
      errors.push_back(FieldError::forbidden(
          path, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (!options.continue_.empty()) {
      errors.push_back(FieldError::forbidden(
          path, "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (match != "Exact" && match != "NotOlderThan") {
      errors.push_back(FieldError::not_supported(path, match, {"Exact", "NotOlderThan", ""}));
    }
    if (match == "Exact" && options.resource_version == "0") {
      errors.push_back(FieldError::forbidden(
          path, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
    }
  }
  if (options.send_initial_events) {
    errors.push_back(FieldError::forbidden(FieldPath("sendInitialEvents"),
                                           "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

}  // namespace

FieldErrors validate(const ListOptions& options, bool watch) {
  return watch ? check_watch(options) : check_list(options);
}

FieldErrors validate(const CreateOptions& options) {
  FieldErrors errors;
  check_write(options, errors);
  return errors;
}

FieldErrors validate(const UpdateOptions& options) {
  FieldErrors errors;
  check_write(options, errors);
  return errors;
}

FieldErrors validate(const PatchOptions& options, Patch::Type type) {
  FieldErrors errors;
  if (type == Patch::Type::Apply) {
    if (options.field_manager.empty()) {
      errors.push_back(
          FieldError::required(FieldPath("fieldManager"), "is required for apply patch"));
    }
  } else if (options.force) {
    errors.push_back(
        FieldError::forbidden(FieldPath("force"), "may not be specified for non-apply patch"));
  }
  check_write(options, errors);
  return errors;
}

FieldErrors validate(const DeleteOptions& options) {
  FieldErrors errors;
  const std::string policy = options.propagation_policy.value_or("");
  const FieldPath policy_path("propagationPolicy");
  if (options.orphan_dependents && !policy.empty()) {
    errors.push_back(FieldError::invalid(
        policy_path, policy, "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (!policy.empty() && policy != "Foreground" && policy != "Background" && policy != "Orphan") {
    errors.push_back(FieldError::not_supported(policy_path, policy,
                                               {"Foreground", "Background", "Orphan", "nil"}));
  }
  check_dry_run(options.dry_run, errors);
  if (options.ignore_store_read_error_with_cluster_breaking_potential.value_or(false)) {
    const FieldPath path("ignoreStoreReadErrorWithClusterBreakingPotential");
    const auto forbid = [&](bool set, const char* what) {
      if (set) {
        errors.push_back(
            FieldError::invalid(path, true, std::string("cannot be set together with .") + what));
      }
    };
    forbid(!policy.empty(), "propagationPolicy");
    forbid(options.orphan_dependents.has_value(), "orphanDependents");
    forbid(options.grace_period_seconds.has_value(), "gracePeriodSeconds");
    forbid(options.preconditions.has_value(), "preconditions");
  }
  return errors;
}

}  // namespace kube
