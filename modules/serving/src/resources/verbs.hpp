// SPDX-License-Identifier: Apache-2.0
//
// The API verbs of resources and sets of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kube::serving {

enum class Verb : std::uint8_t {
  Create,
  Delete,
  DeleteCollection,
  Get,
  List,
  Patch,
  Update,
  Watch,
};

/// In the order of Verb, which is the order in which discovery lists them.
inline constexpr std::array<std::string_view, 8> kVerbNames = {
    "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};

constexpr std::string_view to_string(Verb verb) {
  return kVerbNames[static_cast<std::size_t>(verb)];
}

/// One bit for each verb.
using VerbSet = std::uint16_t;

constexpr VerbSet verb_bit(Verb verb) {
  return static_cast<VerbSet>(1U << static_cast<unsigned>(verb));
}

/// Zero for an unknown name.
constexpr VerbSet verb_bit(std::string_view name) {
  for (std::size_t i = 0; i < kVerbNames.size(); ++i) {
    if (kVerbNames[i] == name) return static_cast<VerbSet>(1U << i);
  }
  return 0;
}

constexpr bool contains(VerbSet set, Verb verb) {
  return (set & verb_bit(verb)) != 0;
}

}  // namespace kube::serving
