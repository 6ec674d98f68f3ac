// SPDX-License-Identifier: Apache-2.0
//
// OpenAPI documents as servers publish them: the schemas of described types, and the Swagger 2.0
// document that kubectl uses to check manifests. RuntimeSchema reads such documents.
#pragma once

#include <string>

#include <kube/base/text_argument.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>

namespace kube::meta {

/// Returns the name of a type's schema: "io.k8s.api.core.v1.Pod".
std::string openapi_schema_name(const TypeDescriptor& type);

/// Adds the OpenAPI v3 schemas of a type and of all types in it to components.schemas, unless they
/// exist.
void add_openapi_schemas(const TypeDescriptor& type, json::Object& schemas);

/// Makes a Swagger 2.0 document of OpenAPI v3 schemas, without paths. It sets no constraint where
/// Swagger can't express one (a choice of types, unknown fields beside known ones).
json::Value make_openapi_v2(const json::Object& schemas);

/// The same document as gnostic's protobuf (openapi.v2.Document), the only form that kubectl
/// requests.
std::string openapi_v2_message(const json::Value& document);
template <AnyText T>
std::string openapi_v2_message(const T& text) = delete;  // json::parse() it first.

}  // namespace kube::meta
