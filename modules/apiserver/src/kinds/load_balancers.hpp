// SPDX-License-Identifier: Apache-2.0
//
// What services and ingresses have in common.
#pragma once

#include <string>
#include <vector>

#include <kube/json/value.hpp>

namespace kube::apiserver {

/// The addresses in status.loadBalancer, sorted, each once.
std::vector<std::string> load_balancer_addresses(const json::Value& object);

}  // namespace kube::apiserver
