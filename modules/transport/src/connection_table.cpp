// SPDX-License-Identifier: Apache-2.0
#include "connection_table.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <utility>

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

bool is_tcp(curl_socket_t socket) {
  int domain = 0;
  socklen_t size = sizeof domain;
  return getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain != AF_UNIX;
}

}  // namespace

ConnectionUse::ConnectionUse(std::shared_ptr<ConnectionHealth> connection)
    : connection_(std::move(connection)) {
  if (!connection_) return;
  ++connection_->users;
}

ConnectionUse& ConnectionUse::operator=(ConnectionUse&& other) noexcept {
  if (this == &other) return *this;
  end();
  connection_ = std::move(other.connection_);
  return *this;
}

void ConnectionUse::end() {
  if (connection_) --connection_->users;
  connection_.reset();
}

std::shared_ptr<ConnectionHealth> ConnectionTable::opened(curl_socket_t socket,
                                                          std::shared_ptr<const TlsMaterial> tls,
                                                          SteadyTime now) {
  auto health = std::make_shared<ConnectionHealth>();
  health->socket = socket;
  health->tls = std::move(tls);
  health->is_tcp = is_tcp(socket);
  health->opened = health->heard = health->looked = health->arrived = now;
  by_socket_[socket] = health;
  return health;
}

void ConnectionTable::closed(curl_socket_t socket) {
  const auto found = by_socket_.find(socket);
  if (found == by_socket_.end()) return;
  failed_ = failed_ || !found->second->established;
  found->second->socket = CURL_SOCKET_BAD;
  found->second->pings_by = nullptr;
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

// curl removes a connection that has ended when it looks for one.
bool ConnectionTable::close_retired(const TlsMaterial* current) {
  bool some_left = false;
  for (const auto& [socket, health] : by_socket_) {
    if (!health->tls || health->tls.get() == current) continue;
    if (health->users == 0 && health->established) {
      ::shutdown(socket, SHUT_RDWR);
      health->tls.reset();
    } else {
      some_left = true;
    }
  }
  return some_left;
}

void ConnectionTable::established(ConnectionHealth& health, bool http2) {
  health.established = true;
  failed_ = false;
  multiplexes_ = http2;
}

std::optional<SteadyTime> ConnectionTable::opening_since() const {
  if (failed_) return std::nullopt;
  std::optional<SteadyTime> first;
  for (const auto& [socket, health] : by_socket_) {
    if (health->established || !health->is_tcp) continue;
    if (!first || health->opened < *first) first = health->opened;
  }
  return first;
}

}  // namespace kube::transport
