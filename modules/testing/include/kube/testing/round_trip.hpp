// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::round_trip: a request and its whole response in one call, for tests of transports.
#pragma once

#include <cstddef>
#include <stop_token>

#include <kube/base/result.hpp>
#include <kube/transport/http.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::testing {

/// Sends a request and collects the response.
/// @par Errors   Those of ResponseHandler::on_end(); Decode for a body of more than `max_bytes`.
/// @par Blocks   Until the response is complete or `stop` is requested (Cancelled). Must not be
///   called by a ResponseHandler.
/// @par Thread safety   Any thread may call it.
Result<transport::HttpResponse> round_trip(transport::RoundTripper& transport,
                                           transport::HttpRequest request, std::stop_token stop,
                                           std::size_t max_bytes = std::size_t{1} << 30U);

}  // namespace kube::testing
