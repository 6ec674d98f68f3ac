// SPDX-License-Identifier: Apache-2.0
//
// The certificates that answer a PodCertificateRequest.
#pragma once

#include "validation/place.hpp"

namespace kube::apiserver {

/// Checks the chain and the times of a status that says "Issued".
void check_issued(const Place& status);

}  // namespace kube::apiserver
