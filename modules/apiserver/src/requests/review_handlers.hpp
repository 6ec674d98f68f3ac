// SPDX-License-Identifier: Apache-2.0
//
// Resources that are only created and never stored: who am I, may I.
#pragma once

#include "requests/api_context.hpp"

namespace kube::apiserver {

/// The sent object with its status filled in.
Result<HttpResponse> create_review(ApiContext& api, const ResourceRequest& request);

/// Asks the authorizer, if there is one; an exception of it means no.
bool is_allowed(const ApiServer::Options& options, const AccessRequest& access);

/// The user of a token; nothing for an unknown one. Takes as long for any token.
std::optional<User> user_of_token(const ApiServer::Options& options, std::string_view token);

}  // namespace kube::apiserver
