// SPDX-License-Identifier: Apache-2.0
//
// OpenAPI documents as servers publish them: schemas of described types, and the Swagger 2.0
// document that kubectl checks manifests by. RuntimeSchema reads such documents.
#pragma once

#include <string>

#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>

namespace kube::meta {

/// "io.k8s.api.core.v1.Pod"
std::string openapi_schema_name(const TypeDescriptor& type);

/// Adds the OpenAPI v3 schema of a type and of all that it holds to components.schemas, unless they
/// are there.
void add_openapi_schemas(const TypeDescriptor& type, json::Object& schemas);

/// Makes a Swagger 2.0 document of OpenAPI v3 schemas, without paths. What it can't express (one of
/// several types, unknown fields beside known ones) it leaves open.
json::Value make_openapi_v2(const json::Object& schemas);

/// The same document as gnostic's protobuf (openapi.v2.Document), which is all that kubectl asks
/// for.
std::string openapi_v2_message(const json::Value& document);

}  // namespace kube::meta
