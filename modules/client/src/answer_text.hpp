// SPDX-License-Identifier: Apache-2.0
//
// Describes unexpected responses for users: pages of proxies, empty bodies, redirects. All text
// from servers is made printable and short.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/error.hpp>
#include <kube/transport/http.hpp>

namespace kube {

/// Returns the same error and context with another message.
Error reworded(const Error& error, std::string message);

/// Whether a body is HTML, by its Content-Type or its first characters.
bool is_html(std::string_view content_type, std::string_view body);

/// Describes the body: "without a body", `with an HTML page ("502 Bad Gateway"), which no
/// Kubernetes API server sends`, "with a body of type text/plain".
std::string what_body_is(std::string_view content_type, std::string_view body);

/// Returns the text of a body to quote in an error: the title of an HTML page, otherwise the body
/// with control characters escaped.
std::string quotable_body(std::string_view content_type, std::string_view body);

/// Describes the response with its code: "HTTP 302 that redirects to https://other/, which is not
/// followed", "HTTP 502 " and what_body_is().
std::string what_answer_is(int status, const transport::Headers& headers, std::string_view body);

}  // namespace kube
