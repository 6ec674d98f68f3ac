// SPDX-License-Identifier: Apache-2.0
//
// What a server refuses in a CustomResourceDefinition.
#pragma once

#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

namespace kube::meta {

/// Returns everything that a server's 422 would say of a definition (apiextensions.k8s.io/v1) whose
/// defaults are filled in: its names, scope, versions and their schemas
/// (StructuralSchema::check()). `before` is the definition that it replaces; null for a new one.
///
/// Three limits are those of the embedded server alone: 100 versions, 100 short names and
/// categories each, 64 columns of a version. The reference server also looks for what the paths of
/// selectable fields lead to.
FieldErrors validate_definition(const json::Value& definition, const json::Value* before = nullptr);

}  // namespace kube::meta
