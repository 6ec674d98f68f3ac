// SPDX-License-Identifier: Apache-2.0
//
// The Retry-After header of an answer.
#pragma once

#include <chrono>
#include <optional>

#include <kube/transport/http.hpp>

namespace kube {

/// How long the server asks to wait; nothing when the header is absent or is no number of seconds
/// from 0 to 2^31-1. Dates are not understood, as in client-go.
std::optional<std::chrono::seconds> retry_after(const transport::Headers& headers);

}  // namespace kube
