// SPDX-License-Identifier: Apache-2.0
//
// Paths other than those of resources: discovery, OpenAPI, version, health.
#pragma once

#include "reading/read_context.hpp"

namespace kube::serving {

/// Serves any path; an unknown one gets a plain 404.
HttpResponse serve_plain(ReadContext& api, const HttpRequest& request, const Route& route);

/// Responds with a document of /openapi/v3; redirects a client that asks for another hash.
HttpResponse openapi_response(const HttpRequest& request, const Route& route,
                              const OpenApiDocument& document);

/// The text "404 page not found".
HttpResponse page_not_found();

}  // namespace kube::serving
