// SPDX-License-Identifier: Apache-2.0
//
// kube::meta::ResourceVersion: the opaque version text of objects and lists, kept apart from other
// strings. Comparable since Kubernetes 1.35 as decimals of any length.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace kube::meta {

struct ResourceVersion {
  std::string text{};
  bool empty() const { return text.empty(); }
  bool operator==(const ResourceVersion&) const = default;
};

/// Order of two versions; nullopt when either is not a decimal without leading zeros.
std::optional<std::strong_ordering> compare_resource_versions(std::string_view a, std::string_view b);

}  // namespace kube::meta
