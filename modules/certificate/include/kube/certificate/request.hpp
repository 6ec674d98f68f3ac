// SPDX-License-Identifier: Apache-2.0
//
// Certificate signing requests (PKCS#10), as the spec of a CertificateSigningRequest object has
// them. <kube/certificate/signing_request.hpp> sends them.
//
// Any thread may call these functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/certificate/key.hpp>

namespace kube::certificate {

/// What a certificate shall say.
struct RequestTemplate {
  std::string common_name{};                 ///< The name of a user, "system:node:n1".
  std::vector<std::string> organizations{};  ///< The user's groups.
  std::vector<std::string> dns_names{};
  std::vector<std::string> ip_addresses{};

  friend bool operator==(const RequestTemplate&, const RequestTemplate&) = default;
};

/// Returns a request of a template as PEM, signed by the key with the algorithm that Go chooses
/// for it: SHA-256 with RSA, SHA-384 from 3072 bits on, SHA-512 from 4096 bits on; for ECDSA the
/// hash of the curve's size.
/// @par Errors   InvalidArgument: a text of `ip_addresses` is not an IP address.
Result<std::string> make_request(const PrivateKey& key, const RequestTemplate& wanted);

/// A parsed request. A cheap handle: copies share it.
/// @par Thread safety   Immutable.
class Request {
 public:
  /// @par Errors   Decode: the first block of the text is not a CERTIFICATE REQUEST, or is broken.
  static Result<Request> parse(std::string_view pem);

  /// The names that it asks for.
  RequestTemplate names() const;
  /// The whole subject, in one line (RFC 2253).
  std::string subject() const;
  PublicKey public_key() const;
  /// Whether this key has signed it.
  bool signed_by(const PublicKey& key) const;

  /// For this module.
  struct Impl;
  explicit Request(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const& { return *impl_; }
  const Impl& impl() const&& = delete;  // Name the request.

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace kube::certificate
