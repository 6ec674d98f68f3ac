// SPDX-License-Identifier: Apache-2.0
//
// What goes into the URL of a request.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/query.hpp>

namespace kube {

/// "a=1&b=x+y": sorted by name, values of one name in their order.
std::string encode_query(QueryParameters query);

/// A path segment with everything escaped that Go's net/url escapes in a path.
std::string escape_segment(std::string_view text);

/// InvalidArgument for what must not stand between two slashes: ".", "..", '/' and '%'. `what`
/// names it: "namespace".
Result<void> check_segment(std::string_view text, std::string_view what);

/// As Go prints durations: "10s", "1m0s", "1.5s", "500ms".
std::string go_duration(std::chrono::milliseconds duration);

}  // namespace kube
