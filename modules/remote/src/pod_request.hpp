// SPDX-License-Identifier: Apache-2.0
//
// Requests for a pod's subresources that switch to WebSocket.
#pragma once

#include <string_view>

#include <kube/base/result.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/codec/query.hpp>

namespace kube {

/// GET .../pods/{pod}/{subresource}?query, without the headers of the handshake.
/// @par Errors   InvalidArgument: no name, or names that can't be in a path.
Result<Request> pod_request(std::string_view namespace_, std::string_view pod,
                            std::string_view subresource, QueryParameters query);

}  // namespace kube
