// SPDX-License-Identifier: Apache-2.0
//
// Makes transports that authenticate: client-go's TransportFor. Any thread may call these
// functions.
#pragma once

#include <memory>

#include <kube/base/runtime.hpp>
#include <kube/config/config.hpp>
#include <kube/config/environment.hpp>
#include <kube/transport/curl_transport.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::rest {

/// Returns the options for a config's TLS, proxy, compression and unix socket, and for
/// DISABLE_HTTP2, HTTP2_READ_IDLE_TIMEOUT_SECONDS and HTTP2_PING_TIMEOUT_SECONDS (numbers; others
/// are ignored; a read idle timeout of 0 turns the pings off, and a ping timeout of 0 is 15 s, as
/// Go has it).
transport::CurlTransport::Options transport_options(const Config& config,
                                                    const Environment& environment = {});

/// Wraps `base`: requests without an Authorization header get the bearer token (that of the token
/// file, read again as it ages), basic authentication, or the token of the exec plugin or auth
/// provider. Returns `base` when the config has none of them.
///
/// A plugin runs when a request needs its credentials: at first, after they have expired, and after
/// a 401, once for all requests that wait for it, and for all configs of the process with the same
/// plugin and cluster. A token or a client certificate in the config takes precedence over it.
/// Certificates of plugins need a transport that transport_for() makes.
/// @par Errors   Credentials when the token file can't be read and there is no other token; Config
///   for a plugin or provider that can't be used, or both at once. Errors of a plugin end the
///   request that needs it: Credentials, with the context "getting credentials".
/// @par Blocks   While it reads the token file.
Result<std::shared_ptr<transport::RoundTripper>> authenticated(
    const Config& config, const Runtime& runtime, std::shared_ptr<transport::RoundTripper> base);

/// Makes a transport with the config's credentials, user agent and impersonation. `base`, if given,
/// replaces CurlTransport.
///
/// The first request with an Authorization header that leaves the machine without TLS is warned of,
/// once for each transport: on standard error when the runtime has no logger.
/// @par Errors   Those of validate(), CurlTransport::create() and authenticated().
/// @par Blocks   While it reads certificates and the token file.
Result<std::shared_ptr<transport::RoundTripper>> transport_for(
    const Config& config, const Runtime& runtime,
    std::shared_ptr<transport::RoundTripper> base = nullptr);

}  // namespace kube::rest
