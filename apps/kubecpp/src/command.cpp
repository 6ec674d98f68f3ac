// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <cstdio>

#include <kube/config/kubeconfig.hpp>

namespace kubecpp {

kube::Result<Connection> connect(const ConnectionOptions& options) {
  kube::rest::Config config;
  if (!options.server.empty()) {
    if (!options.kubeconfig.empty() || !options.context.empty()) {
      return kube::Error(kube::ErrorCode::InvalidArgument,
                         "expected either --server or --kubeconfig and --context, not both");
    }
    config.host = options.server;
  } else if (!options.kubeconfig.empty() || !options.context.empty()) {
    auto loaded = kube::kubeconfig::load({.path = options.kubeconfig, .context = options.context});
    if (!loaded) return loaded.error();
    config = *std::move(loaded);
  } else {
    auto found = kube::rest::default_config();
    if (!found) return found.error();
    config = *std::move(found);
  }
  kube::ClientOptions client_options;
  if (options.verbose) client_options.runtime.logger = kube::stderr_logger(kube::LogLevel::Debug);
  auto client = kube::Client::create(config, client_options);
  if (!client) return client.error();
  return Connection{*std::move(client), config.namespace_.empty() ? "default" : config.namespace_};
}

int report(const kube::Error& error) {
  std::fprintf(stderr, "kubecpp: %s\n", error.to_string().c_str());
  switch (error.code()) {
    case kube::ErrorCode::InvalidArgument:
      return 2;
    case kube::ErrorCode::Cancelled:
      return 130;
    default:
      return 1;
  }
}

}  // namespace kubecpp
