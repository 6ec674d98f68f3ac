// SPDX-License-Identifier: Apache-2.0
#include "client.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <stdexcept>

namespace bounds {
namespace {

constexpr int kPatienceMs = 120'000;
constexpr std::size_t kKeptText = 4096;

}  // namespace

Client::Client(std::uint16_t port, bool stalled)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const int least = 1;
  if (stalled) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &least, sizeof least);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
      errno != EINPROGRESS) {
    ::close(socket_);
    throw std::runtime_error("can't connect to the server");
  }
}

Client::~Client() {
  ::close(socket_);
}

bool Client::read_some() {
  std::array<char, 65536> buffer{};
  const ssize_t size = ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (size <= 0) return false;
  const std::size_t room = kKeptText - text_.size();
  text_.append(buffer.data(), std::min(room, static_cast<std::size_t>(size)));
  return true;
}

std::size_t Client::run(std::string_view bytes, bool head_only) {
  std::size_t sent = 0;
  while (true) {
    const bool wants_out = sent < bytes.size();
    pollfd waiting{socket_, static_cast<short>(wants_out ? POLLIN | POLLOUT : POLLIN), 0};
    if (::poll(&waiting, 1, kPatienceMs) <= 0) {
      throw std::runtime_error("no answer in " + std::to_string(kPatienceMs / 1000) + " s");
    }
    if ((waiting.revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !read_some()) return sent;
    if (wants_out && (waiting.revents & POLLOUT) != 0) {
      const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count > 0) sent += static_cast<std::size_t>(count);
      // The answer, if there is one, is read still.
      if (count < 0 && errno != EAGAIN && errno != EINTR) bytes = bytes.substr(0, sent);
    }
    if (head_only && sent == bytes.size() && text_.find("\r\n\r\n") != std::string::npos) {
      return sent;
    }
  }
}

int Client::status() const {
  constexpr std::string_view kBegin = "HTTP/1.1 ";
  int status = 0;
  if (!text_.starts_with(kBegin)) return 0;
  std::from_chars(text_.data() + kBegin.size(), text_.data() + text_.size(), status);
  return status;
}

}  // namespace bounds
