// SPDX-License-Identifier: Apache-2.0
//
// Stores the open connections and the time of the last byte from each. curl reports sockets when
// they are opened and closed, and the local address when a request is sent; the table joins the
// two, since curl 7.88 does not report the socket of a running request.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include <curl/curl.h>

#include "deadlines.hpp"
#include "tls_material.hpp"

struct ssl_st;  // OpenSSL's SSL

namespace kube::transport {

/// A ping that is due or was sent, and that nothing was received after.
struct ConnectionPing {
  std::optional<SteadyTime> sent{};
};

/// The state of one connection, shared by all exchanges on it.
struct ConnectionHealth {
  curl_socket_t socket = CURL_SOCKET_BAD;  ///< CURL_SOCKET_BAD once closed.
  SteadyTime heard{};                      ///< When a header or a byte of a body last arrived.
  std::string address{};                   ///< The local address; empty until a request was sent.
  bool established = false;                ///< A request was sent: TLS and ALPN are complete.
  bool is_tcp = true;
  SteadyTime opened{};
  /// The session of an HTTP/2 connection that pings can be sent on; null for others. Valid while
  /// the socket is open.
  ssl_st* pings_by = nullptr;
  std::optional<ConnectionPing> ping{};
  std::uint64_t read_bytes = 0;  ///< Of the session, at the last look for silence.
  SteadyTime looked{};           ///< The time of that look.
  SteadyTime arrived{};          ///< When something had last arrived then.
  /// Why the connection was given up, for the errors of its exchanges.
  std::string given_up{};
  std::shared_ptr<const TlsMaterial> tls{};  ///< Null for a plain connection.
  std::size_t users = 0;                     ///< Exchanges whose request was sent on it.
  /// The last HTTP/2 stream that the server processes, after a GOAWAY.
  std::optional<std::uint32_t> last_stream{};
};

/// Counts an exchange among the users of its connection.
/// @par Thread safety   Used only on the I/O thread.
class ConnectionUse {
 public:
  ConnectionUse() = default;
  explicit ConnectionUse(std::shared_ptr<ConnectionHealth> connection);
  ConnectionUse(ConnectionUse&& other) noexcept = default;
  ConnectionUse& operator=(ConnectionUse&& other) noexcept;
  ~ConnectionUse() { end(); }
  const std::shared_ptr<ConnectionHealth>& get() const { return connection_; }

 private:
  void end();
  std::shared_ptr<ConnectionHealth> connection_;
};

/// @par Thread safety   Used only on the I/O thread.
class ConnectionTable {
 public:
  std::shared_ptr<ConnectionHealth> opened(curl_socket_t socket,
                                           std::shared_ptr<const TlsMaterial> tls, SteadyTime now);
  void closed(curl_socket_t socket);
  /// Returns the connection with this local address; null if it has none (unix sockets).
  std::shared_ptr<ConnectionHealth> find(const char* local_ip, int local_port);
  /// Closes the connections of other TLS material than `current` that no exchange uses any more.
  /// Returns whether some are left.
  bool close_retired(const TlsMaterial* current);

  /// Records that a request is sent on this connection, which so is established. `http2`: others
  /// can share it.
  void established(ConnectionHealth& health, bool http2);
  /// Whether requests share an established connection.
  bool multiplexes() const { return multiplexes_; }
  /// Returns when the TCP connection that is being established was opened; nullopt when there is
  /// none, and after one failed until another is established.
  std::optional<SteadyTime> opening_since() const;

  /// Calls visit(ConnectionHealth&) for each open connection.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& [socket, health] : by_socket_) visit(*health);
  }

 private:
  bool multiplexes_ = false;
  bool failed_ = false;  // A connection was closed before it was established.
  std::unordered_map<curl_socket_t, std::shared_ptr<ConnectionHealth>> by_socket_;
  std::unordered_map<std::string, std::shared_ptr<ConnectionHealth>> by_address_;
};

}  // namespace kube::transport
