// SPDX-License-Identifier: Apache-2.0
#include "tcp_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace programs {

TcpServer::TcpServer(std::vector<std::string> answers) : answers_(std::move(answers)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("cannot listen");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

TcpServer::~TcpServer() {
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
  for (const int file : open_) ::close(file);
}

std::vector<std::string> TcpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void TcpServer::serve() {
  for (std::size_t count = 0;; ++count) {
    const int file = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (file < 0) return;
    if (answers_.empty()) {
      open_.push_back(file);
      continue;
    }
    std::array<char, 4096> request{};
    const ssize_t size = ::recv(file, request.data(), request.size(), 0);
    {
      const std::lock_guard lock(mutex_);
      requests_.emplace_back(request.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    }
    const std::string& answer = answers_[std::min(count, answers_.size() - 1)];
    static_cast<void>(::send(file, answer.data(), answer.size(), MSG_NOSIGNAL));
    ::close(file);
  }
}

}  // namespace programs
