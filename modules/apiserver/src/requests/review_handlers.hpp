// SPDX-License-Identifier: Apache-2.0
//
// Resources that are created and never stored: reviews of tokens and of access.
#pragma once

#include "names/serving_names.hpp"
#include "requests/api_context.hpp"

namespace kube::apiserver {

/// Responds with the sent object and its status.
Result<HttpResponse> create_review(ApiContext& api, const ResourceRequest& request);

/// Calls the authorizer, if there is one; an exception counts as false.
bool is_allowed(const ApiServer::Options& options, const AccessRequest& access);

/// Returns the user of a token, or nothing. Takes the same time for each token.
std::optional<User> user_of_token(const ApiServer::Options& options, std::string_view token);

}  // namespace kube::apiserver
