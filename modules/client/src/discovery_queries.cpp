// SPDX-License-Identifier: Apache-2.0
#include <kube/client/discovery_queries.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <kube/meta/errors.hpp>

namespace kube {
namespace {

bool is_subresource(const ApiResource& resource) {
  return resource.name.find('/') != std::string::npos;
}

bool is_preferred(const std::vector<ApiGroup>& groups, const meta::GroupVersion& version) {
  const auto group = std::ranges::find(groups, version.group, &ApiGroup::name);
  return group != groups.end() && group->preferred_version == version.version;
}

}  // namespace

ServerResources preferred_resources(ServerResources resources) {
  // The version of each resource: the preferred one replaces one that came before it.
  std::map<meta::GroupResource, std::string> chosen;
  for (const ApiResourceList& list : resources.resources) {
    const bool preferred = is_preferred(resources.groups, list.group_version);
    for (const ApiResource& resource : list.resources) {
      const meta::GroupResource name{list.group_version.group, resource.name};
      if (preferred) {
        chosen[name] = list.group_version.version;
      } else {
        chosen.emplace(name, list.group_version.version);
      }
    }
  }
  for (ApiResourceList& list : resources.resources) {
    std::erase_if(list.resources, [&](const ApiResource& resource) {
      const meta::GroupResource name{list.group_version.group, resource.name};
      return is_subresource(resource) || chosen[name] != list.group_version.version;
    });
  }
  return resources;
}

ServerResources preferred_namespaced_resources(ServerResources resources) {
  resources = preferred_resources(std::move(resources));
  resources.resources = filtered_by(
      [](const meta::GroupVersion&, const ApiResource& each) { return each.namespaced; },
      resources.resources);
  return resources;
}

Result<ServerResources> server_preferred_resources(const Discovery& discovery,
                                                   std::stop_token stop) {
  Result<ServerResources> resources = discovery.server_groups_and_resources(std::move(stop));
  if (!resources) return resources;
  return preferred_resources(*std::move(resources));
}

std::vector<ApiResourceList> filtered_by(const ResourcePredicate& predicate,
                                         std::span<const ApiResourceList> lists) {
  std::vector<ApiResourceList> found;
  for (const ApiResourceList& list : lists) {
    ApiResourceList some{.group_version = list.group_version};
    for (const ApiResource& resource : list.resources) {
      if (predicate(list.group_version, resource)) some.resources.push_back(resource);
    }
    if (!some.resources.empty()) found.push_back(std::move(some));
  }
  return found;
}

ResourcePredicate supports_all_verbs(std::vector<std::string> verbs) {
  return [verbs = std::move(verbs)](const meta::GroupVersion&, const ApiResource& resource) {
    return std::ranges::all_of(verbs, [&](const std::string& verb) {
      return std::ranges::find(resource.verbs, verb) != resource.verbs.end();
    });
  };
}

std::set<meta::GroupVersionResource> group_version_resources(
    std::span<const ApiResourceList> lists) {
  std::set<meta::GroupVersionResource> names;
  for (const ApiResourceList& list : lists) {
    for (const ApiResource& resource : list.resources) {
      names.insert({list.group_version.group, list.group_version.version, resource.name});
    }
  }
  return names;
}

Result<bool> is_resource_enabled(const Discovery& discovery,
                                 const meta::GroupVersionResource& resource, std::stop_token stop) {
  const auto list =
      discovery.server_resources_for_group_version(resource.group_version(), std::move(stop));
  if (!list && is_not_found(list.error())) return false;
  if (!list) return list.error();
  return std::ranges::any_of(
      list->resources, [&](const ApiResource& each) { return each.name == resource.resource; });
}

Result<void> server_supports_version(const Discovery& discovery, const meta::GroupVersion& version,
                                     std::stop_token stop) {
  const auto groups = discovery.server_groups(std::move(stop));
  if (!groups) return groups.error();
  bool says = false;
  for (const ApiGroup& group : *groups) {
    for (const std::string& each : group.versions) {
      if (group.name == version.group && each == version.version) return {};
      says = true;
    }
  }
  if (!says) return {};
  return Error(ErrorCode::InvalidArgument,
               "server does not support API version \"" + version.to_string() + "\"");
}

}  // namespace kube
