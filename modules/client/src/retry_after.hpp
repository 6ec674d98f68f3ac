// SPDX-License-Identifier: Apache-2.0
//
// The Retry-After header of a response.
#pragma once

#include <chrono>
#include <optional>

#include <kube/base/clock.hpp>
#include <kube/transport/http.hpp>

namespace kube {

/// Returns the delay that the server asks for at `now`: a number of seconds from 0 to 2^31-1, or a
/// date ("Wed, 21 Oct 2026 07:28:00 GMT"), which client-go does not read; nullopt for anything
/// else. The time until a date that has passed is 0.
std::optional<std::chrono::seconds> retry_after(const transport::Headers& headers, WallTime now);

}  // namespace kube
