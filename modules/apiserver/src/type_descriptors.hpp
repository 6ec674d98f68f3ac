// SPDX-License-Identifier: Apache-2.0
//
// From a kind to the descriptor of its generated type.
#pragma once

#include <kube/meta/descriptor.hpp>
#include <kube/meta/group_version.hpp>

namespace kube::apiserver {

/// Null for a kind that has no generated type.
const meta::TypeDescriptor* find_type(const meta::GroupVersionKind& gvk);

}  // namespace kube::apiserver
