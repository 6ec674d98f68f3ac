// SPDX-License-Identifier: Apache-2.0
//
// The resources of a pod as a whole, which cover those of its containers.
#include <map>

#include "validation/checks.hpp"
#include "validation/pods.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using AmountsByName = std::map<std::string, meta::Quantity, std::less<>>;

AmountsByName amounts_of(const json::Value& container, std::string_view field) {
  AmountsByName out;
  const json::Value* amounts = container.at_path({"resources", field});
  if (amounts == nullptr || !amounts->is_object()) return out;
  for (const auto& [name, amount] : *amounts->if_object()) {
    if (const auto quantity = quantity_of(amount)) out.emplace(name, *quantity);
  }
  return out;
}

void add(AmountsByName& sum, const AmountsByName& more) {
  for (const auto& [name, amount] : more) {
    const auto [found, is_new] = sum.emplace(name, amount);
    if (!is_new) found->second += amount;
  }
}

void raise(AmountsByName& most, const AmountsByName& other) {
  for (const auto& [name, amount] : other) {
    const auto [found, is_new] = most.emplace(name, amount);
    if (!is_new && found->second < amount) found->second = amount;
  }
}

// What the containers need at once: all that run together, or one that runs before them beside the
// sidecars that have been started.
AmountsByName needed_at_once(const Place& spec, std::string_view field) {
  AmountsByName running;
  for (const json::Value& container : spec.list("containers"))
    add(running, amounts_of(container, field));
  AmountsByName sidecars;
  AmountsByName before;
  for (const json::Value& container : spec.list("initContainers")) {
    AmountsByName own = amounts_of(container, field);
    if (container.string_at({"restartPolicy"}) == "Always") {
      add(running, own);
      add(sidecars, own);
      own = sidecars;
    } else {
      add(own, sidecars);
    }
    raise(before, own);
  }
  raise(running, before);
  return running;
}

void check_sum(const Place& resources, std::string_view field, bool huge_pages_alone) {
  for (const auto& [name, needed] : needed_at_once(*resources.parent(), field)) {
    if (huge_pages_alone && !name.starts_with("hugepages-")) continue;
    const json::Value* own = resources.map(field).find(name);
    const auto amount = own == nullptr ? std::nullopt : quantity_of(*own);
    if (!amount || needed <= *amount) continue;
    resources.report(FieldError::invalid(resources.path(field).key(name), amount->to_string(),
                                         "must be greater than or equal to aggregate container " +
                                             std::string(field) + " of " + needed.to_string()));
  }
}

}  // namespace

void check_pod_resources(const Place& resources) {
  check_sum(resources, "requests", false);
  check_sum(resources, "limits", true);
  const json::Array& containers = resources.parent()->list("containers");
  for (std::size_t i = 0; i < containers.size(); ++i) {
    for (const auto& [name, limit] : amounts_of(containers[i], "limits")) {
      const json::Value* own = resources.map("limits").find(name);
      const auto most = own == nullptr ? std::nullopt : quantity_of(*own);
      if (!most || limit <= *most) continue;
      resources.report(FieldError::invalid(
          resources.path("containers", i).key(name).child("limits"), limit.to_string(),
          "must be less than or equal to pod limits of " + most->to_string()));
    }
  }
}

}  // namespace kube::apiserver
