// SPDX-License-Identifier: Apache-2.0
//
// What a server serves, from the cache that kubectl uses.
#pragma once

#include <memory>
#include <stop_token>

#include <kube/base/result.hpp>
#include <kube/client/cached_discovery.hpp>
#include <kube/client/deferred_rest_mapper.hpp>

#include "command.hpp"

namespace kubecpp {

/// Returns the discovery of a connection: in front of the files below --cache-dir, or in memory
/// when there is no folder for them.
/// @par Errors   InvalidArgument for --discovery-ttl; those of the connection's configuration.
kube::Result<std::shared_ptr<kube::CachedDiscovery>> discovery_of(const Connection& connection,
                                                                  const ConnectionOptions& options);

/// Returns a mapper that has read discovery, and prints its warnings on standard error. Says that
/// it waits when the server is slow.
/// @par Errors   As discovery_of() and discovery.
/// @par Blocks   Until discovery is read.
kube::Result<std::shared_ptr<const kube::DeferredRestMapper>> mapper_of(
    const Connection& connection, const ConnectionOptions& options, std::stop_token stop);
kube::Result<std::shared_ptr<const kube::DeferredRestMapper>> mapper_of(
    const Connection& connection, std::shared_ptr<kube::CachedDiscovery> discovery,
    std::stop_token stop);

}  // namespace kubecpp
