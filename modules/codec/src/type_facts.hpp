// SPDX-License-Identifier: Apache-2.0
//
// What both codecs report about a type.
#pragma once

#include <string>
#include <string_view>

#include <kube/codec/descriptor.hpp>

namespace kube::meta {

/// "apps/v1"; "v1".
inline std::string api_version_of(const TypeDescriptor& type) {
  std::string version(type.group);
  if (!version.empty()) version += '/';
  return version += type.version;
}

/// Returns the type's name in errors: "Pod", "core.v1.PodSpec".
inline std::string_view label_of(const TypeDescriptor& type) {
  return type.kind.empty() ? type.name : type.kind;
}

}  // namespace kube::meta
