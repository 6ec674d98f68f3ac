// SPDX-License-Identifier: Apache-2.0
//
// A response as the bytes of a file: its SHA-256, then the response as HTTP/1.1 would send it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <kube/transport/http.hpp>

namespace kube::transport {

/// The lower-case hex form of the SHA-256 of a text.
std::string sha256_hex(std::string_view text);

std::string to_stored(const HttpResponse& response);
/// Returns nullopt for bytes that were not written by to_stored() or Go's httputil.DumpResponse()
/// with a sum in front.
std::optional<HttpResponse> from_stored(std::string_view bytes);

/// Whether the response may be kept, and helps a later request when it is.
bool is_worth_storing(const Headers& request, const HttpResponse& response);
/// Adds the values of the request's headers by which the response varies, as X-Varied-NAME.
void add_varied(const Headers& request, HttpResponse& response);
bool varies_alike(const Headers& request, const HttpResponse& stored);
/// Whether the response needs no request to the server yet.
bool is_fresh(const Headers& request, const HttpResponse& stored,
              std::chrono::system_clock::time_point now);
/// Replaces the headers of a stored response by those of the 304 about it.
void renew(HttpResponse& stored, const Headers& not_modified);

}  // namespace kube::transport
