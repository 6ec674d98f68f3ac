// SPDX-License-Identifier: Apache-2.0
//
// kube::rest::Config: what a client needs to know about a cluster: its address, the certificates to
// trust and the credentials. Filled by hand, from a kubeconfig or from a pod's service account.
//
// Any thread may call these functions.
#pragma once

#include <chrono>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include <kube/base/flow_control.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/base/secret_text.hpp>
#include <kube/config/credentials.hpp>
#include <kube/config/detail/shared_by_clients.hpp>
#include <kube/config/detail/shared_limiters.hpp>
#include <kube/config/retry_policy.hpp>
#include <kube/transport/curl_transport.hpp>
#include <kube/transport/wrappers.hpp>

namespace kube::rest {

/// A value, comparable by content; to_string() prints no secret.
struct Config {
  /// "https://127.0.0.1:6443", which may have a path. "host" and "host:port" mean https when `tls`
  /// has a CA, a client certificate or insecure_skip_verify, else http. Empty: localhost.
  /// "unix:///run/kube.sock", or "unix:/run/kube.sock", is a unix socket, whose server is
  /// localhost.
  std::string host{};
  transport::TlsConfig tls{};
  SecretText bearer_token{};
  std::string bearer_token_file{};  ///< Read again every minute; wins over bearer_token once read.
  std::string username{};           ///< Basic authentication, which current servers refuse.
  SecretText password{};
  ImpersonationConfig impersonate{};
  Optional<ExecConfig> exec_provider{};          ///< Not together with auth_provider.
  Optional<AuthProviderConfig> auth_provider{};  ///< Not together with exec_provider.
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
  /// to a minute unless --request-timeout differs. A longer timeout, here or in a Request, raises
  /// it. It does not apply to watches and other streams, nor to requests that a server forwards to
  /// pods, services and nodes (".../proxy").
  std::chrono::milliseconds idle_timeout{90'000};
  /// The maximum time for the name and the TCP connection, and for the TLS handshake after that; 0:
  /// those of transport::CurlTransport::Options. With a proxy, the first is the bound for all.
  std::chrono::milliseconds connect_timeout{30'000};
  std::chrono::milliseconds tls_handshake_timeout{10'000};
  /// Which requests are sent again, how often, and after how long.
  RetryPolicy retry{};
  /// The maximum number of requests a second, and the burst above it (0: 10). All clients of this
  /// Config and its copies share it; a copy with another qps or burst has a limit of its own. qps
  /// of 0 or less: no limit in the client; the server's priority and fairness decides.
  float qps = 0;
  int burst = 0;
  /// Wins over qps and burst. All clients of this Config and its copies share its queue.
  std::shared_ptr<flowcontrol::RateLimiter> rate_limiter{};
  /// 6 to 10: what of each request and response is logged (request_log.hpp); below: nothing.
  int request_log_verbosity = 0;
  /// Gives watches connections of their own, with a second I/O thread, so that no watch that its
  /// reader holds up delays another request.
  bool separate_watch_connections = false;
  /// Put around the connection, below the log and the credentials. Empty: nothing. Not compared.
  transport::Wrapper wrap_transport{};

  /// The file that it came from, for errors. Not compared.
  std::string origin{};
  /// Where its parts came from, for errors: "FILE: line 5: users[0].user.client-key: ".
  struct Origins {
    std::string ca{};
    std::string certificate{};
    std::string key{};
    std::string auth_provider{};
  };
  Origins origins{};  ///< Not compared.

  /// The limit of qps and burst, shared by the copies. Not compared, and not for users.
  detail::SharedLimiters limiters{};
  /// What clients of the copies share. Not compared, and not for users.
  detail::SharedByClients shared{};

  friend bool operator==(const Config& a, const Config& b);
};

/// Returns one line with the fields that are set; secrets, and the arguments and variables of
/// plugins, are "--- REDACTED ---", certificates "--- TRUNCATED ---".
std::string to_string(const Config& config);
std::ostream& operator<<(std::ostream& out, const Config& config);

/// Returns the server's URL with scheme and path, always ending in '/', without query and fragment.
/// @par Errors   Config: not a URL or a host:port pair, another scheme than http and https, or
///   credentials in the URL.
Result<std::string> base_url(const Config& config);

/// Returns the path of the unix socket that `host` names; empty when it names a server.
std::string unix_socket(const Config& config);

/// Whether base_url() is https; false also when it fails.
bool is_tls(const Config& config);

/// Checks for errors that would make every request fail. Does not open files.
/// @par Errors   Config: base_url()'s errors, a CA together with insecure_skip_verify, a token
///   together with a username, a certificate without key, an exec provider together with an auth
///   provider, impersonation without a user name, line breaks in a header's value, an unknown
///   content_type.
Result<void> validate(const Config& config);

/// Returns the same cluster without any credentials: token, basic authentication, client
/// certificate, impersonation, exec and auth provider.
Config anonymous(const Config& config);

/// Returns "<program>/<version> (<os>/<arch>) kube-cpp/<version>".
std::string default_user_agent();
/// Returns the same form with other parts: the last part of the program's path, and the version up
/// to its first '-'; "unknown" for an empty one.
std::string make_user_agent(std::string_view program, std::string_view version, std::string_view os,
                            std::string_view arch);
/// Sets the user agent to the default one followed by "/<suffix>".
void add_user_agent(Config& config, std::string_view suffix);

}  // namespace kube::rest
