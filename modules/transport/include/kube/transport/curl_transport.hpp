// SPDX-License-Identifier: Apache-2.0
//
// kube::transport::CurlTransport: HTTP/1.1 and HTTP/2 on libcurl's multi interface. One I/O thread
// for any number of requests; with HTTP/2 they share one connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <kube/base/clock.hpp>
#include <kube/base/log.hpp>
#include <kube/base/secret_text.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::transport {

/// A certificate or CA: PEM bytes, or a file with them. The bytes take precedence; both empty:
/// none.
/// @par Thread safety   A value.
struct PemSource {
  std::string data{};
  std::string file{};
  bool empty() const { return data.empty() && file.empty(); }
  bool operator==(const PemSource&) const = default;
};

/// A private key in the same way.
/// @par Thread safety   A value.
struct KeySource {
  SecretText data{};
  std::string file{};
  bool empty() const { return data.empty() && file.empty(); }
  bool operator==(const KeySource&) const = default;
};

struct TlsConfig {
  PemSource ca{};           ///< Empty: the system's roots.
  PemSource certificate{};  ///< The client's certificate chain, leaf first.
  KeySource key{};
  std::string server_name{};  ///< Empty: the URL's host.
  bool insecure_skip_verify = false;
};

/// Redirects are not followed: a 3xx is a response like any other. A request is sent again at most
/// five times, and only when the server certainly has not processed it (HTTP/2's REFUSED_STREAM, or
/// a stream above the last one of a GOAWAY); a GET, HEAD or OPTIONS without body also when the
/// connection that it reused turns out to be dead. Otherwise, when the connection of a write is
/// lost before its response, the error is Unreachable with ExchangeFailure::LostAfterRequest: the
/// write may have been carried out.
///
/// When connect_timeout or tls_handshake_timeout of Options expires, the error is Unreachable, not
/// Timeout: the caller set no deadline.
/// @par Thread safety   All functions may be called from any thread, handlers included.
/// @par Cost   One thread; one connection for each running exchange with HTTP/1.1, one for all (up
///   to the server's limit of streams) with HTTP/2. While a handler has paused on a shared
///   connection, at most 4 MiB of its body are buffered, so that it does not delay the others at
///   once.
class CurlTransport final : public RoundTripper {
 public:
  struct Options {
    TlsConfig tls{};
    /// http, https or socks5, which resolves the names of hosts itself. Empty: HTTP_PROXY,
    /// HTTPS_PROXY and NO_PROXY of the environment, as Go reads them; requests through a malformed
    /// proxy of the environment fail with Config.
    std::string proxy_url{};
    std::string unix_socket{};  ///< Connect to this socket instead of the URL's host and port.
    bool http2 = true;          ///< Offer HTTP/2 by ALPN (https); only HTTP/1.1 otherwise.
    /// Speak HTTP/2 on http:// too, without upgrade. With libcurl before 8.0 each such exchange
    /// has a connection of its own.
    bool http2_prior_knowledge = false;
    bool compression = true;  ///< Offer gzip and decode it, unless a request has Accept-Encoding.
    std::chrono::milliseconds connect_timeout{30'000};  ///< For the name and the TCP connection.
    /// For the TLS handshake after that. With a proxy, connect_timeout is the bound for all.
    std::chrono::milliseconds tls_handshake_timeout{10'000};
    /// TCP keep-alive: a lost peer is noticed after one and a half times this. When an exchange
    /// times out, its connection is closed if it was silent for that long. 0: neither.
    std::chrono::milliseconds keep_alive{30'000};
    /// An HTTP/2 connection (https) on which nothing arrives for so long is pinged; when nothing
    /// arrives for http2_ping_timeout after that, it is closed and its exchanges end with
    /// Unreachable. So a dead server behind a proxy that lives is noticed. 0: no pings. A timeout
    /// of 0 is 15 s.
    std::chrono::milliseconds http2_read_idle_timeout{30'000};
    std::chrono::milliseconds http2_ping_timeout{15'000};
    std::size_t receive_buffer_bytes = std::size_t{256} << 10;  ///< The maximum size of a chunk.
    /// TLS files that have changed are noticed by the next request, and after this time without
    /// one.
    std::chrono::milliseconds tls_check_period{60'000};
    /// Receives a warning when TLS files have changed and can't be used. Empty: silent.
    std::shared_ptr<Logger> logger{};
    /// The time of all limits of requests, of the handshake, of pings and of the looks at TLS
    /// files. Empty: the system's. Another one must be a clock that any thread can wait in, as
    /// FakeClock is and that of a SeededExecutor is not; one more thread does so. Of libcurl and
    /// the system, and so always real, is the time of connect_timeout, which libcurl divides among
    /// the addresses of a host and which is that of the handshake, too, through a proxy, of
    /// keep_alive, and of the 118 s after which an idle connection is not used again.
    std::shared_ptr<Clock> clock{};
  };

  /// Makes a transport and starts its thread. TLS files that change are read again: see
  /// replace_tls(). Files that can't be used then, such as half a certificate or an empty CA file,
  /// change nothing but are reported to the logger; a certificate that can't be used does not keep
  /// back a CA file that can. A CA file that is empty at the start trusts no server until it is
  /// filled.
  /// @par Errors   Credentials, naming the file, when TLS material can't be read, is not PEM or
  ///   does not fit together; Config for a CA together with insecure_skip_verify, or an invalid
  ///   proxy URL; Internal when the system has no thread left.
  static Result<std::shared_ptr<CurlTransport>> create(Options options);
  /// Ends every exchange with Cancelled and joins the I/O thread. When a handler on that thread
  /// drops the last reference, it returns at once and the thread ends after that handler.
  ~CurlTransport() override;

  std::shared_ptr<Exchange> start(HttpRequest request, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token stop) override;

  /// Uses other TLS settings for requests that start after this call. Connections of the old ones
  /// are not used for them; each is closed when its last exchange has ended, and watches on
  /// it end with connection_retired(). Equal settings change nothing. A file that the settings
  /// before named, too, and that can't be used now, is reported to the logger and stays as it was.
  /// @par Errors   Those of create(), for the TLS material; the old settings are used further.
  /// @par Blocks   While it reads the files.
  Result<void> replace_tls(TlsConfig tls);

  /// Counters since the start. A response is counted before its handler is called.
  struct Stats {
    std::uint64_t requests = 0;         ///< Calls of start().
    std::uint64_t connections = 0;      ///< Opened since the start.
    std::uint64_t http2_responses = 0;  ///< Responses whose head arrived by HTTP/2.
    std::uint64_t bytes_received = 0;   ///< Bytes of bodies, decoded.
  };
  Stats stats() const;

 private:
  struct Impl;
  explicit CurlTransport(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube::transport
