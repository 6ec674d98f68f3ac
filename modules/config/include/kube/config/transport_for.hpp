// SPDX-License-Identifier: Apache-2.0
//
// From a Config to a transport that knows who we are: client-go's TransportFor.
#pragma once

#include <memory>

#include <kube/base/runtime.hpp>
#include <kube/config/config.hpp>
#include <kube/config/environment.hpp>
#include <kube/transport/curl_transport.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::rest {

/// TLS, proxy and compression of a config, and DISABLE_HTTP2 of the environment.
transport::CurlTransport::Options transport_options(const Config& config,
                                                    const Environment& environment = {});

/// `base` with an Authorization header on each request that has none: the bearer token (of the
/// token file, read again as it ages) or basic authentication. `base` itself when there is neither.
/// @par Errors   Credentials: the token file can't be read and there is no token to start with.
Result<std::shared_ptr<transport::RoundTripper>> authenticated(
    const Config& config, const Runtime& runtime, std::shared_ptr<transport::RoundTripper> base);

/// A new connection pool with the config's credentials. `base` replaces the real transport.
/// @par Errors   those of validate(), of CurlTransport::create() and of authenticated().
Result<std::shared_ptr<transport::RoundTripper>> transport_for(
    const Config& config, const Runtime& runtime,
    std::shared_ptr<transport::RoundTripper> base = nullptr);

}  // namespace kube::rest
