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

/// Returns the options for a config's TLS, proxy and compression, and for DISABLE_HTTP2.
transport::CurlTransport::Options transport_options(const Config& config,
                                                    const Environment& environment = {});

/// Wraps `base`: requests without an Authorization header get the bearer token (that of the token
/// file, read again as it ages) or basic authentication. Returns `base` when the config has
/// neither.
/// @par Errors   Credentials when the token file can't be read and there is no other token.
/// @par Blocks   While it reads the token file.
Result<std::shared_ptr<transport::RoundTripper>> authenticated(
    const Config& config, const Runtime& runtime, std::shared_ptr<transport::RoundTripper> base);

/// Makes a transport with the config's credentials. `base`, if given, replaces CurlTransport.
/// @par Errors   Those of validate(), CurlTransport::create() and authenticated().
/// @par Blocks   While it reads certificates and the token file.
Result<std::shared_ptr<transport::RoundTripper>> transport_for(
    const Config& config, const Runtime& runtime,
    std::shared_ptr<transport::RoundTripper> base = nullptr);

}  // namespace kube::rest
