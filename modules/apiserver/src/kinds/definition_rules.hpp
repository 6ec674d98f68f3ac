// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kube/json/value.hpp>
#include <kube/meta/field_error.hpp>

namespace kube::apiserver {

/// What is wrong with a CustomResourceDefinition. `before`: null for a new one.
meta::FieldErrors validate_definition(const json::Value& definition, const json::Value* before);

}  // namespace kube::apiserver
