// SPDX-License-Identifier: Apache-2.0
#include "kinds/pod_preparation.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/names/quantity.hpp>

#include "documents/metadata.hpp"
#include "kinds/fields.hpp"

namespace kube::serving {
namespace {

using meta::Quantity;
using Amounts = std::map<std::string, Quantity, std::less<>>;

constexpr std::string_view kHugePages = "hugepages-";

Amounts amounts_of(const json::Value* list) {
  Amounts out;
  if (list == nullptr || !list->is_object()) return out;
  for (const auto& [name, text] : *list->if_object()) {
    if (auto amount = Quantity::parse(text.string_or_empty()))
      out.emplace(name, *std::move(amount));
  }
  return out;
}

void add(Amounts& to, const Amounts& more) {
  for (const auto& [name, amount] : more) {
    const auto [at, is_new] = to.emplace(name, amount);
    if (!is_new) at->second += amount;
  }
}

void raise(Amounts& to, const Amounts& other) {
  for (const auto& [name, amount] : other) {
    const auto [at, is_new] = to.emplace(name, amount);
    if (!is_new && amount > at->second) at->second = amount;
  }
}

// Returns what the containers of a pod need together. Init containers run one after another, before
// the others; those that restart stay beside all that follow.
Amounts total(const json::Value& pod, std::string_view list) {
  Amounts sum;
  for (const json::Value& container : pod.array_at({"spec", "containers"}))
    add(sum, amounts_of(container.at_path({"resources", list})));
  Amounts staying;
  Amounts starting;
  for (const json::Value& container : pod.array_at({"spec", "initContainers"})) {
    Amounts own = amounts_of(container.at_path({"resources", list}));
    if (container.string_at({"restartPolicy"}) == "Always") {
      add(sum, own);
      add(staying, own);
      raise(starting, staying);
    } else {
      add(own, staying);
      raise(starting, own);
    }
  }
  raise(sum, starting);
  return sum;
}

bool is_of_pods(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with(kHugePages);
}

bool all_limit(const json::Value& pod, std::string_view resource) {
  const auto limits = [resource](const json::Value& container) {
    return container.at_path({"resources", "limits", resource}) != nullptr;
  };
  return std::ranges::all_of(pod.array_at({"spec", "containers"}), limits) &&
         std::ranges::all_of(pod.array_at({"spec", "initContainers"}), limits);
}

json::Object texts_of(const Amounts& amounts) {
  json::Object out;
  for (const auto& [name, amount] : amounts) out.append(name, amount.to_string());
  return out;
}

enum class Quality { BestEffort, Burstable, Guaranteed };

Quality quality_of(const json::Value* resources) {
  const Amounts requests =
      amounts_of(resources == nullptr ? nullptr : resources->at_path({"requests"}));
  const Amounts limits =
      amounts_of(resources == nullptr ? nullptr : resources->at_path({"limits"}));
  if (requests.empty() && limits.empty()) return Quality::BestEffort;
  const auto amount = [](const Amounts& amounts, std::string_view name) {
    const auto found = amounts.find(name);
    return found == amounts.end() ? Quantity{} : found->second;
  };
  std::optional<Quality> all;
  for (const std::string_view name : {"cpu", "memory"}) {
    const Quantity limit = amount(limits, name);
    if (amount(requests, name) != limit) return Quality::Burstable;
    const Quality own = limit.is_zero() ? Quality::BestEffort : Quality::Guaranteed;
    if (all.value_or(own) != own) return Quality::Burstable;
    all = own;
  }
  return *all;
}

// Adds a requirement to a selector for each of the labels of `pod` that a list of keys names.
void select_own_labels(json::Object& term, const json::Value& labels, std::string_view list,
                       std::string_view word) {
  json::Value* selector = term.find("labelSelector");
  const json::Value* keys = term.find(list);
  if (selector == nullptr || !selector->is_object() || keys == nullptr || !keys->is_array()) return;
  for (const json::Value& key : *keys->if_array()) {
    const json::Value* value = labels.at_path({key.string_or_empty()});
    if (value == nullptr) continue;
    json::Value& requirements = (*selector->if_object())["matchExpressions"];
    if (!requirements.is_array()) requirements = json::Array{};
    requirements.if_array()->emplace_back(
        json::Object{{"key", key}, {"operator", word}, {"values", json::Array{*value}}});
  }
}

void select_own_labels(json::Value& pod) {
  const json::Value* found = pod.at_path({"metadata", "labels"});
  if (found == nullptr) return;
  const json::Value labels = *found;
  json::Object& spec = spec_in(pod);
  for_each_object(spec, "topologySpreadConstraints", [&](json::Object& constraint) {
    select_own_labels(constraint, labels, "matchLabelKeys", "In");
  });
  const auto in_term = [&](json::Object& term) {
    select_own_labels(term, labels, "matchLabelKeys", "In");
    select_own_labels(term, labels, "mismatchLabelKeys", "NotIn");
  };
  json::Value* affinity = spec.find("affinity");
  if (affinity == nullptr || !affinity->is_object()) return;
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    json::Value* rules = affinity->if_object()->find(kind);
    if (rules == nullptr || !rules->is_object()) continue;
    for_each_object(*rules->if_object(), "requiredDuringSchedulingIgnoredDuringExecution", in_term);
    for_each_object(*rules->if_object(), "preferredDuringSchedulingIgnoredDuringExecution",
                    [&](json::Object& weighted) {
                      json::Value* term = weighted.find("podAffinityTerm");
                      if (term != nullptr && term->is_object()) in_term(*term->if_object());
                    });
  }
}

// Returns the profile that an annotation of older versions names; empty for other texts.
json::Object app_armor_profile(std::string_view text) {
  constexpr std::string_view kLocal = "localhost/";
  if (text == "unconfined") return {{"type", "Unconfined"}};
  if (text == "runtime/default") return {{"type", "RuntimeDefault"}};
  if (!text.starts_with(kLocal) || text.size() == kLocal.size()) return {};
  const std::string_view name = text.substr(kLocal.size());
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  constexpr std::size_t kMaxName = 4095;
  if (kBlanks.find(name.front()) != std::string_view::npos ||
      kBlanks.find(name.back()) != std::string_view::npos || name.size() > kMaxName) {
    return {};
  }
  return {{"type", "Localhost"}, {"localhostProfile", name}};
}

// Copies AppArmor profiles from the annotations of older versions to the fields of containers.
void copy_app_armor(json::Value& pod) {
  const json::Value* annotations = pod.at_path({"metadata", "annotations"});
  if (annotations == nullptr || !annotations->is_object()) return;
  if (pod.string_at({"spec", "os", "name"}) == "windows") return;
  const json::Value of_pod = [&] {
    const json::Value* profile = pod.at_path({"spec", "securityContext", "appArmorProfile"});
    return profile == nullptr ? json::Value{} : *profile;
  }();
  const json::Object texts = *annotations->if_object();
  const auto copy = [&](json::Object& container) {
    const json::Value* name = container.find("name");
    if (name == nullptr) return;
    const json::Value* text = texts.find("container.apparmor.security.beta.kubernetes.io/" +
                                         std::string(name->string_or_empty()));
    if (text == nullptr) return;
    json::Object profile = app_armor_profile(text->string_or_empty());
    if (profile.empty() || json::Value(profile) == of_pod) return;
    set_default(child(container, "securityContext"), "appArmorProfile", std::move(profile));
  };
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"})
    for_each_object(spec_in(pod), list, copy);
}

}  // namespace

