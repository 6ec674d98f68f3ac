// SPDX-License-Identifier: Apache-2.0
//
// Names and amounts of resources: in containers, quotas, limits and volumes.
#include <algorithm>

#include <kube/base/join.hpp>

#include "validation/checks.hpp"
#include "validation/groups.hpp"
#include "validation/pods.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kRequests = "requests.";

constexpr std::string_view kStandardResources[] = {"cpu",
                                                   "memory",
                                                   "ephemeral-storage",
                                                   "requests.cpu",
                                                   "requests.memory",
                                                   "requests.ephemeral-storage",
                                                   "limits.cpu",
                                                   "limits.memory",
                                                   "limits.ephemeral-storage",
                                                   "pods",
                                                   "resourcequotas",
                                                   "services",
                                                   "replicationcontrollers",
                                                   "secrets",
                                                   "configmaps",
                                                   "persistentvolumeclaims",
                                                   "storage",
                                                   "requests.storage",
                                                   "services.nodeports",
                                                   "services.loadbalancers"};
constexpr std::string_view kCountedResources[] = {"pods",
                                                  "resourcequotas",
                                                  "services",
                                                  "replicationcontrollers",
                                                  "secrets",
                                                  "configmaps",
                                                  "persistentvolumeclaims",
                                                  "services.nodeports",
                                                  "services.loadbalancers"};
constexpr std::string_view kContainerResources[] = {"cpu", "memory", "ephemeral-storage"};
constexpr std::string_view kPodResources[] = {"cpu", "memory"};

bool has_word(Words words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_huge_pages(std::string_view name) {
  return name.starts_with(kHugePages);
}

bool is_extended_resource(std::string_view name) {
  return !is_native_resource(name) && !name.starts_with(kRequests) &&
         meta::validate_qualified_name(std::string(kRequests).append(name)).empty();
}

void check_pod_resource(const Place& place, const FieldPath& path, std::string_view name) {
  if (!check_resource_name(place, path, name)) return;
  if (!has_word(kPodResources, name) && !is_huge_pages(name))
    place.report(FieldError::not_supported(path, name, {"cpu", "hugepages-", "memory"}));
}

void check_huge_pages(const Place& place, const FieldPath& path, std::string_view name,
                      const json::Value& amount) {
  const auto quantity = quantity_of(amount);
  const auto page = meta::Quantity::parse(name.substr(kHugePages.size()));
  if (!quantity) return;
  if (page && page->sign() > 0 && page->milli_value() % 1000 == 0 &&
      quantity->value() % page->value() == 0)
    return;
  place.report(FieldError::invalid(
      path, quantity->to_string(),
      quantity->to_string() + " is not positive integer multiple of " + std::string(name)));
}

using NameCheck = void (*)(const Place&, const FieldPath&, std::string_view);

struct AmountKinds {
  bool compute = false;
  bool huge_pages = false;
};

void check_one_amount(const Place& place, const FieldPath& path, std::string_view name,
                      const json::Value& amount, NameCheck check, AmountKinds& kinds) {
  check(place, path, name);
  check_amount(place, path, name, amount);
  kinds.compute = kinds.compute || has_word(kPodResources, name);
}

void check_request_in_limit(const Place& place, std::string_view name, const json::Value& amount) {
  const json::Value* limit = place.map("limits").find(name);
  if (limit == nullptr) {
    if (!is_overcommit_allowed(name))
      place.required("limits", "Limit must be set for non overcommitable resources");
    return;
  }
  const auto request = quantity_of(amount);
  const auto most = quantity_of(*limit);
  if (!request || !most) return;
  const bool equal = !is_overcommit_allowed(name);
  if (equal ? *request == *most : *request <= *most) return;
  std::string detail = equal ? "must be equal to " : "must be less than or equal to ";
  detail.append(name).append(" limit of ").append(most->to_string());
  place.invalid("requests", request->to_string(), std::move(detail));
}

void check_claim_names(const Place& place) {
  const auto& known = place.walk().pod.resource_claims;
  const json::Array& claims = place.list("claims");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const FieldPath path = place.path("claims", i);
    const std::string name(claims[i].string_at({"name"}));
    const std::string_view request = claims[i].string_at({"request"});
    if (name.empty()) {
      place.report(FieldError::required(path, {}));
      continue;
    }
    if (!request.empty())
      report_problems(place, path.child("request"), request, meta::validate_dns1123_label(request));
    const std::string key = request.empty() ? name : name + "/" + std::string(request);
    const auto is_request_of = [&](const std::string& other) {
      return other.starts_with(name + "/");
    };
    if (seen.contains(name)) {
      place.report(FieldError::duplicate(path, name));
    } else if (seen.contains(key)) {
      place.report(FieldError::duplicate(path, key));
    } else if (request.empty()) {
      // Each request of the claim that is already there is one of all of it.
      for (auto left = std::ranges::count_if(seen, is_request_of); left > 0; --left)
        place.report(FieldError::duplicate(path, name));
    }
    seen.insert(key);
    if (known.contains(name)) continue;
    FieldError missing = FieldError::not_found(path, name);
    missing.detail = "must be one of the names in pod.spec.resourceClaims" +
                     (known.empty() ? std::string(" which is empty") : ": " + join(known, ", "));
    place.report(std::move(missing));
  }
}

