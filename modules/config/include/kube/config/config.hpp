// SPDX-License-Identifier: Apache-2.0
//
// kube::rest::Config: all that a client needs to know of a cluster: where it is, whom to trust and
// who we are. Made by hand, from a kubeconfig or from a pod's service account.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/transport/curl_transport.hpp>

namespace kube::rest {

/// A value; comparable by content. to_string() shows no secret.
struct Config {
  /// "https://127.0.0.1:6443", may carry a path. "host" and "host:port" mean https when `tls` holds
  /// a CA, a client certificate or insecure_skip_verify, else http. Empty: localhost.
  std::string host{};
  transport::TlsConfig tls{};
  std::string bearer_token{};
  std::string bearer_token_file{};  ///< Read again every minute; beats bearer_token once read.
  std::string username{};           ///< Basic authentication, which current servers refuse.
  std::string password{};
  std::string namespace_{};  ///< The context's default namespace; "" means "default".
  std::string user_agent{};  ///< Empty: default_user_agent().
  /// What bodies of built-in types are sent as: application/json or
  /// application/vnd.kubernetes.protobuf. Empty, and no accept_content_types either: protobuf, with
  /// JSON as what is accepted, too. Other types speak JSON in any case.
  std::string content_type{};
  /// The Accept header for built-in types; empty: content_type and anything else.
  std::string accept_content_types{};
  std::string proxy_url{};  ///< http, https or socks5; empty: the environment decides.
  bool disable_compression = false;
  std::chrono::milliseconds timeout{0};  ///< Of each request but watches; 0: none.
  /// Longest silence of a server while a caller waits for a whole answer; 0: none. client-go has no
  /// such bound, and a server that hangs holds its callers for ever. API servers bound requests
  /// themselves, by a minute unless --request-timeout differs. It does not count for
  /// watches and other streams, nor for what a server passes on to pods and services.
  std::chrono::milliseconds idle_timeout{90'000};
  /// Requests a second, and how many at once before that counts (0: 10). qps of 0 or less: no limit
  /// on our side, the server's priority and fairness decides.
  float qps = 0;
  int burst = 0;

  /// Where it comes from, for errors: "/home/me/.kube/config: context \"c\": user \"u\"". Not
  /// compared.
  std::string origin{};

  friend bool operator==(const Config& a, const Config& b);
};

/// One line: what is set, secrets as "--- REDACTED ---", certificates as "--- TRUNCATED ---".
std::string to_string(const Config& config);
std::ostream& operator<<(std::ostream& out, const Config& config);

/// The server's URL with scheme and path, always ending in '/', without query and fragment.
/// @par Errors   Config: not a URL or a host:port pair, another scheme than http and https, or
///   credentials in the URL.
Result<std::string> base_url(const Config& config);

/// Whether base_url() is https; false when there is none.
bool is_tls(const Config& config);

/// What would make every request fail: base_url()'s errors, a CA together with
/// insecure_skip_verify, a token together with a username, a certificate without key, line breaks
/// in what becomes a header, a content_type that nobody can write. Files are not opened.
Result<void> validate(const Config& config);

/// The same cluster without anything that tells who we are: no token, no basic authentication, no
/// client certificate.
Config anonymous(const Config& config);

/// "<program>/<version> (<os>/<arch>) kube-cpp/<version>".
std::string default_user_agent();
/// The form behind it; an empty program is "unknown".
std::string make_user_agent(std::string_view program, std::string_view version, std::string_view os,
                            std::string_view arch);

}  // namespace kube::rest
