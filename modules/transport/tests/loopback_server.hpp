// SPDX-License-Identifier: Apache-2.0
//
// A server for tests that does what a script says, byte for byte, on 127.0.0.1 or a unix socket.
// One thread for each connection runs the script, so a script reads from top to bottom.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
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

  /// `sent` counts what is written, of all connections of a server.
  Peer(int socket, ssl_ctx_st* tls, std::atomic<std::uint64_t>& sent);
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
  /// Sends no more, and takes what comes until the client closes: closing with bytes unread would
  /// reset the connection.
  void end();
  /// Whether it sends or closes within so long.
  bool stirs_within(std::chrono::milliseconds time);

  /// Copies bytes both ways between the client and 127.0.0.1:port until one of them closes.
  /// `first` goes there before.
  void forward_to(int port, std::string_view first = {});
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
  std::atomic<std::uint64_t>& sent_;
  std::string input_;
};

/// What a TLS server shows and demands.
struct ServerTls {
  PemPair certificate;
  std::string client_ca{};          ///< Demands client certificates of this authority.
  bool client_is_optional = false;  ///< Asks for one, and takes clients without.
  std::vector<std::string> protocols{"http/1.1"};
  int highest_version = 0;  ///< 0: no limit; else OpenSSL's constant.
};

class LoopbackServer {
 public:
  using Script = std::function<void(Peer& peer)>;
  struct Options {
    std::optional<ServerTls> tls{};
    std::string unix_socket{};
    int port = 0;                       ///< 0: one that is free; else one of a HeldPort.
    std::function<void()> on_accept{};  ///< In the thread that accepts, before any handshake.
    bool linger = false;                ///< After a failed handshake wait for the client to close.
  };

  explicit LoopbackServer(Script script) : LoopbackServer(std::move(script), Options{}) {}
  LoopbackServer(Script script, Options options);
  /// Cuts what is open and joins.
  ~LoopbackServer();

  /// What connections that are accepted from now on show and demand; open ones stay as they are.
  void renew(const ServerTls& tls);
  /// Ends what is open, in the middle of whatever it does.
  void cut();

  /// "http://127.0.0.1:port" and the path; https with TLS.
  std::string url(std::string_view path = "/") const;
  int port() const { return port_; }
  int accepted() const { return accepted_.load(); }
  /// Bytes written to all connections, before TLS.
  std::uint64_t sent() const { return sent_.load(); }

 private:
  void accept_all();
  void serve(std::list<Peer>::iterator peer);
  void join_finished();

  Script script_;
  std::function<void()> on_accept_;
  bool linger_ = false;
  ssl_ctx_st* tls_ = nullptr;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> accepted_{0};
  std::atomic<std::uint64_t> sent_{0};
  std::mutex mutex_;
  bool closing_ = false;
  std::list<Peer> peers_;
  std::map<std::thread::id, std::thread> threads_;
  std::vector<std::thread::id> finished_;
  std::thread acceptor_;
};

/// A port on which nobody listens.
int closed_port();

/// A port of 127.0.0.1 that nobody else gets, for servers that come and go on it. Without one,
/// connections are refused.
class HeldPort {
 public:
  HeldPort();
  ~HeldPort();
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;
  int number() const { return number_; }

 private:
  int number_ = 0;
  int socket_;  // after the number, which binding finds
};

}  // namespace kube::transport