void check_resources(const Place& place, NameCheck check) {
  AmountKinds kinds;
  for (const auto& [name, amount] : place.map("limits")) {
    const FieldPath path = place.path("limits").key(name);
    check_one_amount(place, path, name, amount, check, kinds);
    if (!is_huge_pages(name)) continue;
    kinds.huge_pages = true;
    check_huge_pages(place, path, name, amount);
  }
  for (const auto& [name, amount] : place.map("requests")) {
    const FieldPath path = place.path("requests").key(name);
    check_one_amount(place, path, name, amount, check, kinds);
    check_request_in_limit(place, name, amount);
    if (!is_huge_pages(name)) continue;
    kinds.huge_pages = true;
    check_huge_pages(place, path, name, amount);
  }
  if (kinds.huge_pages && !kinds.compute)
    place.report(FieldError::forbidden(place.path(), "HugePages require cpu or memory"));
  check_claim_names(place);
}

void check_requirements(const Place& place) {
  const Place* owner = place.parent();
  if (owner == nullptr || owner->type().name != "core.v1.PodSpec") {
    check_resources(place, check_container_resource);
    return;
  }
  if (owner->value().string_at({"os", "name"}) == "windows") {
    owner->forbidden("resources", "may not be set for a windows pod");
    return;
  }
  if (place.has("claims") || place.is_emptied("claims"))
    place.forbidden("claims", "claims may not be set for Resources at pod-level");
  check_resources(place, check_pod_resource);
  check_pod_resources(place);
}

constexpr Rule kRequirementRules[] = {rules::call(check_requirements)};

constexpr TypeRules kAmountTypes[] = {
    {"core.v1.ResourceRequirements", kRequirementRules},
};

}  // namespace

bool is_native_resource(std::string_view name) {
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

bool is_overcommit_allowed(std::string_view name) {
  return is_native_resource(name) && !is_huge_pages(name);
}

bool is_standard_quota_resource(std::string_view name) {
  return (name != "storage" && has_word(kStandardResources, name)) || is_huge_pages(name) ||
         name.starts_with("requests.hugepages-");
}

std::optional<meta::Quantity> quantity_of(const json::Value& value) {
  const std::string* text = value.if_string();
  auto parsed = meta::Quantity::parse(text != nullptr ? *text : json::dump(value));
  if (!parsed) return std::nullopt;
  return *std::move(parsed);
}

void check_amount(const Place& place, const FieldPath& path, std::string_view resource,
                  const json::Value& amount) {
  const auto quantity = quantity_of(amount);
  if (!quantity) return;
  if (quantity->sign() < 0)
    place.report(
        FieldError::invalid(path, quantity->to_string(), "must be greater than or equal to 0"));
  if ((has_word(kCountedResources, resource) || is_extended_resource(resource)) &&
      quantity->milli_value() % 1000 != 0)
    place.report(FieldError::invalid(path, amount, "must be an integer"));
}

bool check_resource_name(const Place& place, const FieldPath& path, std::string_view name) {
  const meta::Problems problems = meta::validate_qualified_name(name);
  report_problems(place, path, name, problems);
  if (!problems.empty()) return false;
  if (name.find('/') != std::string_view::npos || has_word(kStandardResources, name) ||
      is_huge_pages(name) || name.starts_with("requests.hugepages-"))
    return true;
  place.report(
      FieldError::invalid(path, name, "must be a standard resource type or fully qualified"));
  return false;
}

void check_container_resource(const Place& place, const FieldPath& path, std::string_view name) {
  check_resource_name(place, path, name);
  if (name.find('/') == std::string_view::npos) {
    if (!has_word(kContainerResources, name) && !is_huge_pages(name))
      place.report(FieldError::invalid(path, name, "must be a standard resource for containers"));
  } else if (!is_native_resource(name) && !is_extended_resource(name)) {
    place.report(FieldError::invalid(path, name, "doesn't follow extended resource name standard"));
  }
}

void check_limits_alone(const Place& place, const json::Object& limits, const FieldPath& at) {
  AmountKinds kinds;
  for (const auto& [name, amount] : limits) {
    const FieldPath path = at.child("limits").key(name);
    check_one_amount(place, path, name, amount, check_container_resource, kinds);
    if (!is_huge_pages(name)) continue;
    kinds.huge_pages = true;
    check_huge_pages(place, path, name, amount);
  }
  if (kinds.huge_pages && !kinds.compute)
    place.report(FieldError::forbidden(at, "HugePages require cpu or memory"));
}

std::span<const TypeRules> amount_types() {
  return kAmountTypes;
}

}  // namespace kube::apiserver
