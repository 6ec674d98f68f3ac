// SPDX-License-Identifier: Apache-2.0
//
// Makes the client of a configuration.
#include <kube/client/client.hpp>

#include <kube/client/deferred_rest_mapper.hpp>
#include <kube/client/discovery.hpp>

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

Result<Api<Unstructured>> Client::api(std::string_view api_version, std::string_view kind,
                                      std::string namespace_, std::stop_token stop) const {
  auto found = mapper()->resource(api_version, kind, std::move(stop));
  if (!found) return found.error();
  return api(*std::move(found), std::move(namespace_));
}

Result<bool> Client::has_api(std::string_view api_version, std::string_view name,
                             std::stop_token stop) const {
  const auto found = mapper()->resource(api_version, name, std::move(stop));
  if (found) return true;
  if (is_no_match(found.error())) return false;
  return found.error();
}

Result<ServerVersion> Client::server_version(std::stop_token stop) const {
  return DiscoveryClient(rest_).server_version(std::move(stop));
}

std::string Client::default_namespace() const {
  const std::string& name = rest_.config().namespace_;
  return name.empty() ? "default" : name;
}

}  // namespace kube
