// SPDX-License-Identifier: Apache-2.0
//
// Which families, cluster IPs and node ports a service has, as a cluster of one family, IPv4,
// decides it.
#pragma once

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

#include "objects/object_rules.hpp"
#include "objects/service_allocator.hpp"

namespace kube::apiserver {

/// Completes the addresses and ports of a service that is created, or whose main part is updated;
/// leaves other objects as they are. What it takes is held until the result ends. A dry run takes
/// nothing and shows numbers that no service gets.
/// @par Errors   A 422 for fields that contradict each other or the cluster, and for what is taken.
Result<ServiceAllocator::Hold> allocate_addresses(ServiceAllocator& allocator, const Write& write,
                                                  json::Value& service, bool dry_run);

}  // namespace kube::apiserver
