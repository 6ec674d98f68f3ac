// SPDX-License-Identifier: Apache-2.0
//
// The Retry-After header of a response.
#pragma once

#include <chrono>
#include <optional>

#include <kube/transport/http.hpp>

namespace kube {

/// Returns the delay that the server asks for; nullopt when the header is absent or is not a number
/// of seconds from 0 to 2^31-1. Dates are not supported, as in client-go.
std::optional<std::chrono::seconds> retry_after(const transport::Headers& headers);

}  // namespace kube
