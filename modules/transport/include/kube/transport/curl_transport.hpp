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

#include <kube/transport/round_tripper.hpp>

namespace kube::transport {

/// A certificate, key or CA: PEM bytes, or the file that holds them (bytes win). Both empty: none.
struct PemSource {
  std::string data{};
  std::string file{};
  bool empty() const { return data.empty() && file.empty(); }
};

struct TlsConfig {
  PemSource ca{};           ///< Empty: the system's roots.
  PemSource certificate{};  ///< Client certificate, leaf first.
  PemSource key{};
  std::string server_name{};  ///< Empty: the URL's host.
  bool insecure_skip_verify = false;
};

/// Redirects are not followed: a 3xx is an answer like any other. A request with a body is never
/// sent twice; one without may be, when the connection that it reused turns out to be dead.
///
/// A bound on connecting (Options::connect_timeout) that passes is Unreachable, not Timeout: nobody
/// answered, and the caller asked for no deadline.
/// @par Cost   One thread; a connection for each exchange under way with HTTP/1.1, one for all (up
///   to the server's limit of streams) with HTTP/2. While a handler has paused, up to 4 MiB of its
///   body are held on a shared connection, so that it doesn't hold up the others at once.
class CurlTransport final : public RoundTripper {
 public:
  struct Options {
    TlsConfig tls{};
    /// http, https or socks5. Empty: HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the environment, as Go
    /// reads them; a value there that is no proxy fails the requests that would go through it, with
    /// Config.
    std::string proxy_url{};
    std::string unix_socket{};  ///< Connect to this socket instead of the URL's host and port.
    bool http2 = true;          ///< Offer HTTP/2 by ALPN (https), else HTTP/1.1.
    /// Speak HTTP/2 on http:// too, without upgrade. With libcurl before 8.0 each such exchange
    /// has a connection of its own.
    bool http2_prior_knowledge = false;
    bool compression = true;  ///< Offer gzip and decode it, unless a request has Accept-Encoding.
    std::chrono::milliseconds connect_timeout{30'000};
    /// TCP keep-alive: a peer that is gone is noticed after one and a half of these. A connection
    /// that was silent as long when an exchange on it times out is closed. 0: neither.
    std::chrono::milliseconds keep_alive{30'000};
    std::size_t receive_buffer = std::size_t{256}
                                 << 10;  ///< Read at once, bytes; chunks are no larger.
  };

  /// Credentials when TLS material can't be read, is not PEM or does not fit together, naming the
  /// file; Config for a CA beside insecure_skip_verify or a proxy URL that is none. Files are read
  /// again by each handshake, so that renewed ones are used by new connections.
  static Result<std::shared_ptr<CurlTransport>> create(Options options);
  /// Ends every exchange with Cancelled and joins the I/O thread. When a handler on that thread
  /// lets go of the last owner, it returns at once and the thread ends after that handler.
  ~CurlTransport() override;

  std::shared_ptr<Exchange> start(HttpRequest request, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token stop) override;

  /// Counts since the start. An answer counts before its handler hears of it.
  struct Stats {
    std::uint64_t requests = 0;         ///< start() was called.
    std::uint64_t connections = 0;      ///< Opened since the start.
    std::uint64_t http2_responses = 0;  ///< Answers whose head came by HTTP/2; the others HTTP/1.
    std::uint64_t bytes_received = 0;   ///< Of bodies, decoded.
  };
  Stats stats() const;

 private:
  struct Impl;
  explicit CurlTransport(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube::transport
