// SPDX-License-Identifier: Apache-2.0
//
// Makes the client of a configuration.
#include <kube/client/client.hpp>

namespace kube {

RestClient::RestClient(const Client& client) : RestClient(client.rest()) {}

Result<Client> Client::create(const rest::Config& config, ClientOptions options) {
  if (!options.runtime.executor) {
    options.runtime.executor = std::make_shared<ThreadPool>(ThreadPool::Options{
        .threads = options.threads, .name = "kube", .logger = options.runtime.logger});
    if (!options.runtime.handlers) {
      options.runtime.handlers =
          std::make_shared<ThreadPool>(ThreadPool::Options{.threads = options.handler_threads,
                                                           .name = "kube-handler",
                                                           .logger = options.runtime.logger});
    }
  }
  Result<RestClient> rest =
      RestClient::create(config, std::move(options.runtime), std::move(options.transport),
                         std::move(options.warning_handler));
  if (!rest) return rest.error();
  return Client(*std::move(rest));
}

std::string Client::default_namespace() const {
  const std::string& name = rest_.config().namespace_;
  return name.empty() ? "default" : name;
}

}  // namespace kube
