// SPDX-License-Identifier: Apache-2.0
//
// Claims of devices, classes, taints. Expressions in CEL are not compiled.
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

constexpr std::size_t kMaxDomain = 63;
constexpr std::string_view kAllocationModes[] = {"All", "ExactCount"};

// A name with a domain; other than names of attributes, which may have none.
void check_fully_qualified(const Place& place, std::string_view field) {
  const std::string_view name = place.text(field);
  const FieldPath path = place.path(field);
  const auto parts = go::split(name, '/');
  if (parts.size() == 1) {
    check_identifier(place, path, name);
    place.invalid(field, name,
                  "a fully qualified name must be a domain and a name separated by a slash");
  }
  if (parts.size() != 2) return;
  if (parts[0].empty()) {
    place.report(FieldError::invalid(path, "", "prefix must not be empty"));
  } else {
    if (parts[0].size() > kMaxDomain) place.report(FieldError::too_long(path, kMaxDomain));
    for (const std::string& problem : meta::validate_dns1123_subdomain(parts[0]))
      place.report(FieldError::invalid(path, parts[0], "prefix: " + problem));
  }
  if (parts[1].empty()) {
    place.report(FieldError::invalid(path, "", "name must not be empty"));
  } else {
    check_identifier(place, path, parts[1]);
  }
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
  if (check_count(request, "selectors", kMaxDeviceNames)) request.each("selectors", check_selector);
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
    if (!check_count(request, "firstAvailable", 8)) return;
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
  if (check_count(claim, "requests", kMaxDeviceNames)) {
    check_unique(claim, "requests", "name", false);
    claim.each("requests", check_request_of_claim);
  }
  if (check_count(claim, "constraints", kMaxDeviceNames))
    claim.each("constraints", check_constraint);
  if (!check_count(claim, "config", kMaxDeviceNames)) return;
  claim.each("config", [](const Place& config) {
    check_request_names(config, "requests");
    check_device_config(config);
  });
}

// A resource's name has to fit behind the word that quotas put before it.
void check_extended_name(const Place& spec) {
  constexpr std::string_view kDomain = "kubernetes.io/";
  constexpr std::string_view kRequests = "requests.";
  constexpr std::string_view kField = "extendedResourceName";
  if (!spec.has(kField)) return;
  const std::string_view name = spec.text(kField);
  if (name.find('/') == std::string_view::npos) {
    spec.invalid(kField, name,
                 "a name must be a domain-prefixed path, such as 'example.com/my-prop'");
  } else if (name.find(kDomain) != std::string_view::npos) {
    spec.invalid(kField, name, "must not have \"" + std::string(kDomain) + "\" domain");
  }
  if (name.starts_with(kRequests))
    spec.invalid(kField, name, "must not have \"" + std::string(kRequests) + "\" prefix");
  spec.problems(kField, meta::validate_qualified_name(std::string(kRequests) + std::string(name)));
}

void check_class(const Place& spec) {
  if (check_count(spec, "selectors", kMaxDeviceNames)) spec.each("selectors", check_selector);
  if (check_count(spec, "config", kMaxDeviceNames)) spec.each("config", check_device_config);
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

std::span<const TypeRules> device_types() {
  return kDeviceTypes;
}

}  // namespace kube::apiserver
