// SPDX-License-Identifier: Apache-2.0
//
// The alerts by which a peer refuses TLS, by their numbers (RFC 8446, 6): libcurl has them in the
// text of its errors alone. Used on the I/O thread.
#pragma once

#include <memory>

#include <curl/curl.h>

struct ssl_st;

namespace kube::transport {

/// The last alert of a connection's peer but the one that ends a connection in peace.
struct TlsAlert {
  static constexpr int kNone = -1;
  int number = kNone;

  /// Whether the peer refuses the client's certificate, or that there is none.
  bool is_about_certificates() const;
};

/// Writes the alerts of the connections that `easy` opens into `*alert`, which must outlive it; the
/// connections keep what it points to.
void note_alerts(CURL* easy, std::shared_ptr<TlsAlert>* alert);

/// Returns what the connection of this session has noted; null when note_alerts() was not called.
std::shared_ptr<TlsAlert> alert_of(ssl_st* session);

}  // namespace kube::transport
