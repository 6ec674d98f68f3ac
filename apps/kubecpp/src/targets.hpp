// SPDX-License-Identifier: Apache-2.0
//
// Which objects the words of a command line mean: "pods", "pods,services", "pods a b", "pods/a
// services/b", and categories of resources: "all".
#pragma once

#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/names/group_version.hpp>

#include "cluster.hpp"

namespace kubecpp {

/// A resource by any of its names; without an object's name all of the resource.
struct Target {
  std::string resource{};
  std::string name{};
};

/// One for each resource and each of its names; resources in their order, then names in theirs.
/// @par Errors   InvalidArgument, in kubectl's words: a slash in some words only, or nothing beside
///   it, or more than one.
kube::Result<std::vector<Target>> parse_targets(const std::vector<std::string>& words);

/// Whether each of them is one object.
bool all_named(const std::vector<Target>& targets);

/// What a server has for a target.
struct ResolvedTarget {
  kube::meta::ResourceInfo resource;
  std::string name;
};

/// All of them, without resources that come twice under two names. What names no resource, and no
/// object, may be a category.
/// @par Errors   Config: `the server doesn't have a resource type "x"`.
kube::Result<std::vector<ResolvedTarget>> resolve(const Cluster& cluster,
                                                  const std::vector<Target>& targets);

}  // namespace kubecpp
