// SPDX-License-Identifier: Apache-2.0
//
// Paths other than those of resources: discovery, OpenAPI, version, health.
#pragma once

#include "requests/api_context.hpp"

namespace kube::apiserver {

/// Serves any path; an unknown one gets a plain 404.
HttpResponse serve_plain(ApiContext& api, const HttpRequest& request, const Route& route);

/// The text "404 page not found".
HttpResponse page_not_found();

}  // namespace kube::apiserver
