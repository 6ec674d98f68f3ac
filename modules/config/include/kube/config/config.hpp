// SPDX-License-Identifier: Apache-2.0
//
// kube::rest::Config: all that a client needs to know of a cluster: where it is, whom to trust and
// who we are. Made by hand, from a kubeconfig or from a pod's service account.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/transport/curl_transport.hpp>

namespace kube::rest {

/// A value; comparable by content. to_string() shows no secret.
struct Config {
  std::string host{};  ///< "https://127.0.0.1:6443", may carry a path. "host:port" means http.
  transport::TlsConfig tls{};
  std::string bearer_token{};
  std::string bearer_token_file{};  ///< Read again every minute; beats bearer_token once read.
  std::string username{};           ///< Basic authentication, which current servers refuse.
  std::string password{};
  std::string namespace_{};  ///< The context's default namespace; "" means "default".
  std::string user_agent{};  ///< Empty: "<program>/kube-cpp-<version>".
  std::string proxy_url{};
  bool disable_compression = false;
  std::chrono::milliseconds timeout{0};  ///< Of each request but watches; 0: none.
  /// Requests a second, and how many at once before that counts. 0: no limit on our side, the
  /// server's priority and fairness decides.
  float qps = 0;
  int burst = 0;
};

/// One line, secrets as "--- REDACTED ---".
std::string to_string(const Config& config);

}  // namespace kube::rest
