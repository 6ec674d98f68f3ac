// SPDX-License-Identifier: Apache-2.0
//
// kube::DiscoveryClient: the groups, versions and resources that a server serves (reference:
// docs/reference/clients-and-config.md ch. 13).
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

struct ApiGroup {
  std::string name{};                   ///< "" is the core group.
  std::vector<std::string> versions{};  ///< In the server's order; stale ones are not listed.
  std::string preferred_version{};
  bool operator==(const ApiGroup&) const = default;
};

struct ApiResource {
  std::string name{};  ///< "pods", or "pods/status" for a subresource.
  std::string singular_name{};
  bool namespaced = false;
  meta::GroupVersionKind kind{};  ///< A subresource's kind may be of another group.
  std::vector<std::string> verbs{};
  std::vector<std::string> short_names{};
  std::vector<std::string> categories{};
  bool operator==(const ApiResource&) const = default;
};

struct ApiResourceList {
  meta::GroupVersion group_version{};
  std::vector<ApiResource> resources{};
};

/// The resources of a server, and the group versions that could not be retrieved.
/// @par Thread safety   A value.
struct ServerResources {
  std::vector<ApiGroup> groups{};
  std::vector<ApiResourceList> resources{};      ///< In the order of groups and their versions.
  std::map<meta::GroupVersion, Error> failed{};  ///< Group versions that failed.

  /// "unable to retrieve the complete list of server APIs: g/v: why, ..."; nullopt when complete.
  Optional<Error> failure() const;
};

struct ServerVersion {
  std::string major{};
  std::string minor{};
  std::string git_version{};
  bool operator==(const ServerVersion&) const = default;
};

/// A cheap handle; sends requests on every call.
///
/// Uses aggregated discovery (two requests in total) where the server supports it, otherwise one
/// request for each group version. Each request has a timeout of 32 s, unless the client's
/// configuration sets one; a response may have at most 32 MiB.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Errors   As RestClient::send(), and Decode for a response that is not a discovery document
///   in JSON.
/// @par Blocks   Until the responses are complete or `stop` is requested.
class DiscoveryClient {
 public:
  explicit DiscoveryClient(RestClient client) : client_(std::move(client)) {}

  /// Returns the core group first. A server without /api has no core group.
  /// @par Errors   NotFound when the server has no /apis, and those of the class.
  Result<std::vector<ApiGroup>> server_groups(std::stop_token stop) const;
  /// @par Errors   NotFound when the server does not serve the group version (core v1 gives an
  ///   empty list), InvalidArgument when it is empty, and those of the class.
  Result<ApiResourceList> server_resources_for_group_version(const meta::GroupVersion& version,
                                                             std::stop_token stop) const;
  /// Retries group versions that fail once, then returns them in ServerResources::failed.
  /// @par Errors   As server_groups().
  Result<ServerResources> server_groups_and_resources(std::stop_token stop) const;

  /// @par Errors   Those of the class.
  Result<ServerVersion> server_version(std::stop_token stop) const;

 private:
  struct Groups;
  Result<transport::HttpResponse> get(std::string path, std::string_view accept,
                                      std::stop_token stop) const;
  Result<Groups> groups(std::stop_token stop) const;
  Result<ServerResources> once(std::stop_token stop) const;

  RestClient client_;
};

}  // namespace kube
