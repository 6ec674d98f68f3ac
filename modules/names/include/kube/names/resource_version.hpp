// SPDX-License-Identifier: Apache-2.0
//
// kube::meta::ResourceVersion: the opaque version text of objects and lists, kept apart from other
// strings. Comparable since Kubernetes 1.35 as decimals of any length.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::meta {

struct ResourceVersion {
  std::string text{};
  bool empty() const { return text.empty(); }
  bool operator==(const ResourceVersion&) const = default;
};

/// Whether a server's versions can look so: a positive decimal of any length, no leading zero.
bool is_well_formed_resource_version(std::string_view text);

/// InvalidArgument "resource version is not well formed: ..." when it is not.
Result<void> check_resource_version(std::string_view text);

/// Order of two versions; nullopt when either is not well formed ("" and "0" are not: they mean
/// "latest" and "any", which are no versions).
std::optional<std::strong_ordering> compare_resource_versions(std::string_view a,
                                                              std::string_view b);

}  // namespace kube::meta
