// SPDX-License-Identifier: Apache-2.0
//
// Names of API types and resources: group, version, kind, resource. Ordered, hashable values.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::meta {

/// An API group and one of its versions.
///
/// @par Thread safety   A value.
struct GroupVersion {
  std::string group{};  ///< "" is the core group.
  std::string version{};
  /// "apps/v1", or "v1" for the core group.
  std::string to_string() const;
  auto operator<=>(const GroupVersion&) const = default;
};

/// Reads "v1", "apps/v1", "" and "/" as apimachinery does.
/// @par Errors   InvalidArgument for more than one slash, "unexpected GroupVersion string: a/b/c".
Result<GroupVersion> parse_group_version(std::string_view text);

/// A kind of any version.
///
/// @par Thread safety   A value.
struct GroupKind {
  std::string group{};
  std::string kind{};
  bool empty() const { return group.empty() && kind.empty(); }
  std::string to_string() const;  ///< "Deployment.apps", "Pod"
  auto operator<=>(const GroupKind&) const = default;
};

/// The inverse of to_string(): the first dot splits.
GroupKind parse_group_kind(std::string_view text);

/// A resource of any version.
///
/// @par Thread safety   A value.
struct GroupResource {
  std::string group{};
  std::string resource{};
  bool empty() const { return group.empty() && resource.empty(); }
  std::string to_string() const;  ///< "deployments.apps", "pods"
  auto operator<=>(const GroupResource&) const = default;
};

/// The inverse of to_string(): the first dot splits.
GroupResource parse_group_resource(std::string_view text);

/// The full name of a type of objects.
///
/// @par Thread safety   A value.
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

/// Returns the GroupVersionKind that an object's two fields name; when the apiVersion does not
/// parse, the kind alone.
GroupVersionKind from_api_version_and_kind(std::string_view api_version, std::string_view kind);

/// The full name of a resource.
///
/// @par Thread safety   A value.
struct GroupVersionResource {
  std::string group{};
  std::string version{};
  std::string resource{};
  GroupVersion group_version() const { return {group, version}; }
  GroupResource group_resource() const { return {group, resource}; }
  std::string to_string() const;  ///< "apps/v1, Resource=deployments"
  auto operator<=>(const GroupVersionResource&) const = default;
};

/// The possible meanings of "resource.version.group" or "resource.group" on a command line: with
/// fewer than two dots only the second one is possible.
struct ResourceArgument {
  std::optional<GroupVersionResource> resource{};
  GroupResource group_resource{};
  bool operator==(const ResourceArgument&) const = default;
};
ResourceArgument parse_resource_argument(std::string_view text);

/// The same for "Kind.version.group" and "Kind.group".
struct KindArgument {
  std::optional<GroupVersionKind> kind{};
  GroupKind group_kind{};
  bool operator==(const KindArgument&) const = default;
};
KindArgument parse_kind_argument(std::string_view text);

/// Returns the kind that fits the wanted group versions best, tried in their order: the first of
/// `kinds` that has a wanted group and version, else the first of a wanted group, with the wanted
/// version. Nullopt when no group fits.
std::optional<GroupVersionKind> best_kind(std::span<const GroupVersion> wanted,
                                          std::span<const GroupVersionKind> kinds);

/// Orders API versions by stability, the least stable first: names of other forms, then alpha, beta
/// and GA, each by its numbers: v12alpha1 < v3beta1 < v10beta3 < v1 < v2 < v10. Names of other
/// forms are in reverse alphabetical order.
std::weak_ordering compare_versions(std::string_view a, std::string_view b);

/// One API resource, as discovery describes it: what a client needs to build paths and name things.
/// A generated type has its own: kube::meta::resource_of<Pod>().
///
/// @par Thread safety   A value.
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
