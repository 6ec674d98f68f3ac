// SPDX-License-Identifier: Apache-2.0
//
// The blocks of a text in PEM, and the certificates in them.
#pragma once

#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kube::apiserver {

struct PemBlock {
  std::string type{};
  bool has_headers = false;
  std::string bytes{};
};

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

using SigningRequest = std::unique_ptr<X509_REQ, decltype(&X509_REQ_free)>;

/// Returns the blocks that can be read; what is between them is no error.
std::vector<PemBlock> pem_blocks(std::string_view text);
/// Returns null for bytes that are no certificate.
Certificate read_certificate(std::string_view bytes);
/// Returns null for bytes that are no request.
SigningRequest read_signing_request(std::string_view bytes);
/// Returns what Go says of a request whose own key has not signed it; nothing when it has.
std::string signature_problem(const SigningRequest& request);
/// Return what Go says of bytes that are no certificate, or no request. Of what is below the outer
/// element it says more.
std::string unreadable_certificate(std::string_view bytes);
std::string unreadable_signing_request(std::string_view bytes);

}  // namespace kube::apiserver
