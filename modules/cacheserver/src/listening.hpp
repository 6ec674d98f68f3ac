// SPDX-License-Identifier: Apache-2.0
//
// Where a cache server listens, and what it must ask of clients there.
#pragma once

#include <kube/cacheserver/cache_server.hpp>

#include "http/http_server.hpp"

namespace kube::cacheserver {

/// @par Errors   InvalidArgument: `listen` can't be read; it is not loopback and there is no
///   certificate or no token file; a certificate without a key.
Result<serving::HttpServer::Options> http_options(const CacheServer::Options& options);

}  // namespace kube::cacheserver
