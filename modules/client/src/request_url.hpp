// SPDX-License-Identifier: Apache-2.0
//
// Encodes the parts of a request's URL.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/query.hpp>

namespace kube {

/// Encodes "a=1&b=x+y": sorted by name; values of one name keep their order.
std::string encode_query(QueryParameters query);

/// Escapes a path segment like Go's net/url.
std::string escape_segment(std::string_view text);

/// Escapes each segment of "a/b c" and keeps the slashes.
std::string escape_path(std::string_view text);

/// Escapes what the path of a URL can't have (spaces, control characters, quotes, bytes above
/// ASCII) and keeps what is escaped; nullopt for a '%' without two hexadecimal digits.
std::optional<std::string> escape_uri_path(std::string_view path);

/// Joins segments by single slashes and resolves "." and "..", like Go's path.Join: no slash is at
/// the end, and one at the beginning if the first segment that is not empty has it.
std::string join_path(const std::vector<std::string>& segments);

/// Reads "a=1&b=x+y", with escapes.
/// @par Errors   InvalidArgument: a '%' without two hexadecimal digits.
Result<QueryParameters> decode_query(std::string_view text);

/// Returns `url` with {namespace}, {name} and {value} in place of its namespace, its name and the
/// values of its parameters; "{prefix}" for a path that is neither below /api nor below /apis.
/// `base_path` is the path of the server's URL.
std::string template_of(std::string_view url, std::string_view base_path);

/// Fails with InvalidArgument for a segment that is "." or "..", or has '/' or '%'. `what` is its
/// name in the error: "namespace".
Result<void> check_segment(std::string_view text, std::string_view what);

/// Formats a duration as Go does: "10s", "1m0s", "1.5s", "500ms".
std::string go_duration(std::chrono::milliseconds duration);

}  // namespace kube
