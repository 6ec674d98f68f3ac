// SPDX-License-Identifier: Apache-2.0
//
// OpenAPI v3 documents: as much as clients need to see which kinds there are and how they may be
// written. Schemas name the kinds; fields of built-in kinds are not described, those of custom
// resources as their definitions do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <kube/json/value.hpp>

#include "resource_table.hpp"

namespace kube::apiserver {

/// "api/v1" or "apis/apps/v1"
std::string openapi_path(std::string_view group, std::string_view version);
/// The document of one group and version; nothing for an unknown one. `path`: as above.
std::optional<json::Value> openapi_document(const ResourceTable& table, std::string_view path);
/// The list of them, with a hash of each.
json::Value openapi_index(const ResourceTable& table);
/// What stands in the index for a document.
std::string openapi_hash(const json::Value& document);

}  // namespace kube::apiserver
