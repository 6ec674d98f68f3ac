// SPDX-License-Identifier: Apache-2.0
#include "connection_table.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

namespace kube::transport {
namespace {

int local_port_of(curl_socket_t socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
  }
  if (address.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  }
  return 0;
}

}  // namespace

void ConnectionTable::opened(curl_socket_t socket) {
  auto health = std::make_shared<ConnectionHealth>();
  health->socket = socket;
  health->heard = std::chrono::steady_clock::now();
  by_socket_[socket] = std::move(health);
}

void ConnectionTable::closed(curl_socket_t socket) {
  const auto found = by_socket_.find(socket);
  if (found == by_socket_.end()) return;
  found->second->socket = CURL_SOCKET_BAD;
  by_address_.erase(found->second->address);
  by_socket_.erase(found);
}

std::shared_ptr<ConnectionHealth> ConnectionTable::find(const char* local_ip, int local_port) {
  if (local_port <= 0) return nullptr;
  const std::string address = std::string(local_ip) + " " + std::to_string(local_port);
  std::shared_ptr<ConnectionHealth>& known = by_address_[address];
  if (known) return known;
  for (const auto& [socket, health] : by_socket_) {
    if (health->address.empty() && local_port_of(socket) == local_port) {
      health->address = address;
      known = health;
      return known;
    }
  }
  by_address_.erase(address);
  return nullptr;
}

}  // namespace kube::transport
