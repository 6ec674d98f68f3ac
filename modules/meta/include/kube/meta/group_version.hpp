// SPDX-License-Identifier: Apache-2.0
//
// Names of API types and resources: group, version, kind, resource. Ordered, hashable values.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::meta {

struct GroupVersion {
  std::string group{};  ///< "" is the core group.
  std::string version{};
  /// "apps/v1", or "v1" for the core group.
  std::string to_string() const;
  auto operator<=>(const GroupVersion&) const = default;
};

/// "v1", "apps/v1", "" and "/" as apimachinery reads them; InvalidArgument for more than one slash.
Result<GroupVersion> parse_group_version(std::string_view text);

struct GroupKind {
  std::string group{};
  std::string kind{};
  std::string to_string() const;  ///< "Deployment.apps", "Pod"
  auto operator<=>(const GroupKind&) const = default;
};

struct GroupResource {
  std::string group{};
  std::string resource{};
  std::string to_string() const;  ///< "deployments.apps", "pods"
  auto operator<=>(const GroupResource&) const = default;
};

struct GroupVersionKind {
  std::string group{};
  std::string version{};
  std::string kind{};
  GroupVersion group_version() const { return {group, version}; }
  GroupKind group_kind() const { return {group, kind}; }
  std::string api_version() const { return group_version().to_string(); }
  std::string to_string() const;  ///< "apps/v1, Kind=Deployment"
  auto operator<=>(const GroupVersionKind&) const = default;
};

struct GroupVersionResource {
  std::string group{};
  std::string version{};
  std::string resource{};
  GroupVersion group_version() const { return {group, version}; }
  GroupResource group_resource() const { return {group, resource}; }
  std::string to_string() const;  ///< "apps/v1, Resource=deployments"
  auto operator<=>(const GroupVersionResource&) const = default;
};

/// One API resource, as discovery describes it: what a client needs to build paths and name things.
/// Types made by kube-gen carry theirs: kube::meta::resource_of<Pod>().
struct ResourceInfo {
  std::string group{};
  std::string version{};
  std::string kind{};
  std::string plural{};
  std::string singular{};
  bool namespaced = true;

  GroupVersionKind gvk() const { return {group, version, kind}; }
  GroupVersionResource gvr() const { return {group, version, plural}; }
  GroupVersion group_version() const { return {group, version}; }
  GroupResource group_resource() const { return {group, plural}; }
  std::string api_version() const { return group_version().to_string(); }
  auto operator<=>(const ResourceInfo&) const = default;
};

}  // namespace kube::meta

template <>
struct std::hash<kube::meta::GroupVersionResource> {
  std::size_t operator()(const kube::meta::GroupVersionResource& r) const noexcept;
};
template <>
struct std::hash<kube::meta::GroupVersionKind> {
  std::size_t operator()(const kube::meta::GroupVersionKind& k) const noexcept;
};
