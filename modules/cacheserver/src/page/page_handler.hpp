// SPDX-License-Identifier: Apache-2.0
//
// The page at "/", and what it asks for: the resources, the rows of a table as they change, one
// object as YAML. Values of secrets are in none of them.
#pragma once

#include <optional>
#include <string_view>

#include "served_resources.hpp"

namespace kube::cacheserver {

/// Returns the page itself, which has nothing of the cluster, to a browser that asks for "/".
/// `page`: the program's own; empty for that of this server.
std::optional<serving::HttpResponse> serve_html(const serving::HttpRequest& request,
                                                const serving::Route& route, std::string_view page);

/// Returns nothing for a path that the page does not ask for.
std::optional<Result<serving::HttpResponse>> serve_page(serving::ReadContext& reads,
                                                        const ServedResources& served,
                                                        const serving::HttpRequest& request,
                                                        const serving::Route& route);

}  // namespace kube::cacheserver
