// SPDX-License-Identifier: Apache-2.0
//
// The auth provider "oidc": an ID token that is refreshed at the identity provider (client-go's
// plugin/pkg/client/auth/oidc).
//
// Any thread may call these functions.
#pragma once

#include <memory>

#include <kube/base/runtime.hpp>
#include <kube/config/config.hpp>

#include "credentials.hpp"

namespace kube::rest {

/// @par Errors   Config: an unknown provider, a removed one, with what replaces it, or a missing
///   issuer or client id.
Result<void> check_auth_provider(const AuthProviderConfig& provider);

/// Returns the source of config.auth_provider, which must be set: the first one that was made for
/// this cluster, issuer and client.
/// @par Errors   Those of check_auth_provider().
Result<std::shared_ptr<CredentialSource>> auth_provider_source(const Config& config,
                                                               const Runtime& runtime);

/// Returns the time of an ID token's claim "exp".
/// @par Errors   Credentials: not a JSON web token, or no such claim. Never quotes the token.
Result<WallTime> id_token_expiry(const SecretText& token);

}  // namespace kube::rest
