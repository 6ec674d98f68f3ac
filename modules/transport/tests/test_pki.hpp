// SPDX-License-Identifier: Apache-2.0
//
// Certificates for tests, made on the spot.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace kube::transport {

struct PemPair {
  std::string certificate;
  std::string key;
};

/// A certificate authority of its own.
class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name);

  const std::string& certificate() const { return own_.certificate; }
  /// For a server that is called by any of these DNS names or IP addresses.
  PemPair server(const std::vector<std::string>& names) const;
  PemPair client(const std::string& name,
                 std::chrono::seconds lifetime = std::chrono::hours(1)) const;

 private:
  PemPair own_;
};

/// The same key under a passphrase.
std::string encrypted(const std::string& key_pem);

}  // namespace kube::transport
