// SPDX-License-Identifier: Apache-2.0
//
// Logs the requests of a client and their responses, as `kubectl -v=6` to `-v=10` do
// (rest::Config::request_log_verbosity).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/log.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::rest {

/// Returns a transport that writes to `logger`, at LogLevel::Debug and for the component "http":
///
/// 6: a line for each exchange when it ends, with method, URL, status and duration
/// 7: at the start method, URL and request headers; at the end the status
/// 8: the response headers too, and the first 1,024 bytes of each body
/// 9: a command line for curl, and 10,240 bytes of bodies
/// 10: up to 1 MiB of bodies
///
/// Below 6 it returns `base`. URLs have no query, and Authorization no credentials. Bodies are not
/// logged for Secrets, tokens and reviews of tokens.
/// @par Thread safety   Any thread may call it, and the transport's functions.
std::shared_ptr<transport::RoundTripper> with_request_log(
    std::shared_ptr<transport::RoundTripper> base, std::shared_ptr<Logger> logger,
    std::shared_ptr<Clock> clock, int verbosity);

/// Returns the value of a header for a log: of Authorization only the scheme, "Bearer <masked>", or
/// "<masked>" for an unknown one. Any thread may call it.
std::string mask_header(std::string_view name, std::string_view value);

/// Returns the beginning of a body for a log, at most `max_bytes`, with the number of bytes that
/// are missing of `total_bytes`; a hex dump when it has control bytes. Any thread may call it.
std::string body_for_log(std::string_view body, std::size_t max_bytes, std::size_t total_bytes);

}  // namespace kube::rest
