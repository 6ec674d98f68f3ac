// SPDX-License-Identifier: Apache-2.0
//
// The lists of containers of a pod's spec.
#pragma once

#include "validation/place.hpp"

namespace kube::apiserver {

/// An image of a pod has no spaces around it; that of a template may.
void check_image_spaces(const Place& container);
void check_containers(const Place& spec);
void check_init_containers(const Place& spec);
void check_ephemeral_containers(const Place& spec);

}  // namespace kube::apiserver
