// SPDX-License-Identifier: Apache-2.0
//
// A client of a server that is measured: HTTP/1.1 on a blocking socket, with or without TLS, that
// costs as little as it can, because it shares the processors with the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

typedef struct ssl_st SSL;

namespace kube::bench {

/// Where a server is, and what its requests say besides the target.
struct Address {
  bool tls = false;
  std::uint16_t port = 0;     ///< On 127.0.0.1.
  std::string credentials{};  ///< Header fields, with their line ends.
};

/// Ends the program when the server does not answer.
///
/// @par Thread safety   None: for one thread at a time.
class Connection {
 public:
  explicit Connection(const Address& address);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void ask(const std::string& target) { send("GET " + target, "", ""); }
  /// Sends a merge patch.
  void patch(const std::string& target, const std::string& document) {
    send("PATCH " + target, "Content-Type: application/merge-patch+json\r\n", document);
  }
  /// Reads one answer, with a length or in chunks; its status must be 200. Returns its size.
  std::size_t read_answer();
  /// Reads the head of an answer whose body has no end. What has come of the body is dropped.
  void read_head();

  int descriptor() const { return socket_; }
  /// From now on read_some() returns instead of waiting.
  void stop_waiting();
  /// Returns the number of bytes read: 0 when there are none now, -1 at the end.
  std::ptrdiff_t read_some(std::span<char> into);

 private:
  void send(std::string_view line, std::string_view fields, std::string_view body);
  std::size_t more();

  std::string credentials_;
  int socket_;
  SSL* tls_ = nullptr;
  std::string head_;
};

[[noreturn]] void fail(const std::string& what);

}  // namespace kube::bench
