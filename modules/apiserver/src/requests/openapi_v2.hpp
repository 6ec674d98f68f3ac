// SPDX-License-Identifier: Apache-2.0
//
// The Swagger 2.0 document, /openapi/v2: schemas only, for clients that check manifests themselves
// (kubectl does so for a List). In JSON, and in gnostic's protobuf, which is all that kubectl asks
// for.
#pragma once

#include <string>

#include <kube/json/value.hpp>

namespace kube::apiserver {

/// `schemas`: those of all OpenAPI v3 documents.
json::Value make_openapi_v2(const json::Object& schemas);

/// The same as gnostic's openapi.v2.Document.
std::string openapi_v2_message(const json::Value& document);

}  // namespace kube::apiserver
