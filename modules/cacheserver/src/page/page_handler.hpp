// SPDX-License-Identifier: Apache-2.0
//
// What the page asks for: the resources, the rows of a table as they change, one object as YAML.
// Values of secrets are in none of them.
#pragma once

#include <optional>

#include "authorizer.hpp"
#include "served_resources.hpp"

namespace kube::cacheserver {

/// Returns nothing for a path that the page does not ask for. The resources are those that the
/// caller may read, one for each namespace when it may not read all.
std::optional<Result<serving::HttpResponse>> serve_page(
    serving::ReadContext& reads, const ServedResources& served, Authorizer& authorizer,
    const Caller& caller, const serving::HttpRequest& request, const serving::Route& route);

}  // namespace kube::cacheserver
