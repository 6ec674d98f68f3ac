// SPDX-License-Identifier: Apache-2.0
//
// What came instead of what was asked for, in words for people: pages of proxies, empty bodies,
// redirects. Servers say it, so all of it is made printable and short.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/error.hpp>
#include <kube/transport/http.hpp>

namespace kube {

/// The same facts and context with other words.
Error reworded(const Error& error, std::string message);

/// By its Content-Type or its first characters.
bool is_html(std::string_view content_type, std::string_view body);

/// What is in the body: "without a body", `with an HTML page ("502 Bad Gateway"), which no
/// Kubernetes API server sends`, "with a body of type text/plain".
std::string what_body_is(std::string_view content_type, std::string_view body);

/// The text that a made-up error is to quote: a page's title instead of the page, else the body
/// with its control characters escaped.
std::string quotable_body(std::string_view content_type, std::string_view body);

/// What the answer was, code and all: "HTTP 302 that redirects to https://other/, which is not
/// followed", "HTTP 502 " and what_body_is().
std::string what_answer_is(int status, const transport::Headers& headers, std::string_view body);

}  // namespace kube
