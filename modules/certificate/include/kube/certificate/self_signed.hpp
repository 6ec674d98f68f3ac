// SPDX-License-Identifier: Apache-2.0
//
// Authorities and certificates that a program makes itself: for the TLS server of a webhook or a
// test, and for signers of CertificateSigningRequests.
//
// Any thread may call these functions.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/certificate/certificate.hpp>
#include <kube/certificate/key.hpp>
#include <kube/certificate/request.hpp>

namespace kube::certificate {

struct AuthorityOptions {
  std::string common_name{};  ///< Also its DNS name, as in client-go.
  std::vector<std::string> organizations{};
  std::optional<WallTime> not_before{};  ///< Empty: now.
  std::shared_ptr<Clock> clock{};        ///< Empty: real_clock().
};
/// Makes the certificate of an authority, valid until ten years from now.
/// @par Errors   Internal: OpenSSL fails.
Result<Certificate> self_signed_authority(const PrivateKey& key, const AuthorityOptions& options);

struct SelfSignedOptions {
  std::string host{};  ///< Required: a DNS name or an IP address.
  std::vector<std::string> alternate_ips{};
  std::vector<std::string> alternate_dns{};
  std::chrono::seconds max_age = std::chrono::hours(365 * 24);  ///< Not for fixtures.
  /// For tests: a folder that keeps the pair in HOST_IPS_NAMES.crt and .key for the next call,
  /// valid for a hundred years; IPS and NAMES are joined by '-'. Empty: no fixture.
  std::string fixture_folder{};
  std::shared_ptr<Clock> clock{};  ///< Empty: real_clock().
};
/// PEM text.
struct PemPair {
  std::string certificate{};  ///< The leaf and its authority.
  SecretText key{};
};
/// Makes the certificate of a server, signed by an authority made for it whose key is thrown away.
/// RSA with 2048 bits, valid from an hour ago for `max_age`.
/// @par Errors   InvalidArgument: an alternate IP address is not one, or the host can't name a
///   file. Config: a fixture can't be written, or there is a certificate without a key. Internal:
///   OpenSSL fails.
/// @par Cost   About 100 ms, for two keys.
Result<PemPair> self_signed_pair(const SelfSignedOptions& options);

struct SignOptions {
  std::chrono::seconds lifetime = std::chrono::hours(24);
  bool server = false;                   ///< For a TLS server; else for a client.
  std::optional<WallTime> not_before{};  ///< Empty: now.
  std::shared_ptr<Clock> clock{};        ///< Empty: real_clock().
};
/// Signs a request as an authority, with the names that it asks for.
/// @par Errors   Credentials: the request is not signed by its own key, or `authority_key` is not
///   the authority's. Internal: OpenSSL fails.
Result<Certificate> sign_request(const Request& request, const Certificate& authority,
                                 const PrivateKey& authority_key, const SignOptions& options = {});

}  // namespace kube::certificate
