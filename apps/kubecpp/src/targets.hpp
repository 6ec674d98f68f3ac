// SPDX-License-Identifier: Apache-2.0
//
// The objects that the arguments of a command name: "pods", "pods,services", "pods a b", "pods/a
// services/b", and categories of resources: "all".
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/names/group_version.hpp>

#include "cluster.hpp"

namespace kubecpp {

/// A resource by any of its names; an empty name means all objects of the resource.
struct Target {
  std::string resource{};
  std::string name{};
};

/// Returns one target for each resource and each name: resources in their order, then names.
/// @par Errors   InvalidArgument, in kubectl's words: a slash in some arguments only, with an empty
///   side, or more than once.
kube::Result<std::vector<Target>> parse_targets(const std::vector<std::string>& words);

/// Returns whether each of them is a single object.
bool all_named(const std::vector<Target>& targets);

/// The resource of a server for a target.
struct ResolvedTarget {
  kube::meta::ResourceInfo resource;
  std::string name;
  std::string own_namespace{};  ///< That of an object in a file; otherwise that of the command.
};

/// Resolves all targets, each resource once. A word that names neither a resource nor an object may
/// be a category.
/// @par Errors   Config: `the server doesn't have a resource type "x"`.
kube::Result<std::vector<ResolvedTarget>> resolve(const Cluster& cluster,
                                                  const std::vector<Target>& targets);

/// Returns the objects that files name, with `recursive` also those of folders in folders; their
/// content is not used.
/// @par Errors   Those of read_manifests(), Cluster::resource_of() and Cluster::namespace_of().
kube::Result<std::vector<ResolvedTarget>> targets_of_files(const std::vector<std::string>& files,
                                                           bool recursive, const Cluster& cluster,
                                                           const std::stop_token& stop);

}  // namespace kubecpp
