// SPDX-License-Identifier: Apache-2.0
//
// A server for tests that does what a script says, byte for byte, on 127.0.0.1 or a unix socket.
// One thread for each connection runs the script, so a script reads from top to bottom.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "test_pki.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace kube::transport {

/// The server's end of one connection. Closed when the script returns.
class Peer {
 public:
  struct Request {
    std::string method;
    std::string target;
    std::string head;  ///< Request line and headers as they came.
    std::string body;
  };

  Peer(int socket, ssl_ctx_st* tls);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// The handshake; at once for plain connections. False when the client went away.
  bool accept();

  /// The next request with its body; nullopt when the client closed.
  std::optional<Request> read_request();
  /// Some bytes, at least one; empty when the client closed.
  std::string read_some();
  /// All bytes; false when the client is gone.
  bool write(std::string_view bytes);
  /// Writes pieces of `piece` until nothing has been taken for 200 ms or `most` bytes are out;
  /// returns how many were. Plain connections only.
  std::size_t write_until_stalled(std::string_view piece, std::size_t most);
  /// Until the client closes or resets.
  void await_close();

  /// Copies bytes both ways between the client and 127.0.0.1:port until one of them closes.
  void forward_to(int port);
  /// Half closes and waits for the client to close, so that it reads all that was written.
  void drain();

  /// Closes so that the client sees a reset, not an end.
  void reset();
  /// Ends what blocks in another thread.
  void abort();

  std::string alpn() const;
  std::string client_name() const;
  std::string server_name() const;

 private:
  int socket_;
  ssl_st* tls_ = nullptr;
  std::string input_;
};

/// What a TLS server shows and demands.
struct ServerTls {
  PemPair certificate;
  std::string client_ca{};  ///< Demands client certificates of this authority.
  std::vector<std::string> protocols{"http/1.1"};
  int highest_version = 0;  ///< 0: no limit; else OpenSSL's constant.
};

class LoopbackServer {
 public:
  using Script = std::function<void(Peer& peer)>;
  struct Options {
    std::optional<ServerTls> tls{};
    std::string unix_socket{};
    bool linger = false;  ///< After a failed handshake wait for the client to close.
  };

  explicit LoopbackServer(Script script) : LoopbackServer(std::move(script), Options{}) {}
  LoopbackServer(Script script, Options options);
  /// Cuts what is open and joins.
  ~LoopbackServer();

  /// "http://127.0.0.1:port" and the path; https with TLS.
  std::string url(std::string_view path = "/") const;
  int port() const { return port_; }
  int accepted() const { return accepted_.load(); }

 private:
  void accept_all();

  Script script_;
  bool linger_ = false;
  ssl_ctx_st* tls_ = nullptr;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> accepted_{0};
  std::mutex mutex_;
  bool closing_ = false;
  std::list<Peer> peers_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

/// A port on which nobody listens.
int closed_port();

}  // namespace kube::transport
