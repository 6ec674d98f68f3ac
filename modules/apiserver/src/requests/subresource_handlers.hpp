// SPDX-License-Identifier: Apache-2.0
//
// Subresources: status, scale, binding, eviction and the like.
#pragma once

#include "names/serving_names.hpp"
#include "requests/api_context.hpp"

namespace kube::apiserver {

/// Serves a request for an existing subresource with one of its verbs.
Result<HttpResponse> serve_subresource(ApiContext& api, const ResourceRequest& request, Verb verb);

/// Serves a POST to a collection that acts on a subresource of another resource:
/// namespaces/{ns}/bindings is the older form of pods/{name}/binding.
Result<HttpResponse> post_to_subresource(ApiContext& api, const ResourceRequest& request);

}  // namespace kube::apiserver
