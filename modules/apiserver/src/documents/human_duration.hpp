// SPDX-License-Identifier: Apache-2.0
//
// Spans of time as tables show them: "90s", "5m30s", "3h20m", "2d", "4y100d".
#pragma once

#include <string>

#include <kube/base/clock.hpp>

namespace kube::apiserver {

/// About two digits of it. "<invalid>" for more than a second before zero, which is what clocks may
/// differ by.
std::string human_duration(Duration span);

}  // namespace kube::apiserver
