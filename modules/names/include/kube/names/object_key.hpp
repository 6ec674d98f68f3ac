// SPDX-License-Identifier: Apache-2.0
//
// kube::ObjectKey: namespace and name of an object, the key of queues and caches.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube {

/// The namespace and name of an object.
///
/// @par Thread safety   A value.
struct ObjectKey {
  std::string namespace_{};  ///< Empty for cluster-scoped objects.
  std::string name{};

  /// "namespace/name", or "name" when the namespace is empty.
  std::string to_string() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
  auto operator<=>(const ObjectKey&) const = default;
};

/// The inverse of to_string(); "" gives an empty key, a leading slash an empty namespace.
/// @par Errors   InvalidArgument for more than one slash; quotes the text.
Result<ObjectKey> parse_object_key(std::string_view text);

}  // namespace kube

template <>
struct std::hash<kube::ObjectKey> {
  std::size_t operator()(const kube::ObjectKey& key) const noexcept {
    const std::size_t a = std::hash<std::string>{}(key.namespace_);
    return std::hash<std::string>{}(key.name) ^ (a + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2));
  }
};
