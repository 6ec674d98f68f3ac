// SPDX-License-Identifier: Apache-2.0
//
// The time limit of waits in tests.
#pragma once

#include <chrono>

namespace kube::testing {

/// The real time after which a wait gives up, so that a broken test fails instead of hanging.
inline constexpr std::chrono::seconds kPatience{30};

}  // namespace kube::testing
