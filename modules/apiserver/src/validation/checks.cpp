// SPDX-License-Identifier: Apache-2.0
#include "validation/checks.hpp"

#include <algorithm>
#include <charconv>

#include <kube/base/ascii.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/int_or_string.hpp>
#include <kube/validation/object_meta_validation.hpp>

#include "validation/formats.hpp"

namespace kube::apiserver {

using meta::FieldError;

void report_all(const Place& place, meta::FieldErrors errors) {
  for (FieldError& error : errors) place.report(std::move(error));
}

void check_labels(const Place& place, std::string_view field) {
  if (const json::Value* labels = place.find(field))
    report_all(place, meta::validate_labels(*labels, place.path(field)));
}

void check_label_key(const Place& place, std::string_view field) {
  place.problems(field, meta::validate_qualified_name(place.text(field)));
}

bool check_operator_values(const Place& requirement) {
  const std::string_view op = requirement.text("operator");
  const bool is_set = op == "In" || op == "NotIn";
  const bool is_presence = op == "Exists" || op == "DoesNotExist";
  if (is_set && requirement.is_empty("values"))
    requirement.required("values", "must be specified when `operator` is 'In' or 'NotIn'");
  if (is_presence && !requirement.is_empty("values"))
    requirement.forbidden("values",
                          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  return is_set || is_presence;
}

void check_label_values(const Place& place) {
  const json::Array& values = place.list("values");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view value = values[i].string_or_empty();
    report_problems(place, place.path("values", i), value, meta::validate_label_value(value));
  }
}

void check_name(const Place& place, std::string_view field,
                meta::Problems (*format)(std::string_view)) {
  if (place.is_empty(field)) {
    place.required(field);
  } else {
    place.problems(field, format(place.text(field)));
  }
}

void check_port(const Place& place, std::string_view field) {
  const json::Value* port = place.find(field);
  if (port != nullptr && port->is_string()) {
    place.problems(field, meta::validate_port_name(*port->if_string()));
    return;
  }
  const std::int64_t number = place.number(field).value_or(0);
  for (const std::string& problem : formats::port_number(number))
    place.invalid(field, number, problem);
}

void check_count_or_percent(const Place& place, std::string_view field) {
  const json::Value* value = place.find(field);
  if (value == nullptr) return;
  if (const std::string* text = value->if_string()) {
    place.problems(field, formats::percent(*text));
  } else if (place.number(field).value_or(0) < 0) {
    place.invalid(field, "must be greater than or equal to 0");
  }
}

namespace {

std::optional<std::int64_t> percent_of(const Place& place, std::string_view field) {
  const std::string_view text = place.text(field);
  if (text.empty() || !formats::percent(text).empty()) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size() - 1, number);
  return number;
}

}  // namespace

void check_at_most_all(const Place& place, std::string_view field) {
  if (percent_of(place, field).value_or(0) > 100)
    place.invalid(field, "must not be greater than 100%");
}

std::int64_t count_or_percent(const Place& place, std::string_view field) {
  if (const auto number = place.number(field)) return *number;
  return percent_of(place, field)
      .value_or(meta::IntOrString(std::string(place.text(field))).int_value());
}

labels::Set labels_of(const json::Value& object) {
  labels::Set out;
  const json::Value* labels = object.at_path({"metadata", "labels"});
  if (labels == nullptr || !labels->is_object()) return out;
  for (const auto& [key, value] : *labels->if_object())
    out.emplace(key, std::string(value.string_or_empty()));
  return out;
}

bool check_template_labels(const Place& spec, bool empty_fits_all) {
  const json::Value none;
  const json::Value* given = spec.find("selector");
  const auto selector = labels::from_label_selector(given == nullptr ? none : *given);
  if (!selector) return false;
  if (empty_fits_all && selector->empty()) return true;
  const json::Value* pod = spec.find("template");
  const labels::Set found = pod == nullptr ? labels::Set{} : labels_of(*pod);
  if (selector->matches(found)) return true;
  json::Value shown;
  spec.each("template", [&](const Place& each) {
    each.each("metadata", [&](const Place& metadata) { shown = metadata.shown("labels"); });
  });
  spec.report(FieldError::invalid(spec.path("template").child("metadata").child("labels"),
                                  std::move(shown), "`selector` does not match template `labels`"));
  return true;
}

meta::Problems finalizer_problems(std::string_view name) {
  if (name.find('/') != std::string_view::npos || name == "kubernetes" || name == "orphan" ||
      name == "foregroundDeletion")
    return {};
  return {"name is neither a standard finalizer name nor is it fully qualified"};
}

std::int64_t max_certificate_seconds(std::string_view signer) {
  const std::string_view domain = signer.substr(0, signer.find('/'));
  const bool is_own = domain == "kubernetes.io" || domain.ends_with(".kubernetes.io");
  return std::int64_t{is_own ? 1 : 91} * 24 * 60 * 60;
}

