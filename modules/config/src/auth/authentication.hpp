// SPDX-License-Identifier: Apache-2.0
//
// authenticated() for a transport of ours, whose handshakes can use a plugin's certificates.
//
// Any thread may call these functions.
#pragma once

#include <memory>

#include <kube/base/runtime.hpp>
#include <kube/config/config.hpp>
#include <kube/transport/curl_transport.hpp>

#include "source_transport.hpp"

namespace kube::rest {

/// As authenticated(); `curl` are the transports below `base`, as far as they are ours.
/// @par Errors   Those of authenticated().
/// @par Blocks   While it reads the token file.
Result<std::shared_ptr<transport::RoundTripper>> authenticated_over(
    const Config& config, const Runtime& runtime, CurlTransports curl,
    std::shared_ptr<transport::RoundTripper> base);

}  // namespace kube::rest
