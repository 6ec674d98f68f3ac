// SPDX-License-Identifier: Apache-2.0
//
// Bodies of requests: documents in JSON, YAML or protobuf.
#pragma once

#include <string>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/group_version.hpp>

#include "forms/negotiation.hpp"
#include "http/http_message.hpp"
#include "names/serving_names.hpp"
#include "resources/resource.hpp"

namespace kube::apiserver {

/// Returns the body as a document; fails with a 400 when it can't be read. A protobuf body is read
/// as the type that its envelope names, or else as `expected`.
Result<json::Value> read_document(const std::string& body, MediaType media,
                                  const meta::GroupVersionKind& expected);

/// Reads the body of a request for a built-in kind; fails with a 415 for other media types.
Result<json::Value> read_typed_body(const HttpRequest& request,
                                    const meta::GroupVersionKind& expected);

/// Reads such a body as an object of the resource's kind and version, as check_document() does.
Result<json::Value> read_checked_body(const HttpRequest& request, const Resource& resource);

}  // namespace kube::apiserver
