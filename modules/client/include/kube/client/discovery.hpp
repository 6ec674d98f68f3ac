// SPDX-License-Identifier: Apache-2.0
//
// kube::DiscoveryClient: what a server serves: groups, versions, resources (reference:
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
  meta::GroupVersionKind kind{};  ///< Of the objects; a subresource's may be of another group.
  std::vector<std::string> verbs{};
  std::vector<std::string> short_names{};
  std::vector<std::string> categories{};
  bool operator==(const ApiResource&) const = default;
};

struct ApiResourceList {
  meta::GroupVersion group_version{};
  std::vector<ApiResource> resources{};
};

/// Everything that could be found out, and what could not.
struct ServerResources {
  std::vector<ApiGroup> groups{};
  std::vector<ApiResourceList> resources{};      ///< In the order of groups and their versions.
  std::map<meta::GroupVersion, Error> failed{};  ///< Group versions without an answer.

  /// "unable to retrieve the complete list of server APIs: g/v: why, ..."; nothing when complete.
  Optional<Error> failure() const;
};

struct ServerVersion {
  std::string major{};
  std::string minor{};
  std::string git_version{};
  bool operator==(const ServerVersion&) const = default;
};

/// A cheap handle; asks the server each time.
///
/// Uses aggregated discovery (two requests in all) where the server has it, else a request for each
/// group version. Each request has 32 s, unless the client's configuration names a timeout, and an
/// answer at most 32 MiB.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Errors   Those of RestClient::send(); Decode for a document that makes no sense,
///   among them everything that is not JSON.
/// @par Blocks   Until answered, or `stop`.
class DiscoveryClient {
 public:
  explicit DiscoveryClient(RestClient client) : client_(std::move(client)) {}

  /// The core group first. A server without /api has no core group; without /apis it is an error.
  Result<std::vector<ApiGroup>> server_groups(std::stop_token stop) const;
  /// NotFound when the server does not know the group version; for core v1 an empty list.
  Result<ApiResourceList> server_resources_for_group_version(const meta::GroupVersion& version,
                                                             std::stop_token stop) const;
  /// Group versions that fail are asked once more, then listed in `failed`.
  Result<ServerResources> server_groups_and_resources(std::stop_token stop) const;
  Result<ServerVersion> server_version(std::stop_token stop) const;

 private:
  struct Groups;
  Result<Response> get(std::string path, std::string_view accept, std::stop_token stop) const;
  Result<Groups> groups(std::stop_token stop) const;
  Result<ServerResources> once(std::stop_token stop) const;

  RestClient client_;
};

}  // namespace kube