std::string_view qos_class(const json::Value& pod) {
  constexpr std::string_view kNames[] = {"BestEffort", "Burstable", "Guaranteed"};
  const auto name = [&](Quality quality) { return kNames[static_cast<std::size_t>(quality)]; };
  for (const std::string_view list : {"requests", "limits"}) {
    const Amounts own = amounts_of(pod.at_path({"spec", "resources", list}));
    if (std::ranges::any_of(own, [](const auto& each) { return is_of_pods(each.first); }))
      return name(quality_of(pod.at_path({"spec", "resources"})));
  }
  std::optional<Quality> all;
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const json::Value& container : pod.array_at({"spec", list})) {
      const Quality own = quality_of(container.at_path({"resources"}));
      if (all.value_or(own) != own) return name(Quality::Burstable);
      all = own;
    }
  }
  return name(all.value_or(Quality::BestEffort));
}

void complete_pod_resources(json::Value& pod) {
  Amounts requests = amounts_of(pod.at_path({"spec", "resources", "requests"}));
  Amounts limits = amounts_of(pod.at_path({"spec", "resources", "limits"}));
  if (requests.empty() && limits.empty()) return;
  for (const auto& [name, amount] : total(pod, "limits")) {
    if (name.starts_with(kHugePages) && !requests.contains(name)) limits.emplace(name, amount);
  }
  for (const auto& [name, amount] : total(pod, "requests")) {
    if (is_of_pods(name) && !name.starts_with(kHugePages)) requests.emplace(name, amount);
  }
  for (const auto& [name, amount] : limits) {
    if (is_of_pods(name)) requests.emplace(name, amount);
  }
  const Amounts all_limits = total(pod, "limits");
  for (const auto& [name, amount] : requests) {
    const auto limit = all_limits.find(name);
    if (!is_of_pods(name) || limit == all_limits.end() || !all_limit(pod, name)) continue;
    limits.emplace(name, std::max(amount, limit->second));
  }
  json::Object& resources = child(spec_in(pod), "resources");
  if (!limits.empty()) resources.set("limits", texts_of(limits));
  if (!requests.empty()) resources.set("requests", texts_of(requests));
}

void prepare_pod(json::Value& pod) {
  json::Object status{{"phase", "Pending"}};
  if (!pod.array_at({"spec", "schedulingGates"}).empty()) {
    status.set("conditions",
               json::Array{json::Object{
                   {"type", "PodScheduled"},
                   {"status", "False"},
                   {"lastProbeTime", nullptr},
                   {"lastTransitionTime", metadata_text(pod, "creationTimestamp")},
                   {"reason", "SchedulingGated"},
                   {"message", "Scheduling is blocked due to non-empty scheduling gates"}}});
  }
  select_own_labels(pod);
  copy_app_armor(pod);
  complete_pod_resources(pod);
  status.set("qosClass", qos_class(pod));
  pod.if_object()->set("status", std::move(status));
}

}  // namespace kube::serving