void check_signer_name(const Place& place, std::string_view field) {
  const std::string_view name = place.text(field);
  if (name.empty()) return place.required(field);
  const auto parts = go::split(name, '/');
  if (parts.size() != 2)
    return place.invalid(
        field, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  const auto check_parts = [&](std::string_view part, meta::Problems (*format)(std::string_view)) {
    for (const std::string_view label : go::split(part, '.')) {
      const meta::Problems problems = format(label);
      for (const std::string& problem : problems)
        place.invalid(field, part, "validating label " + go::quote(label) + ": " + problem);
      if (!problems.empty()) return;
    }
  };
  check_parts(parts[0], meta::validate_dns1123_label);
  if (parts[0].find('.') == std::string_view::npos)
    place.invalid(field, parts[0],
                  "should be a domain with at least two segments separated by dots");
  check_parts(parts[1], meta::validate_dns1123_subdomain);
}

namespace {

constexpr std::string_view kCommonStatuses[] = {"False", "True", "Unknown"};

bool is_reason(std::string_view text) {
  const auto is_inner = [](char c) {
    return ascii::is_alnum(c) || c == '_' || c == ',' || c == ':';
  };
  return ascii::is_alpha(text.front()) && std::ranges::all_of(text, is_inner) &&
         (ascii::is_alnum(text.back()) || text.back() == '_');
}

void check_common_condition(const Place& condition) {
  constexpr std::size_t kMaxReason = 1024;
  constexpr std::size_t kMaxMessage = 32 * 1024;
  if (condition.is_empty("type")) {
    condition.required("type", "is required");
  } else {
    check_label_key(condition, "type");
  }
  if (condition.is_empty("status")) {
    condition.required("status");
  } else if (std::ranges::find(kCommonStatuses, condition.text("status")) ==
             std::end(kCommonStatuses)) {
    condition.not_supported("status", kCommonStatuses);
  }
  if (condition.number("observedGeneration").value_or(0) < 0)
    condition.invalid("observedGeneration", "must be greater than or equal to zero");
  if (!condition.has("lastTransitionTime")) condition.required("lastTransitionTime");
  const std::string_view reason = condition.text("reason");
  if (reason.empty()) {
    condition.required("reason");
  } else {
    if (!is_reason(reason))
      condition.invalid(
          "reason",
          formats::pattern_problem(
              "a condition reason must start with alphabetic character, optionally followed by a "
              "string of alphanumeric characters or '_,:', and must end with an alphanumeric "
              "character or '_'",
              "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
              {"my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"}));
    if (reason.size() > kMaxReason)
      condition.report(FieldError::too_long(condition.path("reason"), kMaxReason));
  }
  if (condition.text("message").size() > kMaxMessage)
    condition.report(FieldError::too_long(condition.path("message"), kMaxMessage));
}

}  // namespace

void check_conditions_of(const Place& status, std::string_view field) {
  std::set<std::string_view> types;
  status.each(field, [&](const Place& condition) {
    const std::string_view type = condition.text("type");
    if (!types.insert(type).second) condition.report(FieldError::duplicate(condition.path(), type));
    check_common_condition(condition);
  });
}

void check_template_meta(const Place& owner) {
  constexpr std::string_view kFixed[] = {"name",
                                         "generateName",
                                         "namespace",
                                         "selfLink",
                                         "uid",
                                         "resourceVersion",
                                         "generation",
                                         "creationTimestamp",
                                         "deletionTimestamp",
                                         "deletionGracePeriodSeconds",
                                         "ownerReferences",
                                         "finalizers",
                                         "managedFields"};
  owner.each("metadata", [&](const Place& metadata) {
    if (const json::Value* annotations = metadata.find("annotations"))
      report_all(metadata, meta::validate_annotations(*annotations, metadata.path("annotations")));
    check_labels(metadata, "labels");
    for (const std::string_view field : kFixed) {
      if (metadata.has(field) || metadata.is_emptied(field))
        metadata.report(
            FieldError::forbidden(metadata.path(field == "uid" ? "uID" : field), "cannot be set"));
    }
  });
}

void check_domain_keys(const Place& place, std::string_view field) {
  for (const auto& [key, value] : place.map(field)) {
    const meta::Problems problems = formats::caseless_qualified_name(key);
    report_problems(place, place.path(field), key, problems);
    if (key.find('/') == std::string::npos && problems.empty())
      place.invalid(field, key, "must be a domain-prefixed key (such as \"acme.io/foo\")");
  }
}

void check_domain_path(const Place& place, std::string_view field) {
  const std::string_view text = place.text(field);
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size())
    return place.invalid(field, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  const std::string_view domain = text.substr(0, slash);
  const std::string_view path = text.substr(slash + 1);
  report_problems(place, place.path(field), domain, meta::validate_dns1123_subdomain(domain));
  report_problems(place, place.path(field), path, formats::url_path(path));
}

void check_token_seconds(const Place& place, std::string_view field) {
  constexpr std::int64_t kMin = 600;
  constexpr std::int64_t kMax = std::int64_t{1} << 32;
  const auto seconds = place.number(field);
  if (!seconds) return;
  if (*seconds < kMin) place.invalid(field, "may not specify a duration less than 10 minutes");
  if (*seconds > kMax) place.invalid(field, "may not specify a duration larger than 2^32 seconds");
}

void check_preemption_policy(const Place& place) {
  constexpr std::string_view kField = "preemptionPolicy";
  constexpr std::string_view kPolicies[] = {"PreemptLowerPriority", "Never"};
  if (!place.has(kField)) return;
  if (place.is_empty(kField)) {
    place.required(kField);
  } else if (std::ranges::find(kPolicies, place.text(kField)) == std::end(kPolicies)) {
    place.not_supported(kField, kPolicies);
  }
}

}  // namespace kube::apiserver
