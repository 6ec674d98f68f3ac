// SPDX-License-Identifier: Apache-2.0
//
// A file with credentials as JSON (client-go's tools/auth): User, Password, CAFile, CertFile,
// KeyFile, BearerToken, Insecure.
#pragma once

#include <optional>
#include <string>

#include <kube/base/result.hpp>
#include <kube/base/secret_text.hpp>
#include <kube/config/config.hpp>

namespace kube::rest {

/// @par Thread safety   A value.
struct AuthInfo {
  std::string user{};
  SecretText password{};
  std::string ca_file{};
  std::string certificate_file{};
  std::string key_file{};
  SecretText bearer_token{};
  std::optional<bool> insecure{};

  /// Reads a file.
  /// @par Errors   Config, naming the file: it can't be read, is not JSON, or has a member of
  ///   another type.
  /// @par Blocks   While it reads the file.
  static Result<AuthInfo> load(const std::string& path);
  /// Writes a file that only its owner may read.
  /// @par Errors   Config, naming the file.
  /// @par Blocks   While it writes the file.
  Result<void> save(const std::string& path) const;

  /// Returns the config with the user, password, files and token of this, also where they are
  /// empty, and with the insecure flag if that is set.
  Config merged_with(Config config) const;
  /// Whether there is a user, a certificate or a token.
  bool is_complete() const;

  bool operator==(const AuthInfo&) const = default;
};

}  // namespace kube::rest
