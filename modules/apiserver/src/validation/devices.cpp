// SPDX-License-Identifier: Apache-2.0
//
// Claims of devices, classes, slices, taints. Expressions in CEL are not compiled.
#include "validation/devices.hpp"

#include <algorithm>
#include <iterator>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/names/go_text.hpp>

#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;
using Names = std::set<std::string_view>;

constexpr std::string_view kEffects[] = {"NoExecute", "NoSchedule", "None"};
constexpr std::string_view kTolerationOperators[] = {"Equal", "Exists"};
constexpr std::string_view kAllocationModes[] = {"All", "ExactCount"};
constexpr std::size_t kMaxName = 32;

bool is_one_of(Words words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

meta::Problems identifier_problems(std::string_view text) {
  const auto is_inner = [](char c) { return ascii::is_alnum(c) || c == '_'; };
  if (!text.empty() && !ascii::is_digit(text.front()) && std::ranges::all_of(text, is_inner))
    return {};
  return {formats::pattern_problem(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of "
      "alphanumeric characters or '_'",
      "[A-Za-z_][A-Za-z0-9_]*", {"my_name", "MY_NAME", "MyName"})};
}

void check_identifier(const Place& place, const FieldPath& path, std::string_view text) {
  if (text.size() > kMaxName) place.report(FieldError::too_long(path, kMaxName));
  report_problems(place, path, text, identifier_problems(text));
}

void check_domain(const Place& place, const FieldPath& path, std::string_view domain) {
  constexpr std::size_t kMaxDomain = 63;
  if (domain.size() > kMaxDomain) place.report(FieldError::too_long(path, kMaxDomain));
  report_problems(place, path, domain, formats::caseless_subdomain(domain));
}

void check_fully_qualified(const Place& place, std::string_view field) {
  const std::string_view name = place.text(field);
  if (name.find('/') == std::string_view::npos) {
    if (name.empty()) report_problems(place, place.path(field), name, identifier_problems(name));
    place.invalid(field, name,
                  "a fully qualified name must be a domain and a name separated by a slash");
    return;
  }
  check_qualified(place, place.path(field), name);
}

void check_label(const Place& place, std::string_view field) {
  place.problems(field, meta::validate_dns1123_label(place.text(field)));
}

void check_device_class(const Place& request) {
  check_name(request, "deviceClassName", meta::validate_dns1123_subdomain);
}

// Expressions are not compiled, but there has to be one.
void check_selector(const Place& selector) {
  constexpr std::string_view kEmpty =
      "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting "
      "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, "
      "STRING, BYTES, IDENTIFIER}";
  if (!selector.has("cel")) selector.required("cel");
  selector.each("cel", [&](const Place& cel) {
    if (cel.is_empty("expression")) cel.invalid("expression", std::string(kEmpty));
  });
}

// Declarative rules find what the check reports.
template <class Check>
void check_late(const Place& place, const Check& check) {
  meta::FieldErrors& errors = place.walk().errors;
  const auto known = static_cast<std::ptrdiff_t>(errors.size());
  check();
  std::ranges::move(errors.begin() + known, errors.end(),
                    std::back_inserter(place.walk().late_errors));
  errors.erase(errors.begin() + known, errors.end());
}

// The server's own checks pass over it, its declarative rules do not.
template <class Check>
void check_late_only(const Place& place, const Check& check) {
  meta::FieldErrors& errors = place.walk().errors;
  const auto known = static_cast<std::ptrdiff_t>(errors.size());
  check();
  errors.erase(errors.begin() + known, errors.end());
}

void check_allocation(const Place& request) {
  const std::string_view mode = request.text("allocationMode");
  const std::int64_t count = request.number("count").value_or(0);
  if (mode == "All") {
    if (count != 0)
      request.invalid("count", count, "must not be specified when allocationMode is 'All'");
  } else if (mode == "ExactCount") {
    if (count <= 0) request.invalid("count", count, "must be greater than zero");
  } else {
    request.report_late(FieldError::not_supported(request.path("allocationMode"), mode,
                                                  texts_of(kAllocationModes)));
  }
}

void check_request_rest(const Place& request) {
  request.each("selectors", check_selector);
  check_allocation(request);
  check_device_tolerations(request);
}

void check_exact_request(const Place& request) {
  check_device_class(request);
  check_request_rest(request);
}

void check_alternative(const Place& request) {
  check_label(request, "name");
  check_late(request, [&] { check_device_class(request); });
  check_request_rest(request);
}

void check_request_of_claim(const Place& request) {
  constexpr std::string_view kText = "exactly one of `exactly` or `firstAvailable` is required";
  check_label(request, "name");
  const bool exact = request.has("exactly");
  const bool several = !request.is_empty("firstAvailable");
  if (exact && several) {
    request.report(FieldError::invalid(request.path(), {},
                                       std::string(kText) + ", but multiple fields are set"));
    check_late_only(request, [&] {
      request.each("exactly", check_exact_request);
      request.each("firstAvailable", check_alternative);
    });
  } else if (several) {
    check_unique(request, "firstAvailable", "name", false);
    request.each("firstAvailable", check_alternative);
  } else if (exact) {
    request.each("exactly", check_exact_request);
  } else {
    request.report(FieldError::required(request.path(), std::string(kText)));
  }
}

void check_constraint(const Place& constraint) {
  check_request_names(constraint, "requests");
  if (!constraint.has("matchAttribute") && !constraint.has("distinctAttribute"))
    constraint.report(FieldError::required(
        constraint.path(),
        R"(exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set)"));
  for (const std::string_view field : {"matchAttribute", "distinctAttribute"})
    if (constraint.has(field))
      check_late(constraint, [&] { check_fully_qualified(constraint, field); });
}

void check_claim(const Place& claim) {
  // A claim's spec can't be changed, and is not read again; a template's is.
  if (claim.walk().before != nullptr && claim.root().type().name == "resource.v1.ResourceClaim")
    return;
  check_unique(claim, "requests", "name", false);
  claim.each("requests", check_request_of_claim);
  claim.each("constraints", check_constraint);
  claim.each("config", [](const Place& config) {
    check_request_names(config, "requests");
    check_device_config(config);
  });
}

void check_extended_name(const Place& spec) {
  if (!spec.has("extendedResourceName")) return;
  const std::string_view name = spec.text("extendedResourceName");
  if (name.find('/') == std::string_view::npos) {
    spec.invalid("extendedResourceName", name,
                 "a name must be a domain-prefixed path, such as 'example.com/my-prop'");
    if (!name.empty()) return;
  }
  meta::Problems problems = meta::validate_qualified_name(name);
  if (name.empty() && !problems.empty()) problems.erase(problems.begin());
  spec.problems("extendedResourceName", problems);
}

void check_class(const Place& spec) {
  spec.each("selectors", check_selector);
  spec.each("config", check_device_config);
  check_extended_name(spec);
}

void check_taint_rule(const Place& spec) {
  spec.each("deviceSelector", [](const Place& filter) {
    if (filter.has("driver")) check_driver_name(filter, "driver");
    if (filter.has("pool")) check_pool_name(filter, "pool");
    if (filter.has("device")) check_label(filter, "device");
  });
  spec.each("taint", check_device_taint);
}

constexpr Rule kClaimRulesOfDevices[] = {rules::call("requests", check_claim),
                                         rules::skip("constraints"), rules::skip("config")};
constexpr Rule kClaimTemplateOfDevices[] = {rules::call("metadata", check_template_meta),
                                            rules::into("spec")};
constexpr Rule kDeviceClassRules[] = {rules::call("selectors", check_class), rules::skip("config")};
constexpr Rule kTaintRuleRules[] = {rules::call("taint", check_taint_rule),
                                    rules::skip("deviceSelector")};

constexpr TypeRules kDeviceTypes[] = {
    {"resource.v1.DeviceClaim", kClaimRulesOfDevices},
    {"resource.v1.ResourceClaimTemplateSpec", kClaimTemplateOfDevices},
    {"resource.v1.DeviceClassSpec", kDeviceClassRules},
    {"resource.v1.DeviceTaintRuleSpec", kTaintRuleRules},
};

}  // namespace

