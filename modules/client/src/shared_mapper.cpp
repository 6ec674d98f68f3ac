// SPDX-License-Identifier: Apache-2.0
#include "shared_mapper.hpp"

#include <kube/client/cached_discovery.hpp>
#include <kube/meta/errors.hpp>

namespace kube {
namespace {

std::string version_in(std::string_view path, const std::string& group) {
  const std::string prefix = group.empty() ? "/api/" : "/apis/" + group + "/";
  if (!path.starts_with(prefix)) return {};
  path.remove_prefix(prefix.size());
  return std::string(path.substr(0, path.find('/')));
}

// What is behind a subresource, a pod's own web server by proxy, has 404s of its own.
bool has_subresource(std::string_view path, const meta::GroupResource& resource) {
  const std::string collection = "/" + resource.resource;
  const std::size_t at = path.find(collection + "/");
  if (at == std::string_view::npos) return false;
  path.remove_prefix(at + collection.size() + 1);
  return path.find('/') != std::string_view::npos;
}

}  // namespace

SharedMapper::SharedMapper(RestClient client, std::shared_ptr<transport::RoundTripper> given)
    : client_(std::move(client)),
      given_(std::move(given)),
      mapper_(std::make_shared<MemoryCachedDiscovery>(std::make_shared<DiscoveryClient>(client_),
                                                      client_.runtime().clock()),
              nullptr, client_.runtime().clock()) {}

bool SharedMapper::is_for(const rest::Config& config, const std::shared_ptr<Clock>& clock,
                          const std::shared_ptr<transport::RoundTripper>& given) const {
  return given_ == given && client_.runtime().clock() == clock && client_.config() == config;
}

const DeferredRestMapper& SharedMapper::mapper() const {
  for (const auto& resource : not_served_->take()) mapper_.not_served(resource);
  return mapper_;
}

std::optional<meta::GroupVersionResource> not_served_by(const Error& error,
                                                        const meta::GroupResource& resource,
                                                        std::string_view path) {
  constexpr int kNotFound = 404;
  if (error.http_status() != kNotFound || resource.empty()) return std::nullopt;
  // A response that is not from the API has the name of the request.
  const meta::StatusBody* const status = meta::status_of(error);
  const bool is_of_an_object =
      status != nullptr && !status->name.empty() && !is_unexpected_server_error(error);
  std::string version = version_in(path, resource.group);
  if (is_of_an_object || version.empty() || has_subresource(path, resource)) return std::nullopt;
  return meta::GroupVersionResource{resource.group, std::move(version), resource.resource};
}

}  // namespace kube
