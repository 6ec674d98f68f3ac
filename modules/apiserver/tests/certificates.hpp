// SPDX-License-Identifier: Apache-2.0
//
// Keys of the type Ed25519, and what is signed by them.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kube::apiserver::test {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

Key new_key();
/// The key in PEM, in base64.
std::string key_in_base64(EVP_PKEY* key);
/// A request for a certificate, in base64: DER, or PEM.
std::string make_signing_request(EVP_PKEY* key, bool pem = false);
/// A certificate in PEM that its own key has signed. Times are in seconds of Unix.
std::string make_certificate(EVP_PKEY* key, std::int64_t start, std::int64_t end,
                             std::string_view dns_name = {});

}  // namespace kube::apiserver::test
