// SPDX-License-Identifier: Apache-2.0
//
// Finds dead peers of HTTP/2 connections by PING frames, as Go's transport does. TCP keep-alive
// does not: a proxy or a load balancer that lives answers it for a server that is gone.
//
// libcurl 7.88 sends pings (curl_easy_upkeep) only on the connections of easy handles without a
// multi handle, and does not look for their answers. So the frames are written here, by the
// connection's own TLS session, and whether anything arrives is asked of the kernel, which sees
// what curl does not report, such as the answer to a ping.
#pragma once

#include <chrono>

#include "connection_table.hpp"

namespace kube::transport {

/// @par Thread safety   Used only on the I/O thread, outside of curl's functions.
class ConnectionPings {
 public:
  /// A connection that was silent for `idle` is pinged; `timeout` after the ping (0 or less: 15 s,
  /// as Go has it), if nothing has arrived, it is closed. An `idle` of 0 or less: neither.
  ConnectionPings(std::chrono::milliseconds idle, std::chrono::milliseconds timeout)
      : idle_(idle), timeout_(timeout.count() > 0 ? timeout : std::chrono::seconds(15)) {}

  /// Pings and closes what is due. Costs a system call for each connection, at most every `idle`.
  void check(const ConnectionTable& table, SteadyTime now);
  /// Returns when check() has to run; max() for never.
  SteadyTime next() const { return next_; }
  /// Call when a connection has been established.
  void note_connection(SteadyTime now);

 private:
  /// Returns when to look at the connection again.
  SteadyTime check(ConnectionHealth& health, SteadyTime now) const;

  const std::chrono::milliseconds idle_;
  const std::chrono::milliseconds timeout_;
  SteadyTime next_ = SteadyTime::max();
};

}  // namespace kube::transport
