// SPDX-License-Identifier: Apache-2.0
//
// kube::Discovery and kube::DiscoveryClient: the groups, versions and resources that a server
// serves (docs/reference/clients-and-config.md ch. 13).
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/openapi.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/client/server_version.hpp>
#include <kube/json/value.hpp>
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

/// Whether an error is that of ServerResources::failure(), whatever context it has got.
bool is_group_discovery_failed(const Error& error);
/// Returns the group versions that such an error is about; empty for every other error.
std::map<meta::GroupVersion, Error> failed_group_versions(const Error& error);

/// The groups of a server, and their resources where the same documents had them.
/// @par Thread safety   A value.
struct GroupsAndResources {
  ServerResources found{};
  /// False: `found` has the groups alone; the resources are to be asked for by group version.
  bool has_resources = false;
};

class CachedDiscovery;

/// What a server serves. DiscoveryClient asks the server on each call; MemoryCachedDiscovery and
/// DiskCachedDiscovery (<kube/client/cached_discovery.hpp>) remember.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Errors   As RestClient::send(), and Decode for a response that is not a discovery document
///   in JSON.
/// @par Blocks   Until the responses are complete or `stop` is requested (Cancelled).
class Discovery {
 public:
  Discovery() = default;
  virtual ~Discovery() = default;

  /// Returns the core group first. A server without /api has no core group.
  /// @par Errors   NotFound when the server has no /apis, and those of the class.
  Result<std::vector<ApiGroup>> server_groups(std::stop_token stop = {}) const;
  /// @par Errors   NotFound when the server does not serve the group version (core v1 gives an
  ///   empty list), InvalidArgument when it is empty, and those of the class.
  virtual Result<ApiResourceList> server_resources_for_group_version(
      const meta::GroupVersion& version, std::stop_token stop = {}) const = 0;
  /// Returns the same for each of `versions`, in their order. Asks for one after the other, unless
  /// a class says otherwise.
  virtual std::vector<Result<ApiResourceList>> server_resources_for_group_versions(
      const std::vector<meta::GroupVersion>& versions, std::stop_token stop = {}) const;
  /// Retries group versions that fail once, then returns them in ServerResources::failed.
  /// @par Errors   As server_groups().
  Result<ServerResources> server_groups_and_resources(std::stop_token stop = {}) const;
  /// Returns the groups, with the resources if that takes no request for each group version.
  /// @par Errors   As server_groups().
  virtual Result<GroupsAndResources> groups_and_maybe_resources(
      std::stop_token stop = {}) const = 0;

  /// @par Errors   Those of the class.
  virtual Result<ServerVersion> server_version(std::stop_token stop = {}) const = 0;

  /// Returns the OpenAPI v2 document. It has some MB, and every group.
  /// @par Errors   Those of the class.
  virtual Result<std::shared_ptr<const json::Value>> openapi_v2(
      std::stop_token stop = {}) const = 0;
  /// Returns the client of the OpenAPI v3 documents, one for each group version.
  virtual std::shared_ptr<const OpenApi> openapi_v3() const = 0;

  /// Returns this object, if it remembers; else null.
  virtual CachedDiscovery* as_cached() { return nullptr; }

 protected:
  Discovery(const Discovery&) = default;
  Discovery& operator=(const Discovery&) = default;
};

/// A cheap handle; sends requests on every call.
///
/// Uses aggregated discovery (two requests in total) where the server supports it, otherwise one
/// request for each group version. Each request has a timeout of 32 s, unless the client's
/// configuration sets one; a response may have at most 32 MiB.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Errors   Those of Discovery.
/// @par Blocks   As Discovery.
class DiscoveryClient final : public Discovery {
 public:
  explicit DiscoveryClient(RestClient client) : client_(std::move(client)) {}
  /// Makes a client of its own for discovery: with a timeout of 32 s unless `config` sets one, and
  /// a burst of 300 unless it sets one, because a server without aggregation takes one request for
  /// each of its group versions.
  /// @par Errors   As RestClient::create().
  static Result<DiscoveryClient> create(
      const rest::Config& config, Runtime runtime,
      std::shared_ptr<transport::RoundTripper> transport = nullptr);

  /// Returns a client that does not ask for aggregated discovery.
  DiscoveryClient with_legacy() const;
  /// Returns a client that asks for the groups that the server itself serves, without those of its
  /// peers: for API servers of mixed versions behind one address.
  DiscoveryClient without_peers() const;

  Result<ApiResourceList> server_resources_for_group_version(
      const meta::GroupVersion& version, std::stop_token stop = {}) const override;
  /// Has up to 16 requests under way at once; a client with a rate limit has one.
  std::vector<Result<ApiResourceList>> server_resources_for_group_versions(
      const std::vector<meta::GroupVersion>& versions, std::stop_token stop = {}) const override;
  Result<GroupsAndResources> groups_and_maybe_resources(std::stop_token stop = {}) const override;
  Result<ServerVersion> server_version(std::stop_token stop = {}) const override;
  Result<std::shared_ptr<const json::Value>> openapi_v2(std::stop_token stop = {}) const override;
  std::shared_ptr<const OpenApi> openapi_v3() const override;

 private:
  enum class Form { Aggregated, AggregatedWithoutPeers, Legacy };
  std::string_view accept() const;
  RestClient client_;
  Form form_ = Form::Aggregated;
};

}  // namespace kube
