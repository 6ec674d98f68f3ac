// SPDX-License-Identifier: Apache-2.0
//
// What the handlers of writes use besides, and what they know about a request.
#pragma once

#include <kube/apiserver/api_server.hpp>

#include "names/serving_names.hpp"
#include "objects/object_service.hpp"
#include "reading/read_context.hpp"

namespace kube::apiserver {

/// Owned by the server; outlives all handlers.
struct ApiContext : ReadContext {
  const ApiServer::Options& options;
  Store& store;
  ObjectService& objects;
};

/// A request for a resource that exists and has the verb.
struct ResourceRequest : ReadRequest {
  const User& user;
  const Subresource* subresource = nullptr;
};

}  // namespace kube::apiserver
