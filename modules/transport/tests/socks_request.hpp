// SPDX-License-Identifier: Apache-2.0
//
// For tests whose server is a SOCKS proxy.
#pragma once

#include <cstddef>
#include <string>

#include "loopback_server.hpp"

namespace kube::transport {

/// Reads one SOCKS5 request (RFC 1928) as a proxy does, and permits it. Returns "host:port" of a
/// host that is given by its name; "" for an address, which is refused, or when the client closes.
/// @param reply   Another reply than 0, permission.
inline std::string socks_target(Peer& peer, char reply = 0) {
  std::string input;
  bool open = true;
  const auto take = [&](std::size_t size) {
    while (open && input.size() < size) {
      const std::string more = peer.read_some();
      open = !more.empty();
      input += more;
    }
    std::string taken = input.substr(0, size);
    taken.resize(size);
    input.erase(0, size);
    return taken;
  };
  const auto number = [](char byte) { return std::size_t{static_cast<unsigned char>(byte)}; };
  constexpr char kName = 3;

  take(number(take(2)[1]));  // its ways to authenticate
  peer.write(std::string("\x05\x00", 2));
  if (take(4)[3] != kName) return "";
  const std::string host = take(number(take(1)[0]));
  const std::string port = take(2);
  if (!open) return "";
  std::string bytes("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10);
  bytes[1] = reply;
  peer.write(bytes);
  return host + ":" + std::to_string(number(port[0]) * 256 + number(port[1]));
}

}  // namespace kube::transport
