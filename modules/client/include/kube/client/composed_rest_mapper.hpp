// SPDX-License-Identifier: Apache-2.0
//
// Mappers made of others: the union of several, and one that chooses between their answers by
// patterns: client-go's MultiRESTMapper and PriorityRESTMapper
// (docs/reference/clients-and-config.md ch. 14). A RestMapper does both for the groups of one
// server; these are for programs that also know resources from elsewhere.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/rest_mapper.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// What a finder knows for a name: candidates in order of preference, and an error beside them when
/// it could not look everywhere.
/// @par Thread safety   A value.
struct FoundResources {
  std::vector<meta::ResourceInfo> candidates{};
  Optional<Error> error{};  ///< is_no_match() when there is none.
};

/// Finds the resources that a name in the plural or singular may mean; group and version may be
/// empty, for any, and the group may be the beginning of one.
using ResourceFinder = std::function<FoundResources(const meta::GroupVersionResource& name)>;

/// Finds among the resources of a mapper.
/// @par Thread safety   Any thread may call it, and the finder.
ResourceFinder finder_of(std::shared_ptr<const RestMapper> mapper);

/// Finds with all members: returns what they find, in their order, each resource once. A member
/// that does not know the name is passed over; the first other error ends the search.
/// @par Thread safety   As the members'.
ResourceFinder union_of(std::vector<ResourceFinder> members);

/// Chooses one of the candidates for a name.
/// @par Thread safety   As the finder's.
class PriorityRestMapper {
 public:
  /// In a pattern, "*" stands for any group, version or resource.
  static constexpr const char* kAny = "*";
  PriorityRestMapper(ResourceFinder finder, std::vector<meta::GroupVersionResource> patterns)
      : finder_(std::move(finder)), patterns_(std::move(patterns)) {}

  struct Chosen {
    meta::ResourceInfo resource{};
    Optional<Error> error{};  ///< Of the finder, which may not know of better ones.
  };
  /// Returns the only candidate, or the one that the first pattern leaves that matches any; a
  /// pattern that several match narrows them for the next ones.
  /// @par Errors   The finder's, without a candidate; InvalidArgument when several are left,
  ///   `"jobs" matches multiple resources jobs.batch, jobs.acme.com`.
  Result<Chosen> resource_for(const meta::GroupVersionResource& name) const;

 private:
  ResourceFinder finder_;
  std::vector<meta::GroupVersionResource> patterns_;
};

}  // namespace kube
