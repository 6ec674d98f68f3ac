// SPDX-License-Identifier: Apache-2.0
#include "objects/initial_objects.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "validation/addresses.hpp"

namespace kube::apiserver {
namespace {

// The first address of the service range, and the port that kubeadm chooses.
json::Value own_service(const std::string& address) {
  return json::Object{
      {"metadata", json::Object{{"name", "kubernetes"},
                                {"namespace", "default"},
                                {"labels", json::Object{{"component", "apiserver"},
                                                        {"provider", "kubernetes"}}}}},
      {"spec", json::Object{{"clusterIP", address},
                            {"ports", json::Array{json::Object{{"name", "https"},
                                                               {"protocol", "TCP"},
                                                               {"port", 443},
                                                               {"targetPort", 6443}}}}}}};
}

// The classes of the pods that a cluster itself runs.
json::Value priority_class(std::string_view name, std::int64_t value,
                           std::string_view description) {
  return json::Object{
      {"metadata", json::Object{{"name", name}}}, {"value", value}, {"description", description}};
}

// A level of priority that limits requests. Without queues it rejects what is beyond its share.
struct Level {
  std::string_view name;
  int shares;
  int lendable_percent;
  int queues;
  int hand_size;
};

constexpr Level kLevels[] = {
    {"system", 30, 33, 64, 6},         {"node-high", 40, 25, 64, 6},
    {"leader-election", 10, 0, 16, 4}, {"workload-high", 40, 50, 128, 6},
    {"workload-low", 100, 90, 128, 6}, {"global-default", 20, 50, 128, 6},
    {"catch-all", 5, 0, 0, 0},
};

json::Value priority_level(std::string_view name, json::Object spec) {
  return json::Object{
      {"metadata",
       json::Object{{"name", name},
                    {"annotations", json::Object{{"apf.kubernetes.io/autoupdate-spec", "true"}}}}},
      {"spec", std::move(spec)}};
}

json::Value limited_level(const Level& level) {
  json::Object response{{"type", level.queues == 0 ? "Reject" : "Queue"}};
  if (level.queues != 0) {
    response.append("queuing", json::Object{{"queues", level.queues},
                                            {"handSize", level.hand_size},
                                            {"queueLengthLimit", 50}});
  }
  return priority_level(
      level.name, json::Object{{"type", "Limited"},
                               {"limited", json::Object{{"nominalConcurrencyShares", level.shares},
                                                        {"lendablePercent", level.lendable_percent},
                                                        {"limitResponse", std::move(response)}}}});
}

}  // namespace

Result<void> make_initial_objects(const ResourceTable& resources, ObjectService& objects) {
  const auto make = [&](const OwnResource& resource, std::string_view namespace_,
                        json::Value object) -> Result<void> {
    const auto created = objects.create(*resources.find(resource), namespace_, std::move(object));
    if (!created) return created.error();
    return {};
  };
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    json::Value object = json::Object{{"metadata", json::Object{{"name", name}}}};
    if (auto made = make(builtin::kNamespaces, "", std::move(object)); !made) return made;
  }
  for (json::Value object :
       {priority_class(
            "system-node-critical", 2'000'001'000,
            "Used for system critical pods that must not be moved from their current node."),
        priority_class("system-cluster-critical", 2'000'000'000,
                       "Used for system critical pods that must run in the cluster, but can be "
                       "moved to another "
                       "node if necessary.")}) {
    if (auto made = make(builtin::kPriorityClasses, "", std::move(object)); !made) return made;
  }
  json::Object exempt{
      {"type", "Exempt"},
      {"exempt", json::Object{{"nominalConcurrencyShares", 0}, {"lendablePercent", 0}}}};
  if (auto made = make(builtin::kPriorityLevels, "", priority_level("exempt", std::move(exempt)));
      !made) {
    return made;
  }
  for (const Level& level : kLevels) {
    if (auto made = make(builtin::kPriorityLevels, "", limited_level(level)); !made) return made;
  }
  const std::string address = format_ipv4(objects.addresses().first());
  return make(builtin::kServices, "default", own_service(address));
}

}  // namespace kube::apiserver
