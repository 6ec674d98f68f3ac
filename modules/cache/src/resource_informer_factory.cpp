// SPDX-License-Identifier: Apache-2.0
//
// Finds a resource by its name alone.
#include <kube/cache/resource_informer_factory.hpp>

#include <string>

#include <kube/api/resources.hpp>

namespace kube {

meta::ResourceInfo resource_by_name(const meta::GroupVersionResource& resource) {
  meta::ResourceInfo info{
      .group = resource.group, .version = resource.version, .plural = resource.resource};
  if (const api::ResourceFacts* const known =
          api::find_resource(resource.group, resource.version, resource.resource)) {
    info.kind = std::string(known->kind);
    info.singular = std::string(known->singular);
    info.namespaced = known->namespaced;
  }
  return info;
}

}  // namespace kube
