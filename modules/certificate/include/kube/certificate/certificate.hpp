// SPDX-License-Identifier: Apache-2.0
//
// X.509 certificates: reading and writing PEM bundles, and pools of roots (client-go's util/cert;
// docs/reference/clients-and-config.md ch. 24).
//
// Any thread may call these functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/certificate/key.hpp>

namespace kube::certificate {

/// A parsed certificate. A cheap handle: copies share it.
/// @par Thread safety   Immutable.
class Certificate {
 public:
  /// @par Errors   Decode: the bytes are not one certificate in DER.
  static Result<Certificate> from_der(std::string_view der);

  std::string der() const;
  std::string pem() const;
  /// Of the subject; "" without one.
  std::string common_name() const;
  /// In the order of their encoding, which is not that of a template.
  std::vector<std::string> organizations() const;
  /// The subject and the issuer in one line, "CN=node,O=nodes" (RFC 2253).
  std::string subject() const;
  std::string issuer() const;
  /// The subject alternative names.
  std::vector<std::string> dns_names() const;
  std::vector<std::string> ip_addresses() const;
  /// The first and the last moment of validity.
  WallTime not_before() const;
  WallTime not_after() const;
  bool is_ca() const;
  PublicKey public_key() const;

  /// Whether both are the same bytes.
  friend bool operator==(const Certificate& a, const Certificate& b);

  /// For this module.
  struct Impl;
  explicit Certificate(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const& { return *impl_; }
  const Impl& impl() const&& = delete;  // Name the certificate.

 private:
  std::shared_ptr<const Impl> impl_;
};

/// The certificates of a bundle up to the first mistake.
struct Bundle {
  std::vector<Certificate> certificates{};
  /// @par Errors   Decode, naming the block that is not a certificate; "data does not contain any
  ///   valid RSA or ECDSA certificates" when there is none.
  Result<void> result{};
};

/// Reads the CERTIFICATE blocks of PEM text. Blocks of other types and blocks with headers are
/// skipped.
Bundle parse_bundle(std::string_view pem);

/// Reads a bundle that has no mistake.
/// @par Errors   Those of Bundle::result. With a file also Config when it can't be read; its
///   mistakes name it.
Result<std::vector<Certificate>> parse_certificates(std::string_view pem);
Result<std::vector<Certificate>> certificates_from_file(const std::string& file);

/// Returns the certificates as PEM blocks, one after the other.
std::string encode_certificates(const std::vector<Certificate>& certificates);

/// Writes PEM text with mode 0644, in one step; makes missing folders with 0755.
/// @par Errors   Config, "path: reason".
Result<void> write_certificate(const std::string& file, std::string_view pem);

/// Roots to trust.
/// @par Thread safety   Immutable.
class Pool {
 public:
  /// @par Errors   As parse_certificates() and certificates_from_file(): "error creating pool from
  ///   FILE: ...".
  static Result<Pool> from_pem(std::string_view pem);
  static Result<Pool> from_file(const std::string& file);

  const std::vector<Certificate>& certificates() const& { return certificates_; }
  std::vector<Certificate> certificates() const&& { return certificates_; }

  /// Checks that the first certificate of a chain leads to one of these roots at a time.
  /// @par Errors   Credentials: the subject of the certificate and why it is not trusted.
  Result<void> verify(const std::vector<Certificate>& chain, WallTime at) const;

 private:
  explicit Pool(std::vector<Certificate> certificates) : certificates_(std::move(certificates)) {}
  std::vector<Certificate> certificates_;
};

}  // namespace kube::certificate
