// SPDX-License-Identifier: Apache-2.0
//
// When a manager takes a key, and when it keeps a certificate.
#pragma once

#include <kube/base/result.hpp>
#include <kube/certificate/certificate.hpp>
#include <kube/certificate/key.hpp>
#include <kube/certificate/request.hpp>

namespace kube::certificate {

/// @par Errors   InvalidArgument: RSA with fewer than 2048 bits, ECDSA with fewer than 256.
Result<void> check_strength(const PrivateKey& key);

/// Whether the certificate has what the template asks for; it may have more. A template that can't
/// be met is not satisfied: its request will say why.
bool satisfies(const Certificate& leaf, const RequestTemplate& wanted);

}  // namespace kube::certificate
