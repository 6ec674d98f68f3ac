// SPDX-License-Identifier: Apache-2.0
//
// kube::RestMapper: finds the resource for a name that users type ("po", "deploy",
// "deployments.apps", "Pod") (docs/reference/clients-and-config.md ch. 14).
// kube::DeferredRestMapper (<kube/client/deferred_rest_mapper.hpp>) asks the server by itself.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/discovery.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// Whether a mapper has not found what it was asked for, whatever context the error has got.
/// @par Thread safety   Any thread may call it.
bool is_no_match(const Error& error);

/// Guesses the names of a kind's resource, as apimachinery does, where discovery does not say them:
/// the plural ends in "es" after an s, in "ies" for a y, else in "s"; of Endpoints it is the same.
/// @par Thread safety   Any thread may call it.
meta::ResourceInfo guess_resource(const meta::GroupVersionKind& kind);

/// A snapshot of the resources that a server serves; make a new one to see new resources. A value.
///
/// When several resources match, the core group comes first, then the groups in the server's order;
/// within a group, its preferred version.
/// @par Thread safety   const functions may be called from any thread.
class RestMapper {
 public:
  explicit RestMapper(ServerResources resources);
  /// Reads the server's discovery documents.
  /// @par Errors   As DiscoveryClient::server_groups_and_resources().
  /// @par Blocks   As DiscoveryClient::server_groups_and_resources().
  static Result<RestMapper> create(const RestClient& client, std::stop_token stop = {});

  /// Finds a resource by plural, singular, short name or kind, in any case. "resource.group" and
  /// "resource.version.group" are more specific; the group may be a prefix of the full name.
  /// @par Errors   InvalidArgument: no resource matches (is_no_match(); with similar names, and the
  ///   groups that discovery could not retrieve), or several match (with their names).
  Result<meta::ResourceInfo> resolve(std::string_view text) const;
  /// Receives a warning of what the caller may not expect.
  using Warn = std::function<void(const std::string& warning)>;
  /// As above; warns of a short name that resources of other names have, too: `short name "po"
  /// could also match lower priority resource poddlers.acme.com`.
  /// @par Errors   As above.
  Result<meta::ResourceInfo> resolve(std::string_view text, const Warn& warn) const;

  /// Returns the resource of a kind, in the given version or else in the preferred one.
  /// @par Errors   InvalidArgument: `no matches for kind "K" in version "g/v"` (is_no_match()).
  Result<meta::ResourceInfo> mapping(const meta::GroupKind& kind,
                                     std::string_view version = "") const;
  /// Returns the resource of a kind in the first of the versions that has it; without versions, in
  /// the preferred one.
  /// @par Errors   As above; names the first version.
  Result<meta::ResourceInfo> mapping(const meta::GroupKind& kind,
                                     std::span<const std::string> versions) const;

  /// Returns the resource of a group version by kind ("Widget"), or by a name as of resolve()
  /// ("widgets", "widget", a short name).
  /// @par Errors   InvalidArgument (is_no_match()): `no matches for "widgets" in version "g/v"`.
  ///   That of ServerResources::failure() (is_group_discovery_failed()), when discovery could not
  ///   retrieve the group version.
  Result<meta::ResourceInfo> resource(const meta::GroupVersion& version,
                                      std::string_view name) const;

  /// Returns the singular name of a resource.
  /// @par Errors   InvalidArgument (is_no_match()): no group has the resource.
  Result<std::string> singular_of(std::string_view plural) const;

  /// Returns the resources in a category such as "all", each in its first version; may be empty.
  std::vector<meta::ResourceInfo> in_category(std::string_view category) const;

  /// Whether discovery lists a verb such as "watch" for a resource of this mapper. True when it
  /// lists no verbs at all.
  bool has_verb(const meta::ResourceInfo& resource, std::string_view verb) const;

  /// Returns all resources, without subresources, in order of preference.
  const std::vector<meta::ResourceInfo>& resources() const& { return infos_; }
  std::vector<meta::ResourceInfo> resources() const&& { return infos_; }

 private:
  struct Query;
  enum class Match { Name, ShortName, Kind };
  struct Found;
  Result<Found> find(const Query& query) const;
  Result<Found> find_argument(std::string_view text) const;
  std::vector<std::string> other_short_names(const Query& query,
                                             const meta::ResourceInfo& chosen) const;
  bool matches(std::size_t index, Match how, std::string_view name) const;
  Error unknown(std::string_view text, std::string_view name) const;

  std::vector<meta::ResourceInfo> infos_;
  // The parts of an ApiResource that ResourceInfo does not have.
  struct Facts {
    std::vector<std::string> short_names{};
    std::vector<std::string> categories{};
    std::vector<std::string> verbs{};
  };
  std::vector<Facts> facts_;    // by the index in infos_
  Optional<Error> incomplete_;  // the groups that discovery could not retrieve
};

}  // namespace kube
