// SPDX-License-Identifier: Apache-2.0
//
// Paths that name no resource: discovery, OpenAPI, version, health.
#pragma once

#include "requests/api_context.hpp"

namespace kube::apiserver {

/// Any path; a plain 404 for what there is not.
HttpResponse serve_plain(ApiContext& api, const HttpRequest& request, const Route& route);

/// "404 page not found", as text.
HttpResponse page_not_found();

}  // namespace kube::apiserver
