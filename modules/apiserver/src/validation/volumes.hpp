// SPDX-License-Identifier: Apache-2.0
//
// The volumes of a pod's spec.
#pragma once

#include "validation/place.hpp"

namespace kube::apiserver {

/// Checks the volumes and notes in the walk's PodFacts those that containers can mount.
void check_volumes(const Place& spec);

}  // namespace kube::apiserver
