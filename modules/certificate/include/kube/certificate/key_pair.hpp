// SPDX-License-Identifier: Apache-2.0
//
// A certificate with its private key, as a TLS client or server presents it.
//
// Any thread may call these functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/certificate/certificate.hpp>
#include <kube/certificate/key.hpp>

namespace kube::certificate {

/// A chain of certificates, the leaf first and never empty, and the leaf's key.
/// @par Thread safety   Immutable.
class KeyPair {
 public:
  /// Reads both from PEM text, which may be the same text. Blocks of other types are skipped.
  /// @par Errors   As parse_certificates() and parse_private_key(); Credentials when the key is not
  ///   the certificate's. With files also Config; their mistakes name them.
  static Result<KeyPair> from_pem(std::string_view certificates, const SecretText& key);
  static Result<KeyPair> from_files(const std::string& certificates, const std::string& key);

  const Certificate& leaf() const& { return chain_.front(); }
  Certificate leaf() const&& { return chain_.front(); }
  const std::vector<Certificate>& chain() const& { return chain_; }
  std::vector<Certificate> chain() const&& { return chain_; }
  const PrivateKey& key() const& { return key_; }
  PrivateKey key() const&& { return key_; }

  friend bool operator==(const KeyPair& a, const KeyPair& b) { return a.chain_ == b.chain_; }

 private:
  KeyPair(std::vector<Certificate> chain, PrivateKey key)
      : chain_(std::move(chain)), key_(std::move(key)) {}
  std::vector<Certificate> chain_;
  PrivateKey key_;
};

/// Whether both files can be read; false when neither can.
/// @par Errors   Config, naming the one that can't be read: "error reading FILE, certificate and
///   key must be supplied as a pair".
Result<bool> can_read_pair(const std::string& certificate_file, const std::string& key_file);

}  // namespace kube::certificate
