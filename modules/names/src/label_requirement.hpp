// SPDX-License-Identifier: Apache-2.0
//
// Checks a requirement of a label selector.
#pragma once

#include <kube/names/field_error.hpp>
#include <kube/names/labels.hpp>

namespace kube::labels::detail {

/// Returns the errors of a requirement's key, operator and values, under the paths "key",
/// "operator" and "values".
meta::FieldErrors check_requirement(const Requirement& requirement);

}  // namespace kube::labels::detail
