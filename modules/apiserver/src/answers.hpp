// SPDX-License-Identifier: Apache-2.0
//
// Answers that several handlers give.
#pragma once

#include <string>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/json/value.hpp>

#include "http_message.hpp"
#include "negotiation.hpp"
#include "stored_object.hpp"

namespace kube::apiserver {

/// An object in the form that was negotiated.
HttpResponse object_answer(int status, const Resource& resource, const StoredObject& object,
                           const Accepted& accepted);
/// Any document.
HttpResponse document_answer(int status, const json::Value& document, MediaType media);
/// The Status of an error, in JSON, with its headers.
HttpResponse error_answer(const Error& error);
HttpResponse text_answer(int status, std::string text);

/// The body as a document; a 400 when it can't be read.
Result<json::Value> read_document(const std::string& body, MediaType media);

/// Adds Warning headers, within the bounds that servers keep.
void add_warnings(const std::vector<std::string>& warnings, HttpResponse& answer);

}  // namespace kube::apiserver
