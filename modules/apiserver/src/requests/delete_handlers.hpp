// SPDX-License-Identifier: Apache-2.0
//
// delete and deletecollection.
#pragma once

#include "names/serving_names.hpp"
#include "requests/api_context.hpp"

namespace kube::apiserver {

Result<HttpResponse> delete_object(ApiContext& api, const ResourceRequest& request);
Result<HttpResponse> delete_objects(ApiContext& api, const ResourceRequest& request);

}  // namespace kube::apiserver
