// SPDX-License-Identifier: Apache-2.0
//
// Bodies of requests: documents in JSON, YAML or protobuf.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// Reads the first document of a YAML body, as the reference server does; null when it is empty.
/// Returns its duplicate keys, as yaml::parse_all() does.
/// @par Errors   As yaml::parse_all().
Result<json::Value> read_yaml(std::string_view body, std::vector<std::string>& repeated_keys);

/// Returns why a JSON or YAML body could not be read, or why its kind can't be told.
std::optional<std::string> body_problem(const Result<json::Value>& read, const std::string& body,
                                        MediaType media);

/// Returns what was read of a JSON or YAML body, {} for null; fails with a 400 when it could not be
/// read or its kind can't be told.
Result<json::Value> named_document(Result<json::Value> read, const std::string& body,
                                   MediaType media, const meta::GroupVersionKind& expected);

/// Returns what the reference server, which reads kind and apiVersion first, says of a document
/// that it can't read them from.
std::optional<std::string> kind_problem(const json::Value& document);

/// A 400 for a body whose kind can't be told.
Error unrecognized(const meta::GroupVersionKind& expected, std::string_view why,
                   std::string_view body);

/// Reads the body of a request for a built-in kind; fails with a 415 for other media types.
Result<json::Value> read_typed_body(const HttpRequest& request,
                                    const meta::GroupVersionKind& expected);

/// Reads such a body as an object of the resource's kind and version, as check_document() does.
Result<json::Value> read_checked_body(const HttpRequest& request, const Resource& resource);

}  // namespace kube::apiserver
