// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 on sockets: accepts connections, reads requests within limits, sends responses, streams
// and watches. A watch is a stream that is asked for bytes; no other part of Kubernetes is known
// here.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <kube/base/result.hpp>

#include "documents/ids.hpp"
#include "http/http_message.hpp"
#include "http/io_threads.hpp"

namespace kube::serving {

/// @par Thread safety   All functions may be called from any thread; stop() not from a handler.
class HttpServer {
 public:
  struct Options {
    std::string address = "127.0.0.1";  ///< An IP address, not a name.
    std::uint16_t port = 0;             ///< 0 chooses a free port.
    /// Instead of an address: the path of a unix socket, which only this user can connect to. A
    /// socket that nobody listens on is replaced; stop() removes it.
    std::string unix_path{};
    /// Files in PEM, for TLS: the server's certificate and those of its issuers, and its key.
    std::string tls_cert_file{};
    std::string tls_key_file{};
    /// For another one, the connection that has waited longest for a request is closed; when none
    /// waits, the new one gets a 503.
    std::size_t max_connections = 10'000;
    std::size_t max_body_bytes = 3'145'728;
    Duration header_timeout = std::chrono::seconds(32);  ///< For the head of a request to arrive.
    Duration body_timeout = std::chrono::seconds(60);    ///< For its body to arrive.
    Duration idle_timeout = std::chrono::seconds(90);    ///< For a connection between requests.
    /// For a client to receive some of the bytes sent; then it is disconnected.
    Duration write_timeout = std::chrono::seconds(60);
    /// For a client to receive the whole of a body that is made while it is sent, such as a long
    /// list; then it is disconnected. Watches have no such limit.
    Duration stream_timeout = std::chrono::minutes(10);
    /// The maximum time that a read waits for a revision that does not exist yet.
    Duration fresh_read_timeout = std::chrono::seconds(3);
    Duration stop_timeout = std::chrono::seconds(2);  ///< For responses and watches in stop().
  };

  /// What the server calls its owner for. Called on the I/O threads; they never throw.
  struct Callbacks {
    std::function<HttpResponse(const HttpRequest&, bool last_attempt)> handle;
    /// Returns the response to a request whose body is too large.
    std::function<HttpResponse(const HttpRequest&)> refuse_body;
  };

  /// `io`, `timers` and `ids` must outlive the server.
  static Result<std::unique_ptr<HttpServer>> listen(Options options, IoThreads& io,
                                                    Executor& timers, Ids& ids,
                                                    Callbacks callbacks);
  ~HttpServer();

  std::uint16_t port() const;
  /// "127.0.0.1:34567"; the path of a unix socket.
  std::string address() const;
  /// "http://127.0.0.1:34567", "https://...", "unix:///PATH"
  std::string url() const;

  std::size_t connections() const;
  /// The connections that wait for a request.
  std::size_t idle() const;
  std::uint64_t requests() const;

  /// Reads the files of certificate and key again; returns whether they have changed. Connections
  /// from now on have the new certificate; the others continue. After an error the old one stays.
  /// @par Errors   InvalidArgument, naming file and line.
  Result<bool> read_certificate();

  void drop_connections();
  void send_bookmarks();
  void end_watches();
  /// Stops accepting, ends watches, waits for responses in progress; has those that still wait for
  /// others make a last attempt, and closes the remaining connections. Idempotent.
  void stop();

  struct Impl;

 private:
  explicit HttpServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kube::serving
