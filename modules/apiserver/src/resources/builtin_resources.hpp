// SPDX-License-Identifier: Apache-2.0
//
// The built-in resources that are served: <kube/api/resources.hpp>, with verbs as sets.
#pragma once

#include <span>
#include <string_view>

#include <kube/api/resources.hpp>

#include "resources/verbs.hpp"

namespace kube::apiserver {

struct BuiltinSubresource {
  std::string_view name;
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  VerbSet verbs;
};

/// Another name of a selectable field.
using BuiltinAlias = api::FieldAlias;

struct BuiltinResource {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::string_view list_kind;
  std::string_view plural;
  std::string_view singular;
  bool namespaced;
  VerbSet verbs;
  std::span<const std::string_view> short_names;
  std::span<const std::string_view> categories;
  std::span<const std::string_view> fields;  ///< Selectable, metadata.name and the like included.
  std::span<const BuiltinAlias> aliases;
  std::span<const BuiltinSubresource> subresources;
};

struct BuiltinGroup {
  std::string_view name;
  std::span<const std::string_view> versions;  ///< Served ones, preferred first.
};

/// In the order of the schema.
std::span<const BuiltinResource> builtin_resources();
/// In the order of priority in discovery; the core group, named "", is first.
std::span<const BuiltinGroup> builtin_groups();

}  // namespace kube::apiserver