void check_pool_name(const Place& place, std::string_view field) {
  constexpr std::size_t kMaxPool = 253;
  const std::string_view name = place.text(field);
  if (name.empty()) return place.required(field);
  if (name.size() > kMaxPool) place.report(FieldError::too_long(place.path(field), kMaxPool));
  for (const std::string_view part : go::split(name, '/'))
    report_problems(place, place.path(field), part, meta::validate_dns1123_subdomain(part));
}

void check_request_name(const Place& place, const FieldPath& path, std::string_view name) {
  constexpr std::string_view kText =
      "must be the name of a request in the claim or the name of a request and a subrequest "
      "separated by '/'";
  const auto parts = go::split(name, '/');
  if (parts.size() > 2) return place.report(FieldError::invalid(path, name, std::string(kText)));
  for (const std::string_view part : parts)
    report_problems(place, path, part, meta::validate_dns1123_label(part));
  const json::Value& root = place.root().value();
  // A template has the claim's spec in its own.
  const json::Value* inner = root.at_path({"spec", "spec"});
  const json::Array& requests = inner == nullptr ? root.array_at({"spec", "devices", "requests"})
                                                 : inner->array_at({"devices", "requests"});
  const bool found = std::ranges::any_of(requests, [&](const json::Value& request) {
    if (request.string_at({"name"}) != parts[0]) return false;
    return parts.size() == 1 ||
           std::ranges::any_of(request.array_at({"firstAvailable"}), [&](const json::Value& each) {
             return each.string_at({"name"}) == parts[1];
           });
  });
  if (!found) place.report(FieldError::invalid(path, name, std::string(kText)));
}

