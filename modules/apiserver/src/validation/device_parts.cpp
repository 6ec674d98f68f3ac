// SPDX-License-Identifier: Apache-2.0
//
// What claims of devices, classes, slices and statuses share.
#include <algorithm>
#include <iterator>
#include <set>

#include <kube/base/ascii.hpp>
#include <kube/names/go_text.hpp>

#include "validation/checks.hpp"
#include "validation/devices.hpp"
#include "validation/formats.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;
using Names = std::set<std::string_view>;

constexpr std::string_view kEffects[] = {"NoExecute", "NoSchedule", "None"};
constexpr std::string_view kTolerationOperators[] = {"Equal", "Exists"};
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

void check_domain(const Place& place, const FieldPath& path, std::string_view domain) {
  constexpr std::size_t kMaxDomain = 63;
  if (domain.size() > kMaxDomain) place.report(FieldError::too_long(path, kMaxDomain));
  report_problems(place, path, domain, formats::caseless_subdomain(domain));
}

}  // namespace

void check_identifier(const Place& place, const FieldPath& path, std::string_view text) {
  if (text.size() > kMaxName) place.report(FieldError::too_long(path, kMaxName));
  report_problems(place, path, text, identifier_problems(text));
}

bool check_count(const Place& place, std::string_view field, std::size_t max) {
  const std::size_t count = place.list(field).size();
  if (count > max) place.report_late(FieldError::too_many(place.path(field), count, max));
  return count <= max;
}

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
  if (!check_count(place, field, kMaxDeviceNames)) return;
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
    check_raw_object(opaque, "parameters", true);
    check_declared_driver(opaque, "driver");
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
  constexpr std::size_t kMaxConditions = 4;
  constexpr std::string_view kGood = "bindingConditions";
  constexpr std::string_view kBad = "bindingFailureConditions";
  for (const std::string_view field : {kGood, kBad}) {
    const json::Array& conditions = owner.list(field);
    if (!check_count(owner, field, kMaxConditions)) continue;
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
  // The server does not read a name with two slashes.
  if (parts.size() > 2) return;
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

}  // namespace kube::apiserver
