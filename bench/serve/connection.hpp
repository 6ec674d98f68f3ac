// SPDX-License-Identifier: Apache-2.0
//
// A client of a server that is measured: HTTP/1.1 on a blocking socket, with or without TLS, that
// reads as little as it can of an answer.
#pragma once

#include <cstdint>
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

  void ask(const std::string& target);
  /// Reads until a text comes, from the end of what was read before.
  void read_until(std::string_view text);
  /// Reads one answer, with a length or in chunks; its status must be 200.
  void read_answer();

 private:
  void more();

  std::string credentials_;
  int socket_;
  SSL* tls_ = nullptr;
  std::string read_;
};

}  // namespace kube::bench
