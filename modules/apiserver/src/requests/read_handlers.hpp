// SPDX-License-Identifier: Apache-2.0
//
// get, list and watch.
#pragma once

#include "forms/encoding.hpp"
#include "requests/api_context.hpp"

namespace kube::apiserver {

Result<HttpResponse> get_object(ApiContext& api, const ResourceRequest& request);
Result<HttpResponse> list_objects(ApiContext& api, const ResourceRequest& request);
Result<HttpResponse> watch_objects(ApiContext& api, const ResourceRequest& request);

/// Responds with a list of these objects.
HttpResponse list_response(std::shared_ptr<const Resource> resource, std::vector<ObjectPtr> objects,
                           std::uint64_t revision, EncodingPtr encoding);

}  // namespace kube::apiserver
