// SPDX-License-Identifier: Apache-2.0
//
// The scale subresource: an autoscaling/v1 Scale of an object's replicas.
#pragma once

#include "names/serving_names.hpp"
#include "requests/api_context.hpp"

namespace kube::apiserver {

/// Serves get, update and patch.
Result<HttpResponse> serve_scale(ApiContext& api, const ResourceRequest& request, Verb verb);

}  // namespace kube::apiserver
