// SPDX-License-Identifier: Apache-2.0
//
// What a TLS server shows in its handshake, without checking it: its certificates, and whose client
// certificates it accepts. For diagnosis and for the first contact with a server.
//
// The functions connect to `address`, "host:port", and may be called from any thread. They block
// until the handshake has ended, `stop` is requested, or InspectionOptions::timeout has passed.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/certificate/certificate.hpp>

namespace kube::certificate {

struct InspectionOptions {
  std::string server_name{};  ///< Sent as SNI. Empty: the host, unless it is an IP address.
  std::chrono::milliseconds timeout{30'000};
};

/// Returns the subjects of the authorities whose client certificates the server accepts, each in
/// one line (RFC 2253). Empty when the server asks for no client certificate.
/// @par Errors   InvalidArgument: not an address. Unreachable: no connection, or not a TLS server.
///   Timeout, Cancelled.
Result<std::vector<std::string>> client_authorities(const std::string& address,
                                                    const InspectionOptions& options = {},
                                                    std::stop_token stop = {});
/// Returns the certificates that the server presents, its own first.
/// @par Errors   As client_authorities().
Result<std::vector<Certificate>> serving_certificates(const std::string& address,
                                                      const InspectionOptions& options = {},
                                                      std::stop_token stop = {});

/// Returns the "host:port" of a server's URL, with port 443 when it has none.
/// @par Errors   InvalidArgument: not a URL.
Result<std::string> address_of_url(const std::string& url);

}  // namespace kube::certificate
