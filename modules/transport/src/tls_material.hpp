// SPDX-License-Identifier: Apache-2.0
//
// What TLS needs, checked once when the transport is made, and set on each easy handle.
#pragma once

#include <curl/curl.h>

#include <kube/base/result.hpp>
#include <kube/transport/curl_transport.hpp>

namespace kube::transport {

/// @par Thread safety   Constant after load().
class TlsMaterial {
 public:
  /// Reads and checks everything that `config` names. Bytes stay in memory; files are checked now
  /// and read again by each handshake, so that renewed certificates are used by new connections.
  /// Credentials for what can't be read, is not PEM or does not fit together, naming the file;
  /// Config for a CA beside insecure_skip_verify.
  static Result<TlsMaterial> load(TlsConfig config);

  /// Keeps pointers into this object: it must outlive the transfer.
  void apply(CURL* easy) const;

  const std::string& server_name() const { return config_.server_name; }

 private:
  explicit TlsMaterial(TlsConfig config) : config_(std::move(config)) {}
  TlsConfig config_;
};

}  // namespace kube::transport
