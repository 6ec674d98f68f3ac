// SPDX-License-Identifier: Apache-2.0
//
// create, update and patch of objects.
#pragma once

#include "requests/api_context.hpp"

namespace kube::apiserver {

Result<HttpResponse> create_object(ApiContext& api, const ResourceRequest& request);
/// `part`: which part the path stands for.
Result<HttpResponse> update_object(ApiContext& api, const ResourceRequest& request, Part part);
Result<HttpResponse> patch_object(ApiContext& api, const ResourceRequest& request, Part part);

/// A document that a PUT or the result of a patch has must be the one that the path names; a 400
/// otherwise. Fills an empty namespace in.
Result<void> match_path(const ResourceRequest& request, json::Value& document);

}  // namespace kube::apiserver
