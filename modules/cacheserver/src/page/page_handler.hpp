// SPDX-License-Identifier: Apache-2.0
//
// The page at "/", and what it asks for: the resources, the rows of a table as they change, one
// object as YAML. Values of secrets are in none of them.
#pragma once

#include <optional>
#include <string_view>

#include "authorizer.hpp"
#include "served_resources.hpp"

namespace kube::cacheserver {

/// Returns the page itself, which has nothing of the cluster, to a browser that asks for "/".
/// `page`: the program's own; empty for that of this server.
std::optional<serving::HttpResponse> serve_html(const serving::HttpRequest& request,
                                                const serving::Route& route, std::string_view page);

/// Returns nothing for a path that the page does not ask for. The resources are those that the
/// caller may read, one for each namespace when it may not read all.
std::optional<Result<serving::HttpResponse>> serve_page(
    serving::ReadContext& reads, const ServedResources& served, Authorizer& authorizer,
    const Caller& caller, const serving::HttpRequest& request, const serving::Route& route);

}  // namespace kube::cacheserver
