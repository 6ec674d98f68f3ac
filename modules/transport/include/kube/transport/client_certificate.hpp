// SPDX-License-Identifier: Apache-2.0
//
// Checks certificates and keys before they are used.
//
// Shared between modules: not promised to users. Any thread may call these functions.
#pragma once

#include <string>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/transport/curl_transport.hpp>

namespace kube::transport {

/// Checks that a PEM key belongs to the first certificate of a PEM chain. Returns when that
/// certificate expires.
/// @par Errors   Credentials: one of them is not PEM, the key is encrypted or of another
///   certificate.
Result<WallTime> check_client_certificate(const std::string& certificate, const SecretText& key);

/// Checks the same of sources, each of which is data or a file; nothing when both are empty. The
/// error names the file; is_of_client_key() says which of the two is wrong.
/// @par Errors   Credentials: those above; a file can't be read, or one of the two is missing.
/// @par Blocks   While it reads the files.
Result<void> check_client_certificate(PemSource certificate, KeySource key);
/// Whether an error of these functions is about the key: false where the certificate is wrong.
bool is_of_client_key(const Error& error);

/// Checks that there is a certificate in the source; nothing when it is empty or an empty file.
/// @par Errors   Credentials: it is not PEM, or the file can't be read.
/// @par Blocks   While it reads the file.
Result<void> check_ca(PemSource ca);

}  // namespace kube::transport
