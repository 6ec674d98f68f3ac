// SPDX-License-Identifier: Apache-2.0
//
// Files of -f that are URLs.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kubecpp {

/// Returns whether a path of -f is a URL: it begins with http:// or https://.
bool is_url(std::string_view path);

/// Requests the document of a URL, without the credentials of the cluster. Follows at most ten
/// redirects, also to other servers; a connection that fails and a 5xx are retried twice, a second
/// apart. The certificates are those that the system trusts; the proxy is the environment's.
/// @par Errors   Config, naming the URL: it is not valid, there are too many redirects, or the
///   response is not a 200. Those of the transport. Decode for more than kube::kMaxFileBytes.
///   Cancelled when asked to stop.
/// @par Blocks   Until the response is complete, until nothing arrives for a minute, or until asked
///   to stop.
kube::Result<std::string> read_url(const std::string& url, const std::stop_token& stop);

}  // namespace kubecpp
