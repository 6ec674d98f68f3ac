// SPDX-License-Identifier: Apache-2.0
//
// Asks a cluster to sign a certificate, by a CertificateSigningRequest object, and waits for it
// (client-go's util/certificate/csr; docs/reference/clients-and-config.md ch. 24).
//
// The functions send requests and block until their answers are there; any thread may call them.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/certificate/key.hpp>
#include <kube/client/client.hpp>

namespace kube::certificate {

struct SigningRequest {
  std::string request{};  ///< PEM, of make_request().
  std::string name{};     ///< Of the object. Empty: the server makes one that begins with "csr-".
  std::string signer_name{};           ///< "kubernetes.io/kube-apiserver-client".
  std::optional<Duration> lifetime{};  ///< Sent in whole seconds; a signer may ignore it.
  std::vector<std::string> usages{};   ///< certificates::v1::KeyUsage.
};

/// A CertificateSigningRequest object.
struct SubmittedRequest {
  std::string name{};
  std::string uid{};
};

/// Creates the object: by certificates.k8s.io/v1, or by v1beta1 when the server does not have v1,
/// or when usages or signer are missing, which v1 requires. An object of this name that exists is
/// used when its subject and signer are the same, `key` has signed it, and no certificate that was
/// issued for it has expired.
/// @par Errors   Those of Api<T>::create(), prefixed with "cannot create certificate signing
///   request"; InvalidArgument, "retrieved csr is not compatible", for another object of this name.
Result<SubmittedRequest> request_certificate(const Client& client, const SigningRequest& request,
                                             const PrivateKey& key, std::stop_token stop = {});

/// Waits until the object is approved and its certificate is there, and returns it (PEM). Requests
/// that fail are repeated every second.
/// @par Errors   Server: the request was denied or has failed, with its reason and message.
///   Unreachable: the object was deleted, or is another one than `uid`. Timeout; Cancelled when
///   `stop` is requested.
/// @par Blocks   At most for `timeout`, by the client's clock.
Result<std::string> wait_for_certificate(const Client& client, const SubmittedRequest& submitted,
                                         Duration timeout, std::stop_token stop = {});

}  // namespace kube::certificate
