// SPDX-License-Identifier: Apache-2.0
//
// The resources that CustomResourceDefinitions add.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kube/json/value.hpp>

#include "resources/resource_table.hpp"

namespace kube::serving {

/// The resources that one definition adds.
struct DefinedResources {
  std::string group{};
  std::string storage{};  ///< The collection of its objects: "group/plural".
  std::vector<std::shared_ptr<const Resource>> versions{};  ///< The served versions.
};

/// The version of a definition in which objects are stored.
std::string_view storage_version(const json::Value& definition);

/// Schemas that did not change are taken from `before`, so that objects stored with them need not
/// be checked again. `is_mixed`: some objects are stored in another version than the current one.
DefinedResources read_definition(const json::Value& definition, const ResourceTable& before,
                                 bool is_mixed = false);

/// Returns the groups of all definitions.
std::vector<ServedGroup> custom_groups(const std::vector<const DefinedResources*>& definitions);

}  // namespace kube::serving
