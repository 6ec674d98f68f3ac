// SPDX-License-Identifier: Apache-2.0
//
// Bodies of requests: the document that JSON, YAML or protobuf stands for.
#pragma once

#include <string>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/group_version.hpp>

#include "forms/negotiation.hpp"
#include "requests/http_message.hpp"

namespace kube::apiserver {

/// The body as a document; a 400 when it can't be read. Protobuf is read as the type that its
/// envelope names, `expected` where it names none.
Result<json::Value> read_document(const std::string& body, MediaType media,
                                  const meta::GroupVersionKind& expected);

/// The body of a request for a kind that isn't a custom resource; a 415 for other types.
Result<json::Value> read_typed_body(const HttpRequest& request,
                                    const meta::GroupVersionKind& expected);

}  // namespace kube::apiserver
