// SPDX-License-Identifier: Apache-2.0
//
// The resources that CustomResourceDefinitions add.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kube/json/value.hpp>

#include "resources/resource_table.hpp"

namespace kube::apiserver {

/// What one definition adds.
struct DefinedResources {
  std::string group{};
  std::string storage{};  ///< Where its objects are: "group/plural".
  std::vector<std::shared_ptr<const Resource>> versions{};  ///< Those that are served.
};

/// Schemas that did not change are taken over from `before`, so that objects stored with them need
/// not be looked at again.
DefinedResources read_definition(const json::Value& definition, const ResourceTable& before);

/// The groups that definitions make together.
std::vector<ServedGroup> custom_groups(const std::vector<const DefinedResources*>& definitions);

}  // namespace kube::apiserver
