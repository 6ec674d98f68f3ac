// SPDX-License-Identifier: Apache-2.0
//
// Looks into optionals and lists of messages of unknown type without a call through ContainerOps.
// Most of them are unset in most objects, and detecting that must cost no more than a load.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <kube/base/optional.hpp>

namespace kube::meta {

// A kube::Optional is a pointer to its value, for every type.
static_assert(sizeof(Optional<std::string>) == sizeof(void*));

/// Returns the value of a kube::Optional; null when it is unset.
inline const char* message_of(const char* optional) {
  const char* message = nullptr;
  std::memcpy(&message, optional, sizeof message);
  return message;
}

/// True for a std::vector of any type whose first word is zero: it has no elements. (The word is a
/// pointer to them.) False does not mean that it has any.
inline bool has_never_grown(const char* list) {
  static_assert(sizeof(std::vector<std::string>) >= sizeof(void*));
  return message_of(list) == nullptr;
}

}  // namespace kube::meta
