// SPDX-License-Identifier: Apache-2.0
//
// An OpenAPI v3 document of a cluster, cut to what is served here.
#pragma once

#include <kube/json/value.hpp>

#include "resources/resource_table.hpp"

namespace kube::cacheserver {

/// Returns the document with the paths and methods that the table has, and the schemas that these
/// refer to, directly or through others.
json::Value cut_openapi(const json::Value& document, const serving::ResourceTable& table);

}  // namespace kube::cacheserver
