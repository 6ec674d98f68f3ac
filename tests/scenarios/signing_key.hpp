// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace scenarios {

/// The key by which an identity provider signs, and a server checks, tokens.
/// @par Thread safety   All functions may be called from any thread.
class SigningKey {
 public:
  SigningKey();
  ~SigningKey();

  /// A key set (RFC 7517) with the public key.
  std::string key_set() const;
  /// A token (RFC 7519, RS256) with these claims, a JSON object.
  std::string sign(const std::string& claims) const;

 private:
  struct Key;
  std::unique_ptr<Key> key_;
};

}  // namespace scenarios
