// SPDX-License-Identifier: Apache-2.0
//
// Checks of responses that should be an object.
#pragma once

#include <string>

#include <kube/base/result.hpp>
#include <kube/transport/http.hpp>

namespace kube {

/// Refuses responses that no API server sends, before their bytes are read: Decode for an empty one
/// and for a page of HTML.
Result<void> check_content(const transport::HttpResponse& response);

/// Fails with Server for a Status of failure, which is an error whatever the code of the response
/// is; with Decode for bytes that are not an object.
Result<void> check_status(const std::string& body);

}  // namespace kube
