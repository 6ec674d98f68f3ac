// SPDX-License-Identifier: Apache-2.0
#include "objects/initial_objects.hpp"

#include <utility>

namespace kube::apiserver {
namespace {

// As in a cluster made by kubeadm: the first address of the service range, the usual port.
json::Value own_service() {
  return json::Object{
      {"metadata", json::Object{{"name", "kubernetes"},
                                {"namespace", "default"},
                                {"labels", json::Object{{"component", "apiserver"},
                                                        {"provider", "kubernetes"}}}}},
      {"spec", json::Object{{"clusterIP", "10.96.0.1"},
                            {"clusterIPs", json::Array{"10.96.0.1"}},
                            {"ipFamilies", json::Array{"IPv4"}},
                            {"ipFamilyPolicy", "SingleStack"},
                            {"ports", json::Array{json::Object{{"name", "https"},
                                                               {"protocol", "TCP"},
                                                               {"port", 443},
                                                               {"targetPort", 6443}}}}}}};
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
  return make(builtin::kServices, "default", own_service());
}

}  // namespace kube::apiserver
