// SPDX-License-Identifier: Apache-2.0
//
// Answers that several handlers give.
#pragma once

#include <string>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/json/value.hpp>

#include "forms/encoding.hpp"
#include "forms/negotiation.hpp"
#include "requests/api_context.hpp"
#include "requests/http_message.hpp"
#include "storage/stored_object.hpp"

namespace kube::apiserver {

/// How the answer to a request is written: by its Accept header and, for tables, includeObject.
/// @par Errors   A 406; a 400 for an includeObject that isn't one.
Result<EncodingPtr> choose_encoding(ApiContext& api, const ResourceRequest& request,
                                    AnswerShape shape);

/// An object in the form that an encoding gives it.
HttpResponse object_answer(int status, const Resource& resource, const StoredObject& object,
                           const Encoding& encoding);
/// Any document; in protobuf of a kind that has a type.
HttpResponse document_answer(int status, const json::Value& document, MediaType media);
/// The Status of an error with its headers, in the first form of an Accept header that it has.
HttpResponse error_answer(const Error& error, std::string_view accept);
HttpResponse text_answer(int status, std::string text);

/// Indents a JSON answer by two blanks, without a newline at its end, as the reference server does.
/// Watches and other forms stay as they are. A list is gathered as a whole for it, whatever its
/// size.
void indent_json(HttpResponse& answer);

/// Adds Warning headers, within the bounds that servers keep.
void add_warnings(const std::vector<std::string>& warnings, HttpResponse& answer);

}  // namespace kube::apiserver
