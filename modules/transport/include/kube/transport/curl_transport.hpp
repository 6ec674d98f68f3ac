// SPDX-License-Identifier: Apache-2.0
//
// kube::transport::CurlTransport: HTTP/1.1 and HTTP/2 on libcurl's multi interface. One I/O thread
// for any number of requests; with HTTP/2 they share one connection.
#pragma once

#include <chrono>
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

class CurlTransport final : public RoundTripper {
 public:
  struct Options {
    TlsConfig tls{};
    std::string proxy_url{};    ///< Empty: HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the environment.
    std::string unix_socket{};  ///< Connect to this socket instead of the URL's host and port.
    bool http2 = true;          ///< Offer HTTP/2 by ALPN (https), else HTTP/1.1.
    /// Speak HTTP/2 on http:// too, without upgrade. With libcurl before 8.0 each such exchange
    /// has a connection of its own.
    bool http2_prior_knowledge = false;
    bool compression = true;             ///< Offer gzip.
    std::chrono::milliseconds connect_timeout{30'000};
    std::chrono::milliseconds keep_alive{30'000};  ///< TCP keep-alive and HTTP/2 ping period.
    std::size_t receive_buffer = 256 * 1024;       ///< Largest chunk handed to a handler, bytes.
  };

  /// Fails when a TLS file can't be read or is not PEM (Credentials, naming the file).
  static Result<std::shared_ptr<CurlTransport>> create(Options options);
  /// Ends every exchange with Cancelled and joins the I/O thread. Must not run on that thread.
  ~CurlTransport() override;

  std::shared_ptr<Exchange> start(HttpRequest request, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token stop) override;

  struct Stats {
    std::uint64_t requests = 0;
    std::uint64_t connections = 0;  ///< Opened since the start.
    std::uint64_t bytes_received = 0;
  };
  Stats stats() const;

 private:
  struct Impl;
  explicit CurlTransport(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube::transport
