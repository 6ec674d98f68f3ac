// SPDX-License-Identifier: Apache-2.0
//
// kube::meta::ResourceVersion: the opaque version of objects and lists, as a type of its own. Since
// Kubernetes 1.35 versions compare as decimals of any length.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::meta {

/// The version of an object or a list, as the server sent it.
///
/// @par Thread safety   A value.
struct ResourceVersion {
  std::string text{};
  bool empty() const { return text.empty(); }
  bool operator==(const ResourceVersion&) const = default;
};

/// Whether `text` is well formed: a positive decimal of any length without a leading zero.
bool is_well_formed_resource_version(std::string_view text);

/// @par Errors   InvalidArgument "resource version is not well formed: ..." when it is not.
Result<void> check_resource_version(std::string_view text);

/// Returns the order of two versions; nullopt when either is not well formed. "" and "0" are not:
/// they mean "latest" and "any".
std::optional<std::strong_ordering> compare_resource_versions(std::string_view a,
                                                              std::string_view b);

}  // namespace kube::meta
