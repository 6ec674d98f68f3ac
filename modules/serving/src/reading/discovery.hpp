// SPDX-License-Identifier: Apache-2.0
//
// Discovery: the groups, versions and resources that are served, in the old documents and in the
// aggregated one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <kube/json/value.hpp>

#include "resources/resource_table.hpp"

namespace kube::serving {

/// /api
json::Value core_versions(std::string_view server_address);
/// /apis
json::Value group_list(const ResourceTable& table);
/// /apis/{group}; empty for an unknown one.
std::optional<json::Value> group_document(const ResourceTable& table, std::string_view group);
/// /api/v1 and /apis/{group}/{version}; empty for an unknown one.
std::optional<json::Value> resource_list(const ResourceTable& table, std::string_view group,
                                         std::string_view version);
/// /api (core only) or /apis (the rest) with the aggregated Accept; `version`: "v2" or "v2beta1".
json::Value aggregated_discovery(const ResourceTable& table, bool core, std::string_view version);
/// The paths that "/" lists.
json::Value root_paths(const ResourceTable& table);

}  // namespace kube::serving
