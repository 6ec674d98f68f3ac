// SPDX-License-Identifier: Apache-2.0
//
// Cells of pods: the state of a pod's containers in a few words.
#pragma once

#include "kinds/kind.hpp"

namespace kube::serving {

json::Value pod_ready(const CellInput& input);
json::Value pod_status(const CellInput& input);
json::Value pod_restarts(const CellInput& input);
json::Value pod_ip(const CellInput& input);
json::Value readiness_gates(const CellInput& input);

}  // namespace kube::serving
