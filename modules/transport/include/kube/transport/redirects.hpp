// SPDX-License-Identifier: Apache-2.0
//
// Follows redirects within one server. Any thread may call this function.
#pragma once

#include <memory>

#include <kube/transport/round_tripper.hpp>

namespace kube::transport {

/// Returns a transport that follows the redirects (301, 302, 303, 307, 308) of GET and HEAD
/// requests to other paths of the same scheme, host and port, at most ten in a row; then the
/// exchange fails with Unreachable. The request goes on with all its headers. Redirects to other
/// servers are passed on as responses: no credentials reach them, and no response of theirs counts
/// as one of the API server. Each redirect has the request's timeouts anew.
std::shared_ptr<RoundTripper> following_redirects(std::shared_ptr<RoundTripper> base);

}  // namespace kube::transport
