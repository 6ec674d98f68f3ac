// SPDX-License-Identifier: Apache-2.0
//
// get, list and watch.
#pragma once

#include <string>

#include "forms/encoding.hpp"
#include "reading/read_context.hpp"

namespace kube::serving {

/// Returns the namespace whose objects a request reads: that of its path, else for a list or watch
/// the one that its field selector requires; "" for all.
std::string namespace_of(const ReadRequest& request);

Result<HttpResponse> get_object(ReadContext& api, const ReadRequest& request);
Result<HttpResponse> list_objects(ReadContext& api, const ReadRequest& request);
Result<HttpResponse> watch_objects(ReadContext& api, const ReadRequest& request);
/// In a form that the request's Accept does not choose.
Result<HttpResponse> watch_objects(ReadContext& api, const ReadRequest& request,
                                   const EncodingPtr& encoding);

}  // namespace kube::serving
