// SPDX-License-Identifier: Apache-2.0
//
// OpenAPI v3 schemas of generated types, made from their descriptors.
#pragma once

#include <string>

#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>

namespace kube::apiserver {

/// "io.k8s.api.core.v1.Pod"
std::string openapi_schema_name(const meta::TypeDescriptor& type);

/// Adds the schema of a type and of all that it holds to components.schemas, if it is not there.
void add_openapi_schemas(const meta::TypeDescriptor& type, json::Object& schemas);

}  // namespace kube::apiserver
