// SPDX-License-Identifier: Apache-2.0
//
// kube::rest::Config: what a client needs to know about a cluster: its address, the certificates to
// trust and the credentials. Filled by hand, from a kubeconfig or from a pod's service account.
//
// Any thread may call these functions.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/transport/curl_transport.hpp>

namespace kube::rest {

/// A value, comparable by content; to_string() prints no secret.
struct Config {
  /// "https://127.0.0.1:6443", which may have a path. "host" and "host:port" mean https when `tls`
  /// has a CA, a client certificate or insecure_skip_verify, else http. Empty: localhost.
  std::string host{};
  transport::TlsConfig tls{};
  std::string bearer_token{};
  std::string bearer_token_file{};  ///< Read again every minute; wins over bearer_token once read.
  std::string username{};           ///< Basic authentication, which current servers refuse.
  std::string password{};
  std::string namespace_{};  ///< The context's default namespace; "" means "default".
  std::string user_agent{};  ///< Empty: default_user_agent().
  /// The encoding of bodies of built-in types: application/json or
  /// application/vnd.kubernetes.protobuf. When this and accept_content_types are empty, protobuf is
  /// sent and both are accepted. Other types always use JSON.
  std::string content_type{};
  /// The Accept header for built-in types; empty: content_type, then anything.
  std::string accept_content_types{};
  std::string proxy_url{};  ///< http, https or socks5; empty: the environment decides.
  bool disable_compression = false;
  std::chrono::milliseconds timeout{0};  ///< For each request except watches; 0: none.
  /// The maximum silence of a server while a caller waits for a whole response; 0: none. client-go
  /// has no such limit: a server that hangs blocks its callers for ever. API servers limit requests
  /// to a minute unless --request-timeout differs. It does not apply to watches and other streams,
  /// nor to requests that a server forwards to pods and services.
  std::chrono::milliseconds idle_timeout{90'000};
  /// The maximum number of requests a second, and the burst above it (0: 10). qps of 0 or less: no
  /// limit in the client; the server's priority and fairness decides.
  float qps = 0;
  int burst = 0;

  /// Its origin, for errors: "/home/me/.kube/config: context \"c\": user \"u\"". Not compared.
  std::string origin{};

  friend bool operator==(const Config& a, const Config& b);
};

/// Returns one line with the fields that are set; secrets are "--- REDACTED ---", certificates "---
/// TRUNCATED ---".
std::string to_string(const Config& config);
std::ostream& operator<<(std::ostream& out, const Config& config);

/// Returns the server's URL with scheme and path, always ending in '/', without query and fragment.
/// @par Errors   Config: not a URL or a host:port pair, another scheme than http and https, or
///   credentials in the URL.
Result<std::string> base_url(const Config& config);

/// Whether base_url() is https; false also when it fails.
bool is_tls(const Config& config);

/// Checks for errors that would make every request fail. Does not open files.
/// @par Errors   Config: base_url()'s errors, a CA together with insecure_skip_verify, a token
///   together with a username, a certificate without key, line breaks in a header's value, an
///   unknown content_type.
Result<void> validate(const Config& config);

/// Returns the same cluster without token, basic authentication and client certificate.
Config anonymous(const Config& config);

/// Returns "<program>/<version> (<os>/<arch>) kube-cpp/<version>".
std::string default_user_agent();
/// Returns the same form with other parts; an empty program is "unknown".
std::string make_user_agent(std::string_view program, std::string_view version, std::string_view os,
                            std::string_view arch);

}  // namespace kube::rest
