// SPDX-License-Identifier: Apache-2.0
//
// The TLS settings with the bytes of their files, checked, and set on each easy handle.
#pragma once

#include <memory>
#include <vector>

#include <curl/curl.h>

#include <kube/base/result.hpp>
#include <kube/transport/curl_transport.hpp>

namespace kube::transport {

/// @par Thread safety   Immutable.
class TlsMaterial {
 public:
  /// Reads and checks everything that `config` names. curl compares the bytes when it looks for a
  /// connection, so a request never uses one that was opened with other bytes. A CA file without
  /// a byte trusts no server, as in client-go: it is to be filled later.
  /// @par Errors   Credentials, naming the file, for material that can't be read, is not PEM or
  ///   does not match; Config for a CA together with insecure_skip_verify.
  static Result<std::shared_ptr<const TlsMaterial>> load(TlsConfig config);

  /// What load() may use in place of a part that it can't use.
  struct Kept {
    const TlsMaterial* ca = nullptr;    ///< Of this; null: an error.
    const TlsMaterial* pair = nullptr;  ///< The certificate with the key.
    std::vector<Error> problems{};      ///< Why, added by load(). An empty CA file is one, too.
  };
  static Result<std::shared_ptr<const TlsMaterial>> load(TlsConfig config, Kept& kept);

  /// Stores pointers to this object in the handle: it must outlive the transfer.
  void apply(CURL* easy) const;

  const std::string& server_name() const { return config_.server_name; }
  /// The settings, with the bytes of the files as data.
  const TlsConfig& config() const { return config_; }
  /// Whether there is a CA file, and it is empty.
  bool trusts_nobody() const { return config_.ca.data.empty() && !config_.ca.file.empty(); }
  bool same_bytes(const TlsMaterial& other) const;

 private:
  static Result<void> load_ca(TlsConfig& config, bool may_be_empty);
  static Result<void> load_pair(TlsConfig& config);
  void apply_to_proxy(CURL* easy) const;
  explicit TlsMaterial(TlsConfig config) : config_(std::move(config)) {}
  TlsConfig config_;
};

}  // namespace kube::transport
