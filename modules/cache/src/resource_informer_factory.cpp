// SPDX-License-Identifier: Apache-2.0
//
// Finds a resource by its name alone, or asks the server for it.
#include <kube/cache/resource_informer_factory.hpp>

#include <string>
#include <utility>

#include <kube/api/resources.hpp>
#include <kube/client/deferred_rest_mapper.hpp>

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

Result<meta::ResourceInfo> resource_by_kind(const RestClient& client, std::string_view api_version,
                                            std::string_view kind, std::stop_token stop) {
  return client.mapper()->resource(api_version, kind, std::move(stop));
}

}  // namespace kube
