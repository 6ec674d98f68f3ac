// SPDX-License-Identifier: Apache-2.0
//
// /healthz, /livez, /readyz and /metrics of a cache server.
#pragma once

#include <optional>

#include <kube/cacheserver/cache_server.hpp>

#include "served_resources.hpp"

namespace kube::cacheserver {

/// Returns nothing for another path; of any method, as an API server does. The server lives as long
/// as it answers; it is ready when every informer has synced and has heard of the cluster within
/// `max_age`.
std::optional<serving::HttpResponse> serve_health(const serving::Route& route,
                                                  const ServedResources& served, Duration max_age);

/// In the text format of Prometheus.
serving::HttpResponse metrics_response(const ServedResources& served,
                                       const CacheServer::Statistics& statistics);

}  // namespace kube::cacheserver
