// SPDX-License-Identifier: Apache-2.0
#include "response_reader.hpp"

#include <array>
#include <cstdlib>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

namespace faulty_front {
namespace {

bool begins_with_name(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line[name.size()] == ':' &&
         strncasecmp(line.data(), name.data(), name.size()) == 0;
}

}  // namespace

Socket::Socket(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(std::exchange(fd_, -1));
  }
}

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

bool Socket::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<std::string> Socket::read(std::size_t most) const {
  pollfd waits{.fd = fd_, .events = POLLIN, .revents = 0};
  if (::poll(&waits, 1, 100) == 0) return std::nullopt;
  std::array<char, 16 * 1024> buffer{};
  const ssize_t got = ::recv(fd_, buffer.data(), std::min(buffer.size(), most), 0);
  return std::string(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
}

void ResponseReader::add(std::string_view bytes) {
  input_ += bytes;
  if (head_.empty()) {
    const std::size_t end = input_.find("\r\n\r\n");
    if (end == std::string::npos) return;
    read_head(std::string_view(input_).substr(0, end + 2));
    input_.erase(0, end + 4);
  }
  read_body();
}

void ResponseReader::read_head(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find("\r\n") + 2);
    text.remove_prefix(line.size());
    if (begins_with_name(line, "Content-Length")) {
      length_ = std::strtoull(line.data() + line.find(':') + 1, nullptr, 10);
      continue;
    }
    if (begins_with_name(line, "Transfer-Encoding")) {
      chunked_ = true;
      continue;
    }
    if (begins_with_name(line, "Content-Type")) {
      protobuf_ = line.find("protobuf") != std::string_view::npos;
    }
    head_ += line;
  }
}

void ResponseReader::read_body() {
  if (!chunked_) {
    body_ += std::exchange(input_, {});
    whole_ = length_ && body_.size() >= *length_;
    return;
  }
  while (!whole_) {
    const std::size_t line = input_.find("\r\n");
    if (line == std::string::npos) return;
    const std::size_t size = std::strtoull(input_.c_str(), nullptr, 16);
    if (input_.size() < line + 2 + size + 2) return;
    body_.append(input_, line + 2, size);
    input_.erase(0, line + 2 + size + 2);
    whole_ = size == 0;
  }
}

std::string ResponseReader::take_body() {
  return std::exchange(body_, {});
}

std::string ResponseReader::take_event() {
  std::size_t size = 0;
  if (protobuf_) {
    if (body_.size() < 4) return {};
    for (std::size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(body_[i]);
    size += 4;
  } else {
    size = body_.find('\n') + 1;  // npos + 1 is 0
  }
  if (size == 0 || body_.size() < size) return {};
  std::string event = body_.substr(0, size);
  body_.erase(0, size);
  return event;
}

}  // namespace faulty_front
