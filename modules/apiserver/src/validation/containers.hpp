// SPDX-License-Identifier: Apache-2.0
//
// The lists of containers of a pod's spec.
#pragma once

#include "validation/place.hpp"

namespace kube::apiserver {

void check_containers(const Place& spec);
void check_init_containers(const Place& spec);
void check_ephemeral_containers(const Place& spec);

}  // namespace kube::apiserver
