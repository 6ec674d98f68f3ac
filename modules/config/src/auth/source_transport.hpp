// SPDX-License-Identifier: Apache-2.0
//
// The layer that adds the credentials of a CredentialSource to requests, which wait for it while
// it refreshes them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kube/base/runtime.hpp>
#include <kube/transport/curl_transport.hpp>
#include <kube/transport/round_tripper.hpp>

#include "credentials.hpp"

namespace kube::rest {

using CurlTransports = std::vector<std::shared_ptr<transport::CurlTransport>>;

/// Client certificates of a source, used by a transport's handshakes.
/// @par Thread safety   use() may be called from any thread.
class SourceCertificates {
 public:
  /// `transports` is empty for one that is not ours, which can't use certificates. `tls` has
  /// everything else.
  SourceCertificates(CurlTransports transports, transport::TlsConfig tls)
      : transports_(std::move(transports)), tls_(std::move(tls)) {}

  /// Makes handshakes use the certificate of these credentials, or that of `tls` when they have
  /// none, unless later ones were here before. Equal certificates change nothing.
  /// @par Errors   Credentials: the certificate can't be used.
  Result<void> use(const Credentials& credentials) KUBE_EXCLUDES(mutex_);

 private:
  const CurlTransports transports_;
  const transport::TlsConfig tls_;
  Mutex mutex_;
  std::uint64_t generation_ KUBE_GUARDED_BY(mutex_) = 0;
  // Of the source, in use; empty before it had one.
  std::string certificate_ KUBE_GUARDED_BY(mutex_);
  SecretText key_ KUBE_GUARDED_BY(mutex_);
};

/// Requests without an Authorization header get the token of the source, and wait while it is
/// refreshed; a request that has one passes unchanged. After a 401 the source refreshes its
/// credentials for the next request; the response is passed on.
///
/// Errors of the source end the exchange with the context "getting credentials" and with
/// ExchangeFailure::NoCredentials. The time that a request waits counts for its timeout.
std::shared_ptr<transport::RoundTripper> with_credentials(
    std::shared_ptr<CredentialSource> source, std::shared_ptr<SourceCertificates> certificates,
    const Runtime& runtime, std::shared_ptr<transport::RoundTripper> base);

}  // namespace kube::rest
