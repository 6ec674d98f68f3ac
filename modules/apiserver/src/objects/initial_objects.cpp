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
  const std::string address = format_ipv4(objects.addresses().first());
  return make(builtin::kServices, "default", own_service(address));
}

}  // namespace kube::apiserver
