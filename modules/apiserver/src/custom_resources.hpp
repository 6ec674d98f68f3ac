// SPDX-License-Identifier: Apache-2.0
//
// CustomResourceDefinitions: what makes one valid, its status, and the resources that it adds.
#pragma once

#include <string>
#include <vector>

#include <kube/json/value.hpp>
#include <kube/meta/field_error.hpp>

#include "resource_table.hpp"

namespace kube::apiserver {

/// Holds a deleted definition until its objects are gone.
inline constexpr std::string_view cleanup_finalizer = "customresourcecleanup.apiextensions.k8s.io";

/// The resource is customresourcedefinitions itself.
bool is_definition(const Resource& resource);

/// Fills in defaults and the status: accepted names, Established, stored versions. `before`: null
/// for a new one.
void prepare_definition(json::Value& definition, const json::Value* before, const std::string& now);

meta::FieldErrors validate_definition(const json::Value& definition, const json::Value* before);

/// The groups that a set of definitions adds. Schemas that did not change are taken over from
/// `before`, so that objects stored with them need not be looked at again.
std::vector<ServedGroup> custom_groups(const std::vector<json::Value>& definitions,
                                       const ResourceTable& before);

}  // namespace kube::apiserver
