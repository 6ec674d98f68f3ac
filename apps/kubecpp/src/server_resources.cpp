// SPDX-License-Identifier: Apache-2.0
#include "server_resources.hpp"

#include <string>
#include <utility>

#include <kube/names/time.hpp>

#include "warning_printer.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

}  // namespace

Result<std::shared_ptr<kube::CachedDiscovery>> discovery_of(const Connection& connection,
                                                            const ConnectionOptions& options) {
  const auto ttl = kube::meta::Duration::parse(options.discovery_ttl);
  if (!ttl) {
    return Error(ErrorCode::InvalidArgument,
                 "--discovery-ttl: expected a duration such as 10m or 6h, got \"" +
                     options.discovery_ttl + "\"");
  }
  const kube::RestClient& client = connection.client.rest();
  const std::string root =
      options.cache_dir.empty() ? kube::default_cache_root() : options.cache_dir;
  if (root.empty()) {
    return std::make_shared<kube::MemoryCachedDiscovery>(
        std::make_shared<kube::DiscoveryClient>(client));
  }
  auto cache = kube::DiskCachedDiscovery::create(client.config(), client.runtime(),
                                                 {.root = root, .ttl = ttl->value});
  if (!cache) return cache.error();
  return std::shared_ptr<kube::CachedDiscovery>(*std::move(cache));
}

Result<std::shared_ptr<const kube::DeferredRestMapper>> mapper_of(const Connection& connection,
                                                                  const ConnectionOptions& options,
                                                                  std::stop_token stop) {
  auto discovery = discovery_of(connection, options);
  if (!discovery) return discovery.error();
  return mapper_of(connection, *std::move(discovery), std::move(stop));
}

Result<std::shared_ptr<const kube::DeferredRestMapper>> mapper_of(
    const Connection& connection, std::shared_ptr<kube::CachedDiscovery> discovery,
    std::stop_token stop) {
  const kube::Timer late =
      warn_when_slow(connection.client, "a response from " + connection.server);
  auto printer = std::make_shared<WarningPrinter>();
  auto mapper = std::make_shared<const kube::DeferredRestMapper>(
      std::move(discovery), [printer](const std::string& warning) {
        printer->handle_warning_header(kMiscellaneousWarning, "", warning);
      });
  if (auto read = mapper->current(std::move(stop)); !read) return read.error();
  return mapper;
}

}  // namespace kubecpp
