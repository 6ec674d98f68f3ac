// SPDX-License-Identifier: Apache-2.0
//
// Stores the open connections and the time of the last byte from each. curl reports sockets when
// they are opened and closed, and the local address when a request is sent; the table joins the
// two, since curl 7.88 does not report the socket of a running request.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include <curl/curl.h>

#include "deadlines.hpp"

namespace kube::transport {

/// The state of one connection, shared by all exchanges on it.
struct ConnectionHealth {
  curl_socket_t socket = CURL_SOCKET_BAD;  ///< CURL_SOCKET_BAD once closed.
  SteadyTime heard{};                      ///< When a header or a byte of a body last arrived.
  std::string address{};                   ///< The local address; empty until a request was sent.
};

/// @par Thread safety   Used only on the I/O thread.
class ConnectionTable {
 public:
  void opened(curl_socket_t socket);
  void closed(curl_socket_t socket);
  /// Returns the connection with this local address; null if it has none (unix sockets).
  std::shared_ptr<ConnectionHealth> find(const char* local_ip, int local_port);

 private:
  std::unordered_map<curl_socket_t, std::shared_ptr<ConnectionHealth>> by_socket_;
  std::unordered_map<std::string, std::shared_ptr<ConnectionHealth>> by_address_;
};

}  // namespace kube::transport
