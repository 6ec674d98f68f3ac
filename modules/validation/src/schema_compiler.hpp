// SPDX-License-Identifier: Apache-2.0
//
// Makes a SchemaValidator of a schema.
#pragma once

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

#include "schema_node.hpp"

namespace kube::meta::detail {

/// Fills an empty `out` from a schema; SchemaValidator::create() says what the parameters are.
Result<void> compile_schema(SchemaValidator::Impl& out, const json::Value& schema,
                            const SchemaOptions& options);

}  // namespace kube::meta::detail
