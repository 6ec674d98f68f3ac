// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a requirement of a label selector.
#pragma once

#include <kube/names/field_error.hpp>
#include <kube/names/labels.hpp>

namespace kube::labels::detail {

/// What is wrong with a requirement's key, operator and values, under the paths "key", "operator"
/// and "values".
meta::FieldErrors check_requirement(const Requirement& requirement);

}  // namespace kube::labels::detail
