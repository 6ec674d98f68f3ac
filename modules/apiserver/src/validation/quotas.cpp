// SPDX-License-Identifier: Apache-2.0
//
// ResourceQuotas and LimitRanges.
#include <algorithm>
#include <limits>
#include <map>

#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;
using meta::Quantity;

constexpr std::string_view kQuotaScopes[] = {"Terminating",
                                             "NotTerminating",
                                             "BestEffort",
                                             "NotBestEffort",
                                             "PriorityClass",
                                             "VolumeAttributesClass",
                                             "CrossNamespacePodAffinity"};
constexpr std::string_view kLimitTypes[] = {"Pod", "Container", "PersistentVolumeClaim"};
constexpr std::string_view kPodQuotas[] = {
    "pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"};

bool is_scope_for(std::string_view scope, std::string_view resource) {
  if (scope == "BestEffort") return resource == "pods";
  if (scope == "VolumeAttributesClass")
    return resource == "persistentvolumeclaims" || resource == "requests.storage";
  if (std::ranges::find(kQuotaScopes, scope) == std::end(kQuotaScopes)) return true;
  return std::ranges::find(kPodQuotas, resource) != std::end(kPodQuotas);
}

void check_quota_amounts(const Place& quota, std::string_view field) {
  for (const auto& [name, amount] : quota.map(field)) {
    const FieldPath path = quota.path(field).key(name);
    check_resource_name(quota, path, name);
    if (name.find('/') == std::string::npos && !is_standard_quota_resource(name))
      quota.report(FieldError::invalid(path, name, "must be a standard resource for quota"));
    check_amount(quota, path, name, amount);
  }
}

void check_hard(const Place& spec) {
  check_quota_amounts(spec, "hard");
}

void check_used(const Place& status) {
  check_quota_amounts(status, "used");
}

// Reports, at `path`, the scopes that exclude each other.
void check_scope_pairs(const Place& spec, const FieldPath& path,
                       const std::set<std::string_view>& scopes) {
  constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
      {"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"}};
  for (const auto& [one, other] : kPairs) {
    if (scopes.contains(one) && scopes.contains(other))
      spec.report(FieldError::invalid(path, spec.shown("scopes"), "conflicting scopes"));
  }
}

void check_scope_resources(const Place& spec, const FieldPath& path, std::string_view scope,
                           const json::Value& shown) {
  std::set<std::string_view> names;
  for (const auto& [name, amount] : spec.map("hard")) names.insert(name);
  for (const std::string_view name : names) {
    if (is_standard_quota_resource(name) && !is_scope_for(scope, name))
      spec.report(FieldError::invalid(path, shown, "unsupported scope applied to resource"));
  }
}

void check_quota_scopes(const Place& spec) {
  std::set<std::string_view> scopes;
  for (const json::Value& each : spec.list("scopes")) {
    const std::string_view scope = each.string_or_empty();
    if (std::ranges::find(kQuotaScopes, scope) == std::end(kQuotaScopes))
      spec.invalid("scopes", "unsupported scope");
    check_scope_resources(spec, spec.path("scopes"), scope, spec.shown("scopes"));
    scopes.insert(scope);
  }
  check_scope_pairs(spec, spec.path("scopes"), scopes);
}

