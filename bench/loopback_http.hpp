// SPDX-License-Identifier: Apache-2.0
//
// What the benchmarks' own servers need of HTTP/1.1: blocking, on a loopback port, and little else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kube::bench {

struct Listener {
  int socket = -1;
  std::uint16_t port = 0;
};

/// Listens on a free port.
/// @par Errors   Throws std::runtime_error.
Listener listen_on_loopback();

/// Sends all bytes; returns false when the client is gone.
bool send_all(int connection, std::string_view bytes);

/// Returns the head of a request; empty when there is none.
std::string read_head(int connection);

}  // namespace kube::bench
