// SPDX-License-Identifier: Apache-2.0
//
// The TLS settings, checked once when the transport is made, and set on each easy handle.
#pragma once

#include <curl/curl.h>

#include <kube/base/result.hpp>
#include <kube/transport/curl_transport.hpp>

namespace kube::transport {

/// @par Thread safety   Immutable after load().
class TlsMaterial {
 public:
  /// Reads and checks everything that `config` names. Bytes stay in memory; files are checked now
  /// and read again by each handshake, so that new connections use renewed certificates. Fails with
  /// Credentials, naming the file, for material that can't be read, is not PEM or does not match;
  /// with Config for a CA together with insecure_skip_verify.
  static Result<TlsMaterial> load(TlsConfig config);

  /// Stores pointers to this object in the handle: it must outlive the transfer.
  void apply(CURL* easy) const;

  const std::string& server_name() const { return config_.server_name; }

 private:
  explicit TlsMaterial(TlsConfig config) : config_(std::move(config)) {}
  TlsConfig config_;
};

}  // namespace kube::transport
