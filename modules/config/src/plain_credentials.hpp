// SPDX-License-Identifier: Apache-2.0
//
// Warns of credentials that are sent without encryption.
#pragma once

#include <memory>

#include <kube/base/log.hpp>
#include <kube/config/config.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::rest {

/// Wraps `base`: the first request to another machine that has an Authorization header and no TLS
/// is warned of. Everyone on the way can read the credentials, and use them.
std::shared_ptr<transport::RoundTripper> warning_of_plain_credentials(
    const Config& config, std::shared_ptr<transport::RoundTripper> base,
    std::shared_ptr<Logger> logger);

}  // namespace kube::rest
