// SPDX-License-Identifier: Apache-2.0
//
// Questions to a Discovery, and selections from what it returned: the helpers of client-go's
// package discovery. Any thread may call these functions.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/client/discovery.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// Returns each resource once, in the group's preferred version if that has it, else in the first
/// version that has it; without subresources. There is a list for each group version, which may be
/// empty; `failed` is kept.
ServerResources preferred_resources(ServerResources resources);
/// The same, of the namespaced resources alone, and without empty lists.
ServerResources preferred_namespaced_resources(ServerResources resources);

/// Asks for preferred_resources().
/// @par Errors   As Discovery::server_groups_and_resources().
/// @par Blocks   As Discovery::server_groups_and_resources().
Result<ServerResources> server_preferred_resources(const Discovery& discovery,
                                                   std::stop_token stop = {});

using ResourcePredicate =
    std::function<bool(const meta::GroupVersion& version, const ApiResource& resource)>;
/// Returns the resources for which the predicate is true, without the lists that have none.
std::vector<ApiResourceList> filtered_by(const ResourcePredicate& predicate,
                                         std::span<const ApiResourceList> lists);
/// A predicate: the resource has all of these verbs.
ResourcePredicate supports_all_verbs(std::vector<std::string> verbs);

/// Returns the names of all resources, subresources included.
std::set<meta::GroupVersionResource> group_version_resources(
    std::span<const ApiResourceList> lists);

/// Whether the server serves a resource. A server without the group version does not.
/// @par Errors   As Discovery::server_resources_for_group_version(), without NotFound.
/// @par Blocks   As Discovery::server_resources_for_group_version().
Result<bool> is_resource_enabled(const Discovery& discovery,
                                 const meta::GroupVersionResource& resource,
                                 std::stop_token stop = {});

/// Succeeds when the server lists the group version, and when it lists none at all: then it does
/// not say what it supports.
/// @par Errors   InvalidArgument, `server does not support API version "g/v"`; those of
///   Discovery::server_groups().
/// @par Blocks   As Discovery::server_groups().
Result<void> server_supports_version(const Discovery& discovery, const meta::GroupVersion& version,
                                     std::stop_token stop = {});

}  // namespace kube
