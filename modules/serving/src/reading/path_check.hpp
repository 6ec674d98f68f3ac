// SPDX-License-Identifier: Apache-2.0
//
// Paths of resources that lead nowhere, and what a deprecated resource says: the same of each
// server.
#pragma once

#include <optional>
#include <string_view>

#include "reading/read_context.hpp"

namespace kube::serving {

/// Whether a served group has built-in kinds; of others the reference server says less.
bool is_builtin_group(const ResourceTable& table, std::string_view name);

/// Returns the response to a path whose group and version are not served.
HttpResponse refuse_version(const ResourceTable& table, const HttpRequest& request,
                            const Route& route);

/// Returns the response to a path of a served group and version that leads nowhere, or a method
/// without a verb; nothing for another. `resource`: that of the path; null when it has none.
std::optional<Result<HttpResponse>> refuse_path(const ResourceTable& table,
                                                const Resource* resource, const Route& route);

/// Adds the warning of a deprecated resource, before all others.
HttpResponse with_deprecation(const Resource& resource, HttpResponse response);

}  // namespace kube::serving
