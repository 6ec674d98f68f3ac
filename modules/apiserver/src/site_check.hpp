// SPDX-License-Identifier: Apache-2.0
//
// Whether a browser sends a request on behalf of a web page that has nothing to do with the server.
//
// A server without tokens trusts all who reach it, and a browser on the same machine reaches it
// for any page: by a form or a fetch of the page's own origin, or after the page's name was made to
// resolve to 127.0.0.1 (DNS rebinding). kubectl and client libraries send neither Origin nor
// Sec-Fetch-Site, and reach the server by an address or a name of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http_message.hpp"

namespace kube::apiserver {

/// Why a request is refused; nothing when it is not.
///
/// - By Host (and by an absolute target), of every method: own are IP addresses, names without a
///   dot and those below .localhost and .internal, none of which a foreign page can have as its
///   name; `own_names` adds others, without regard to case.
/// - By Origin and Sec-Fetch-Site, of the methods that change something: own is the origin with the
///   host and port of Host, and one whose host is in `own_names`.
///
/// With "*" among `own_names` nothing is refused.
std::optional<std::string> refuse_foreign_site(const HttpRequest& request,
                                               const std::vector<std::string>& own_names);

}  // namespace kube::apiserver
