// SPDX-License-Identifier: Apache-2.0
#include <kube/client/client.hpp>

#include "envelope.hpp"

namespace kube {

Result<Client> Client::create(const rest::Config& config, ClientOptions options) {
  if (!options.runtime.executor) {
    options.runtime.executor = std::make_shared<ThreadPool>(
        ThreadPool::Options{.threads = options.threads, .name = "kube"});
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

namespace detail {

std::optional<json::Value> status_in(const std::string& body) {
  const Result<TypeNames> type = type_names(body);
  if (!type || type->kind != "Status" || type->api_version != "v1") return std::nullopt;
  Result<json::Value> status = json::parse(body);
  if (!status) return std::nullopt;
  return *std::move(status);
}

Error missing_name(std::string_view where) {
  return Error(ErrorCode::InvalidArgument, "obj.Name must be provided to Apply")
      .with_context("apply " + std::string(where));
}

}  // namespace detail

}  // namespace kube
