// SPDX-License-Identifier: Apache-2.0
//
// The addresses of services and ingresses.
#pragma once

#include <string>
#include <vector>

#include <kube/json/value.hpp>

namespace kube::serving {

/// Returns the addresses in status.loadBalancer, sorted, without duplicates.
std::vector<std::string> load_balancer_addresses(const json::Value& object);

}  // namespace kube::serving
