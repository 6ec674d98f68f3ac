// SPDX-License-Identifier: Apache-2.0
//
// A client of HTTP/1.1 that does one small thing at a time: sends some bytes, or receives some.
// What it can't do at once it does not do, so that one thread may drive many of them, and the
// server.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/http_server.hpp"

namespace kube::serving::test {

/// A socket, with TLS or without.
class SteppedSocket {
 public:
  /// Connects to the port, or unix socket, of a server. `receive_buffer_bytes`: 0 is the system's.
  SteppedSocket(const HttpServer& server, SSL_CTX* tls, int receive_buffer_bytes);
  ~SteppedSocket();
  SteppedSocket(const SteppedSocket&) = delete;
  SteppedSocket& operator=(const SteppedSocket&) = delete;

  /// Each is a record of its own in TLS. It is sent by send().
  void write(std::string_view text);
  /// Sends at most `size` bytes of the network's; returns whether there were any.
  bool send(std::size_t size);
  /// Receives at most `size` bytes of the network's; returns whether there were any, or the end.
  bool receive(std::size_t size);
  bool all_sent() const { return out_.empty(); }
  int native() const { return socket_; }

  std::string in{};    ///< The plain bytes that have come and that nobody has taken.
  bool ended = false;  ///< The server has closed, and so has this.

 private:
  void drive_tls();

  int socket_ = -1;
  std::string out_;
  std::string plain_;  ///< Waits for the handshake.
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_{nullptr, SSL_free};
  BIO* tls_in_ = nullptr;
  BIO* tls_out_ = nullptr;
};

/// What has come of an answer. The head of one that is a 100 is skipped.
class AnswerReader {
 public:
  /// Returns whether the answer is whole; its bytes are removed from `in`. `ended`: no more come.
  bool take(std::string& in, bool head_only, bool ended);

  int status = 0;
  bool continued = false;  ///< A 100 has come.
  std::map<std::string, std::string> headers{};
  std::string body{};

 private:
  bool take_head(std::string& in);
  bool take_body(std::string& in, bool head_only, bool ended);

  bool has_head_ = false;
};

}  // namespace kube::serving::test
