// SPDX-License-Identifier: Apache-2.0
//
// Compiles a schema into a SchemaValidator.
#pragma once

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

#include "schema_node.hpp"

namespace kube::meta::detail {

/// Fills an empty `out` from a schema; for the parameters see SchemaValidator::create().
Result<void> compile_schema(SchemaValidator::Impl& out, const json::Value& schema,
                            const SchemaOptions& options);

}  // namespace kube::meta::detail
