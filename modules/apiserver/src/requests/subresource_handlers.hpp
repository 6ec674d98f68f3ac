// SPDX-License-Identifier: Apache-2.0
//
// Subresources: status, scale, binding, eviction and the like.
#pragma once

#include "requests/api_context.hpp"

namespace kube::apiserver {

/// A request whose path has a subresource that the resource has, with a verb that it has.
Result<HttpResponse> serve_subresource(ApiContext& api, const ResourceRequest& request, Verb verb);

/// POST to a collection that is one to the subresource of another resource's object: to
/// namespaces/{ns}/bindings, the older form of pods/{name}/binding.
Result<HttpResponse> post_to_subresource(ApiContext& api, const ResourceRequest& request);

}  // namespace kube::apiserver
