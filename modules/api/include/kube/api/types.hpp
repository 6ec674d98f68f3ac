// SPDX-License-Identifier: Apache-2.0
//
// All generated kinds at run time, by name.
#pragma once

#include <kube/meta/descriptor.hpp>
#include <kube/meta/group_version.hpp>

namespace kube::api {

/// The descriptor of a generated kind; null for any other. Safe from any thread.
/// @par Cost   A map look-up. Whoever links to this links all generated types.
const meta::TypeDescriptor* find_type(const meta::GroupVersionKind& gvk);

}  // namespace kube::api
