// SPDX-License-Identifier: Apache-2.0
//
// Reads the documents of discovery.
#pragma once

#include <string_view>

#include <kube/client/discovery.hpp>
#include <kube/json/value.hpp>

namespace kube {

/// Whether a response with this Content-Type is an APIGroupDiscoveryList of apidiscovery.k8s.io/v2.
bool is_aggregated(std::string_view content_type);

/// An APIGroupDiscoveryList: groups with all their resources. Stale versions are in `failed`.
Result<ServerResources> read_aggregated(const json::Value& document);

/// APIVersions, the response of /api: the core group.
Result<ApiGroup> read_api_versions(const json::Value& document);
/// APIGroupList, the response of /apis.
Result<std::vector<ApiGroup>> read_api_group_list(const json::Value& document);
/// APIResourceList, the response of /apis/{group}/{version}.
Result<ApiResourceList> read_api_resource_list(const json::Value& document,
                                               const meta::GroupVersion& version);

/// The documents of a cache: of the right kind and with something in them.
Result<std::vector<ApiGroup>> read_stored_group_list(const json::Value& document);
Result<ApiResourceList> read_stored_resource_list(const json::Value& document,
                                                  const meta::GroupVersion& version);
json::Value write_api_group_list(const std::vector<ApiGroup>& groups);
json::Value write_api_resource_list(const ApiResourceList& list);

}  // namespace kube
