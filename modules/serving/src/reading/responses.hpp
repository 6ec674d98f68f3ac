// SPDX-License-Identifier: Apache-2.0
//
// Responses that several handlers send.
#pragma once

#include <string>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/json/value.hpp>

#include "forms/encoding.hpp"
#include "forms/negotiation.hpp"
#include "http/http_message.hpp"
#include "reading/read_context.hpp"
#include "storage/stored_object.hpp"

namespace kube::serving {

/// Returns the form of the response to a request, from its Accept header and, for tables,
/// includeObject.
/// @par Errors   A 406; a 400 for an unknown includeObject.
Result<EncodingPtr> choose_encoding(ReadContext& api, const ReadRequest& request,
                                    ResponseShape shape);

/// Responds with an object in the form of an encoding.
HttpResponse object_response(int status, const Resource& resource, const StoredObject& object,
                             const Encoding& encoding);
/// Responds with any document; protobuf only for a kind that has a type.
HttpResponse document_response(int status, const json::Value& document, MediaType media);
/// Responds with the Status of an error and its headers, in the first form of an Accept header that
/// a Status has.
HttpResponse error_response(const Error& error, std::string_view accept);

/// Indents a JSON response by two blanks, without a newline at its end, as the reference server
/// does. Watches and other forms do not change. A list is collected whole for it, whatever its
/// size.
void indent_json(HttpResponse& response);

/// Adds Warning headers, within the limits of the reference server.
void add_warnings(const std::vector<std::string>& warnings, HttpResponse& response);

}  // namespace kube::serving
