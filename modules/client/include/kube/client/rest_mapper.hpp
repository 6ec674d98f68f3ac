// SPDX-License-Identifier: Apache-2.0
//
// kube::RestMapper: from what people call a resource ("po", "deploy", "deployments.apps", "Pod") to
// what requests need (docs/reference/clients-and-config.md ch. 14).
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/discovery.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// A snapshot of what a server serves; make a new one to see new resources. A value.
///
/// When several resources match, the one of the core group wins, then the order of the server's
/// groups; within a group its preferred version.
/// @par Thread safety   const: from any thread.
class RestMapper {
 public:
  explicit RestMapper(ServerResources resources);
  /// From the server's discovery documents.
  /// @par Blocks   As DiscoveryClient::server_groups_and_resources().
  static Result<RestMapper> create(const RestClient& client, std::stop_token stop);

  /// Finds by plural, singular, short name or kind, in any case; "resource.group" and
  /// "resource.version.group" narrow it, where a group may be a prefix of the whole name.
  /// @par Errors   InvalidArgument: unknown, with similar names and what discovery could not
  ///   retrieve; or ambiguous, with the candidates.
  Result<meta::ResourceInfo> resolve(std::string_view text) const;

  /// The resource of a kind, in the given version or else the preferred one.
  /// @par Errors   InvalidArgument: `no matches for kind "K" in version "g/v"`.
  Result<meta::ResourceInfo> mapping(const meta::GroupKind& kind,
                                     std::string_view version = "") const;

  /// Those that discovery puts into a category, such as "all", each in its first version; may be
  /// none.
  std::vector<meta::ResourceInfo> in_category(std::string_view category) const;

  /// Whether discovery says that a resource of this mapper has a verb such as "watch". True when it
  /// lists no verbs at all.
  bool has_verb(const meta::ResourceInfo& resource, std::string_view verb) const;

  /// Every resource, in order of preference; subresources left out.
  const std::vector<meta::ResourceInfo>& resources() const& { return infos_; }
  std::vector<meta::ResourceInfo> resources() const&& { return infos_; }

 private:
  struct Query;
  enum class Match { Name, ShortName, Kind };
  Result<const meta::ResourceInfo*> find(const Query& query) const;
  bool matches(std::size_t index, Match how, std::string_view name) const;
  Error unknown(std::string_view text, std::string_view name) const;

  std::vector<meta::ResourceInfo> infos_;
  // What no ResourceInfo has.
  struct Facts {
    std::vector<std::string> short_names{};
    std::vector<std::string> categories{};
    std::vector<std::string> verbs{};
  };
  std::vector<Facts> facts_;    // beside infos_
  Optional<Error> incomplete_;  // what discovery could not retrieve
};

/// "pods.v1.example.com" as resource, version and group, and as resource and group only: it can
/// mean either.
struct ResourceArg {
  std::string resource{};
  std::string version{};  ///< Empty: the text has no part for it.
  std::string group{};
};
ResourceArg parse_group_resource(std::string_view text);
/// Nothing in `version` unless the text has at least two dots.
ResourceArg parse_resource_arg(std::string_view text);

}  // namespace kube
