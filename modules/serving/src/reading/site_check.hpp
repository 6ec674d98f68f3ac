// SPDX-License-Identifier: Apache-2.0
//
// Detects requests that a browser sends for a web page of another site.
//
// A server without tokens trusts every client, and a browser on the same machine sends requests for
// any page: by a form or a fetch of the page's own origin, or after the page's name was made to
// resolve to 127.0.0.1 (DNS rebinding). kubectl and client libraries send neither Origin nor
// Sec-Fetch-Site, and use an address or a name of the server.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/http_message.hpp"

namespace kube::serving {

/// Returns why a request is refused, or nothing.
///
/// - Host (and an absolute target) is checked for every method: own hosts are IP addresses, names
///   without a dot and those below .localhost and .internal, none of which a foreign page can have
///   as its name; `own_names` adds others, in any case.
/// - Origin and Sec-Fetch-Site are checked for methods that change something: own origins have the
///   host and port of Host, or a host in `own_names`.
///
/// With "*" in `own_names` no request is refused.
std::optional<std::string> refuse_foreign_site(const HttpRequest& request,
                                               const std::vector<std::string>& own_names);

}  // namespace kube::serving
