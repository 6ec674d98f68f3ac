// SPDX-License-Identifier: Apache-2.0
//
// Encodes the parts of a request's URL.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/query.hpp>

namespace kube {

/// Encodes "a=1&b=x+y": sorted by name; values of one name keep their order.
std::string encode_query(QueryParameters query);

/// Escapes a path segment like Go's net/url.
std::string escape_segment(std::string_view text);

/// Fails with InvalidArgument for a segment that is "." or "..", or has '/' or '%'. `what` is its
/// name in the error: "namespace".
Result<void> check_segment(std::string_view text, std::string_view what);

/// Formats a duration as Go does: "10s", "1m0s", "1.5s", "500ms".
std::string go_duration(std::chrono::milliseconds duration);

}  // namespace kube
