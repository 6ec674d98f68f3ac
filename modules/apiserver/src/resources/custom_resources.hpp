// SPDX-License-Identifier: Apache-2.0
//
// CustomResourceDefinitions: their defaults and status, and the resources that they add.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kube/json/value.hpp>

#include "resources/resource_table.hpp"

namespace kube::apiserver {

/// Holds a deleted definition until its objects are gone.
inline constexpr std::string_view cleanup_finalizer = "customresourcecleanup.apiextensions.k8s.io";

/// The resource is customresourcedefinitions itself.
bool is_definition(const Resource& resource);

/// Fills in defaults and the status: accepted names, Established, stored versions. `before`: null
/// for a new one.
void prepare_definition(json::Value& definition, const json::Value* before, const std::string& now);

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
