// SPDX-License-Identifier: Apache-2.0
//
// Layers of a transport that say for whom a request is made: impersonation, and the headers of an
// authenticating proxy (docs/reference/clients-and-config.md ch. 8).
//
// Any thread may call these functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <kube/config/credentials.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::rest {

/// Adds Impersonate-User, -Uid, -Group and -Extra-<key> to requests, which then need the server's
/// permission to impersonate. A request that has Impersonate-User passes unchanged.
std::shared_ptr<transport::RoundTripper> impersonating(
    ImpersonationConfig identity, std::shared_ptr<transport::RoundTripper> base);

/// For a proxy that has authenticated its caller: replaces X-Remote-User, -Uid, -Group and
/// -Extra-<key> of requests by this identity.
std::shared_ptr<transport::RoundTripper> auth_proxied(
    ImpersonationConfig identity, std::shared_ptr<transport::RoundTripper> base);

/// Sets User-Agent on requests that have none.
std::shared_ptr<transport::RoundTripper> with_user_agent(
    std::string user_agent, std::shared_ptr<transport::RoundTripper> base);

/// Returns the key of an extra value as a part of a header's name: bytes that a name can't have,
/// and '%', become %XX.
std::string escape_header_key(std::string_view key);

/// Returns a header's name as Go writes it: "impersonate-extra-a%2Fb" is "Impersonate-Extra-A%2fb".
std::string canonical_header_name(std::string_view name);

}  // namespace kube::rest