void check_scope_requirement(const Place& spec, const FieldPath& path, const json::Value& each) {
  const std::string_view scope = each.string_at({"scopeName"});
  const std::string_view op = each.string_at({"operator"});
  const json::Array& values = each.array_at({"values"});
  if (std::ranges::find(kQuotaScopes, scope) == std::end(kQuotaScopes))
    spec.report(FieldError::invalid(path.child("scopeName"), scope, "unsupported scope"));
  check_scope_resources(spec, path, scope, spec.shown_own("scopeSelector"));
  if (scope != "PriorityClass" && scope != "VolumeAttributesClass" && op != "Exists" &&
      std::ranges::find(kQuotaScopes, scope) != std::end(kQuotaScopes))
    spec.report(FieldError::invalid(
        path.child("operator"), op,
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
        "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
        "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"));
  if (op == "In" || op == "NotIn") {
    if (values.empty())
      spec.report(FieldError::required(
          path.child("values"),
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"));
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty())
      spec.report(FieldError::invalid(
          path.child("values"), values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"));
  } else {
    spec.report(FieldError::invalid(path.child("operator"), op, "not a valid selector operator"));
  }
}

void check_scope_selector(const Place& spec) {
  const FieldPath path = spec.path("scopeSelector").child("matchExpressions");
  std::set<std::string_view> scopes;
  for (const json::Value& each : spec.value().array_at({"scopeSelector", "matchExpressions"})) {
    check_scope_requirement(spec, path, each);
    scopes.insert(each.string_at({"scopeName"}));
  }
  check_scope_pairs(spec, path, scopes);
}

using Amounts = std::map<std::string_view, Quantity>;

Amounts amounts_of(const Place& limit, std::string_view field) {
  const std::string_view type = limit.text("type");
  Amounts out;
  for (const auto& [name, amount] : limit.map(field)) {
    const FieldPath path = limit.path(field).key(name);
    if (type == "Pod" || type == "Container") {
      check_container_resource(limit, path, name);
    } else {
      check_resource_name(limit, path, name);
    }
    if (auto quantity = quantity_of(amount)) out.emplace(name, *std::move(quantity));
  }
  return out;
}

struct LimitAmounts {
  Amounts max;
  Amounts min;
  Amounts defaults;
  Amounts requests;
  Amounts ratios;
};

const Quantity* amount_in(const Amounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? nullptr : &found->second;
}

// Reports that the lesser of two amounts is greater.
void check_order(const Place& limit, const FieldPath& path, const Quantity* low,
                 std::string_view low_name, const Quantity* high, std::string_view high_name,
                 const Quantity* shown) {
  if (low == nullptr || high == nullptr || !(*low > *high)) return;
  std::string detail(low_name);
  detail.append(" value ").append(low->to_string()).append(" is greater than ");
  detail.append(high_name).append(" value ").append(high->to_string());
  limit.report(FieldError::invalid(path, shown->to_string(), std::move(detail)));
}

void check_limit_amounts(const Place& limit, const LimitAmounts& all, std::string_view name) {
  const auto path = [&](std::string_view field) { return limit.path(field).key(name); };
  const Quantity* min = amount_in(all.min, name);
  const Quantity* max = amount_in(all.max, name);
  const Quantity* given = amount_in(all.defaults, name);
  const Quantity* request = amount_in(all.requests, name);
  const Quantity* ratio = amount_in(all.ratios, name);
  check_order(limit, path("min"), min, "min", max, "max", min);
  check_order(limit, path("defaultRequest"), min, "min", request, "default request", request);
  check_order(limit, path("defaultRequest"), request, "default request", max, "max", request);
  check_order(limit, path("defaultRequest"), request, "default request", given, "default limit",
              request);
  check_order(limit, path("default"), min, "min", given, "default", min);
  check_order(limit, path("default"), given, "default", max, "max", max);
  if (ratio != nullptr && *ratio < Quantity::of(1))
    limit.report(FieldError::invalid(path("maxLimitRequestRatio"), ratio->to_string(),
                                     "ratio " + ratio->to_string() + " is less than 1"));
  if (ratio != nullptr && min != nullptr && max != nullptr && !min->is_zero()) {
    // Amounts of which there are too many thousandths to count are taken as whole ones.
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1000;
    const bool whole = ratio->value() >= kMost || min->value() >= kMost || max->value() >= kMost;
    const auto number = [&](const Quantity& amount) {
      return whole ? static_cast<double>(amount.value()) : amount.as_double();
    };
    const double most = number(*max) / number(*min);
    if (number(*ratio) > most)
      limit.report(FieldError::invalid(
          path("maxLimitRequestRatio"), ratio->to_string(),
          "ratio " + ratio->to_string() + " is greater than max/min = " + std::to_string(most)));
  }
  if (!is_overcommit_allowed(name) && given != nullptr && request != nullptr && *given != *request)
    limit.report(FieldError::invalid(path("defaultRequest"), request->to_string(),
                                     "default value " + given->to_string() +
                                         " must equal to defaultRequest value " +
                                         request->to_string() + " in " + std::string(name)));
}

void check_limit_type(const Place& limit) {
  const std::string_view type = limit.text("type");
  const meta::Problems problems = meta::validate_qualified_name(type);
  limit.problems("type", problems);
  if (problems.empty() && type.find('/') == std::string_view::npos &&
      std::ranges::find(kLimitTypes, type) == std::end(kLimitTypes))
    limit.invalid("type", "must be a standard limit type or fully qualified");
}

void check_limit(const Place& limit) {
  const std::string_view type = limit.text("type");
  LimitAmounts all;
  all.max = amounts_of(limit, "max");
  all.min = amounts_of(limit, "min");
  if (type == "Pod") {
    for (const std::string_view field : {"default", "defaultRequest"})
      if (!limit.is_empty(field))
        limit.forbidden(field, "may not be specified when `type` is 'Pod'");
  } else {
    all.defaults = amounts_of(limit, "default");
    all.requests = amounts_of(limit, "defaultRequest");
  }
  if (type == "PersistentVolumeClaim" && !all.min.contains("storage") &&
      !all.max.contains("storage"))
    limit.required("limits",
                   "either minimum or maximum storage value is required, but neither was provided");
  all.ratios = amounts_of(limit, "maxLimitRequestRatio");
  std::set<std::string_view> names;
  for (const Amounts* amounts : {&all.max, &all.min, &all.defaults, &all.requests, &all.ratios})
    for (const auto& [name, amount] : *amounts) names.insert(name);
  for (const std::string_view name : names) check_limit_amounts(limit, all, name);
}

void check_limits(const Place& spec) {
  std::set<std::string_view> types;
  spec.each("limits", [&](const Place& limit) {
    check_limit_type(limit);
    if (!types.insert(limit.text("type")).second) limit.duplicate("type");
    check_limit(limit);
  });
}

constexpr Rule kQuotaRules[] = {rules::call(check_hard), rules::call(check_quota_scopes),
                                rules::call("scopeSelector", check_scope_selector)};
constexpr Rule kQuotaStatusRules[] = {rules::call(check_hard), rules::call(check_used)};
constexpr Rule kLimitRules[] = {rules::call("limits", check_limits)};

constexpr TypeRules kQuotaTypes[] = {
    {"core.v1.ResourceQuotaSpec", kQuotaRules},
    {"core.v1.ResourceQuotaStatus", kQuotaStatusRules},
    {"core.v1.LimitRangeSpec", kLimitRules},
};

}  // namespace

std::span<const TypeRules> quota_types() {
  return kQuotaTypes;
}

}  // namespace kube::apiserver
