// SPDX-License-Identifier: Apache-2.0
#include "loopback_http.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <stdexcept>

namespace kube::bench {

Listener listen_on_loopback() {
  constexpr int kWaiting = 1024;  // connections that nobody has accepted yet
  Listener listener{.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.socket, any, size) != 0 || ::listen(listener.socket, kWaiting) != 0 ||
      ::getsockname(listener.socket, any, &size) != 0) {
    throw std::runtime_error("could not listen on a loopback port");
  }
  listener.port = ntohs(address.sin_port);
  return listener;
}

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string read_head(int connection) {
  std::string head;
  std::array<char, 4096> bytes{};
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = ::recv(connection, bytes.data(), bytes.size(), 0);
    if (got <= 0) return "";
    head.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return head;
}

}  // namespace kube::bench
