// SPDX-License-Identifier: Apache-2.0
//
// The objects that every cluster has from its start.
#pragma once

#include <kube/base/result.hpp>

#include "names/serving_names.hpp"
#include "objects/object_service.hpp"
#include "resources/resource_table.hpp"

namespace kube::apiserver {

/// Creates the namespaces, the priority classes and the priority levels of the system, and the
/// service "kubernetes" in "default".
Result<void> make_initial_objects(const ResourceTable& resources, ObjectService& objects);

}  // namespace kube::apiserver
