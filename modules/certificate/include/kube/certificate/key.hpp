// SPDX-License-Identifier: Apache-2.0
//
// Private and public keys: generating, reading and writing them (client-go's util/keyutil;
// docs/reference/clients-and-config.md ch. 24). No error has bytes of a key.
//
// Any thread may call these functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/secret_text.hpp>

namespace kube::certificate {

enum class KeyType { Rsa, Ecdsa, Ed25519 };
/// "RSA", "ECDSA", "Ed25519".
std::string_view to_string(KeyType type);

/// A public key. A cheap handle: copies share it.
/// @par Thread safety   Immutable.
class PublicKey {
 public:
  KeyType type() const;
  int bits() const;
  /// A PUBLIC KEY block.
  std::string pem() const;
  friend bool operator==(const PublicKey& a, const PublicKey& b);

  /// For this module.
  struct Impl;
  explicit PublicKey(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const& { return *impl_; }
  const Impl& impl() const&& = delete;  // Name the key.

 private:
  std::shared_ptr<const Impl> impl_;
};

/// A private key. A cheap handle: copies share it.
/// @par Thread safety   Immutable.
class PrivateKey {
 public:
  /// Generates an ECDSA key on P-256, which client-go uses.
  /// @par Errors   Internal: the system's random numbers fail.
  static Result<PrivateKey> generate();
  /// @par Errors   InvalidArgument for fewer than 512 or more than 16,384 bits; Internal as above.
  /// @par Cost   About 50 ms for 2048 bits.
  static Result<PrivateKey> generate_rsa(int bits = 2048);

  KeyType type() const;
  /// Of the RSA modulus, or of the curve.
  int bits() const;
  /// An EC PRIVATE KEY or RSA PRIVATE KEY block; a PRIVATE KEY block (PKCS#8) for Ed25519.
  SecretText pem() const;
  PublicKey public_key() const;

  /// For this module.
  struct Impl;
  explicit PrivateKey(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const& { return *impl_; }
  const Impl& impl() const&& = delete;  // Name the key.

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Reads the first private key of PEM text: a block EC PRIVATE KEY, RSA PRIVATE KEY or PRIVATE KEY
/// (PKCS#8). Blocks that are not keys, such as EC PARAMETERS, are skipped.
/// @par Errors   Decode, "data does not contain a valid RSA or ECDSA private key". With a file also
///   Config when it can't be read; its mistakes name it.
Result<PrivateKey> parse_private_key(const SecretText& pem);
Result<PrivateKey> private_key_from_file(const std::string& file);

/// Reads the public keys of PEM text: those of public keys, of certificates and of private keys.
/// @par Errors   Decode, "data does not contain any valid RSA or ECDSA public keys". With a file
///   also Config when it can't be read; its mistakes name it.
Result<std::vector<PublicKey>> parse_public_keys(std::string_view pem);
Result<std::vector<PublicKey>> public_keys_from_file(const std::string& file);

/// Writes PEM text with mode 0600, in one step; makes missing folders with 0755.
/// @par Errors   Config, "path: reason".
Result<void> write_key(const std::string& file, const SecretText& pem);

struct KeyFile {
  SecretText pem{};
  bool generated = false;  ///< There was no file: it was made.
};
/// Returns the key of a file, or writes a new one to it when it does not exist.
/// @par Errors   Config: the file can't be read or written; Decode: it has no valid key, and is
///   kept. Those of PrivateKey::generate().
Result<KeyFile> load_or_generate_key(const std::string& file);

}  // namespace kube::certificate