void check_request_names(const Place& place, std::string_view field) {
  const json::Array& names = place.list(field);
  for (std::size_t i = 0; i < names.size(); ++i)
    check_request_name(place, place.path(field, i), names[i].string_or_empty());
  Names seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!seen.insert(names[i].string_or_empty()).second)
      place.report_late(FieldError::duplicate(place.path(field, i), names[i]));
  }
}

void check_raw_object(const Place& place, std::string_view field, bool required) {
  const json::Value* value = place.find(field);
  if (value == nullptr) {
    if (required) place.required(field);
  } else if (!value->is_object()) {
    place.invalid(field, "<value omitted>", "must be a valid JSON object");
  }
}

void check_device_config(const Place& config) {
  if (!config.has("opaque")) return config.required("opaque");
  config.each("opaque", [](const Place& opaque) {
    if (!opaque.is_empty("driver")) check_driver_name(opaque, "driver");
    check_raw_object(opaque, "parameters", true);
    if (opaque.is_empty("driver")) opaque.required_late("driver");
  });
}

void check_device_tolerations(const Place& owner) {
  owner.each("tolerations", [](const Place& toleration) {
    const std::string_view op = toleration.text("operator");
    const std::string_view effect = toleration.text("effect");
    if (!toleration.is_empty("key"))
      check_late(toleration, [&] { check_label_key(toleration, "key"); });
    if (op == "Exists") {
      if (!toleration.is_empty("value"))
        toleration.invalid("value", "must be empty for operator `Exists`");
    } else if (op == "Equal") {
      toleration.problems("value", meta::validate_label_value(toleration.text("value")));
    } else if (op.empty()) {
      toleration.required_late("operator");
    } else {
      toleration.report_late(FieldError::not_supported(toleration.path("operator"), op,
                                                       texts_of(kTolerationOperators)));
    }
    if (!effect.empty() && !is_one_of(kEffects, effect))
      toleration.report_late(
          FieldError::not_supported(toleration.path("effect"), effect, texts_of(kEffects)));
  });
}

void check_binding_conditions(const Place& owner) {
  constexpr std::string_view kGood = "bindingConditions";
  constexpr std::string_view kBad = "bindingFailureConditions";
  for (const std::string_view field : {kGood, kBad}) {
    const json::Array& conditions = owner.list(field);
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      const std::string_view name = conditions[i].string_or_empty();
      report_problems(owner, owner.path(field, i), name, meta::validate_qualified_name(name));
    }
  }
  Names good;
  Names bad;
  const json::Array& wanted = owner.list(kGood);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!good.insert(wanted[i].string_or_empty()).second)
      owner.report(FieldError::duplicate(owner.path(kGood, i), wanted[i]));
  }
  const json::Array& failures = owner.list(kBad);
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const std::string_view name = failures[i].string_or_empty();
    if (!bad.insert(name).second)
      owner.report(FieldError::duplicate(owner.path(kBad, i), failures[i]));
    if (good.contains(name))
      owner.report(
          FieldError::invalid(owner.path(kBad, i), name,
                              "bindingFailureConditions must not overlap with bindingConditions"));
  }
  if (wanted.empty() && !failures.empty())
    owner.invalid(kGood, "bindingConditions are required to use bindingFailureConditions");
  if (failures.empty() && !wanted.empty())
    owner.invalid(kBad, "bindingFailureConditions are required to use bindingConditions");
}

// Objects that differ by a text; the error shows all of the object, or its key.
void check_unique(const Place& owner, std::string_view field, std::string_view key, bool show_key) {
  Names seen;
  owner.each(field, [&](const Place& each) {
    if (seen.insert(each.text(key)).second) return;
    FieldError error = FieldError::duplicate(
        each.path(), show_key ? json::Value(each.text(key)) : meta::shown_value(each.value()));
    show_key ? each.report(std::move(error)) : each.report_late(std::move(error));
  });
}

// "name" or "domain/name": an attribute or a capacity of a device.
void check_qualified(const Place& place, const FieldPath& path, std::string_view name) {
  const auto parts = go::split(name, '/');
  if (parts.size() == 1) return check_identifier(place, path, name);
  if (parts.size() > 2)
    return place.report(FieldError::invalid(path, name, "must not contain more than one slash"));
  if (parts[0].empty()) {
    place.report(FieldError::invalid(path, "", "the domain must not be empty"));
  } else {
    check_domain(place, path, parts[0]);
  }
  if (parts[1].empty()) {
    place.report(FieldError::invalid(path, "", "the name must not be empty"));
  } else {
    check_identifier(place, path, parts[1]);
  }
}

void check_device_taint(const Place& taint) {
  check_label_key(taint, "key");
  if (!taint.is_empty("value"))
    taint.problems("value", meta::validate_label_value(taint.text("value")));
  if (taint.is_empty("effect")) {
    taint.required_late("effect");
  } else if (!is_one_of(kEffects, taint.text("effect"))) {
    taint.report_late(
        FieldError::not_supported(taint.path("effect"), taint.text("effect"), texts_of(kEffects)));
  }
}

std::span<const TypeRules> device_types() {
  return kDeviceTypes;
}

}  // namespace kube::apiserver
