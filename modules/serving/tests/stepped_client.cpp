// SPDX-License-Identifier: Apache-2.0
#include "stepped_client.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <kube/base/ascii.hpp>

namespace kube::serving::test {
namespace {

int connect_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(made);
    return -1;
  }
  return made;
}

int connect_tcp(std::uint16_t port, int receive_buffer_bytes) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (receive_buffer_bytes != 0) {
    ::setsockopt(made, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
  }
  if (::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(made);
    return -1;
  }
  return made;
}

}  // namespace

SteppedSocket::SteppedSocket(const HttpServer& server, SSL_CTX* tls, int receive_buffer_bytes)
    : socket_(server.port() == 0 ? connect_unix(server.address())
                                 : connect_tcp(server.port(), receive_buffer_bytes)) {
  if (socket_ < 0) throw std::runtime_error("can't connect to the server");
  ::fcntl(socket_, F_SETFL, ::fcntl(socket_, F_GETFL) | O_NONBLOCK);
  if (tls == nullptr) return;
  ssl_.reset(SSL_new(tls));
  tls_in_ = BIO_new(BIO_s_mem());
  tls_out_ = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl_.get(), tls_in_, tls_out_);
  SSL_set_connect_state(ssl_.get());
  drive_tls();
}

SteppedSocket::~SteppedSocket() {
  if (!ended) ::close(socket_);
}

void SteppedSocket::write(std::string_view text) {
  if (!ssl_) {
    out_ += text;
  } else {
    plain_ += text;
    drive_tls();
  }
}

void SteppedSocket::drive_tls() {
  ERR_clear_error();
  std::array<char, 16'384> bytes{};
  int n = 0;  // the handshake is a part of the first
  while ((n = SSL_read(ssl_.get(), bytes.data(), bytes.size())) > 0) {
    in.append(bytes.data(), static_cast<std::size_t>(n));
  }
  if (SSL_is_init_finished(ssl_.get()) && !plain_.empty()) {
    SSL_write(ssl_.get(), plain_.data(), static_cast<int>(plain_.size()));
    plain_.clear();
  }
  while ((n = BIO_read(tls_out_, bytes.data(), bytes.size())) > 0) {
    out_.append(bytes.data(), static_cast<std::size_t>(n));
  }
}

bool SteppedSocket::send(std::size_t size) {
  if (ended) out_.clear();
  if (out_.empty()) return false;
  const ssize_t sent =
      ::send(socket_, out_.data(), std::min(size, out_.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0) {
    if (errno != EAGAIN) out_.clear();  // the server has closed; what it said is still to be read
    return errno != EAGAIN;
  }
  out_.erase(0, static_cast<std::size_t>(sent));
  return true;
}

bool SteppedSocket::receive(std::size_t size) {
  if (ended) return false;
  std::array<char, 65'536> bytes{};
  const ssize_t n = ::recv(socket_, bytes.data(), std::min(size, bytes.size()), MSG_DONTWAIT);
  if (n < 0 && errno == EAGAIN) return false;
  if (n <= 0) {
    ended = true;
    ::close(std::exchange(socket_, -1));
  } else if (ssl_) {
    BIO_write(tls_in_, bytes.data(), static_cast<int>(n));
    drive_tls();
  } else {
    in.append(bytes.data(), static_cast<std::size_t>(n));
  }
  return true;
}

bool AnswerReader::take_head(std::string& in) {
  const std::size_t end = in.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  const std::string head = in.substr(0, end + 2);
  in.erase(0, end + 4);
  if (!head.starts_with("HTTP/1.")) throw std::runtime_error("no head: " + head.substr(0, 200));
  status = std::stoi(head.substr(9, 3));
  headers.clear();
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    const std::size_t line_end = head.find("\r\n", at);
    const std::size_t colon = head.find(": ", at);
    headers[ascii::to_lower(head.substr(at, colon - at))] =
        head.substr(colon + 2, line_end - colon - 2);
    at = line_end + 2;
  }
  return true;
}

bool AnswerReader::take_body(std::string& in, bool head_only, bool ended) {
  if (head_only) return true;
  if (headers.contains("transfer-encoding")) {
    while (true) {
      const std::size_t line = in.find("\r\n");
      if (line == std::string::npos) return false;
      const std::size_t size = std::stoul(in, nullptr, 16);
      if (in.size() < line + size + 4) return false;
      if (in.compare(line + 2 + size, 2, "\r\n") != 0) throw std::runtime_error("no chunk's end");
      body.append(in, line + 2, size);
      in.erase(0, line + size + 4);
      if (size == 0) return true;
    }
  }
  const auto length = headers.find("content-length");
  const std::size_t missing =
      length == headers.end() ? std::string::npos : std::stoul(length->second) - body.size();
  const std::size_t n = std::min(missing, in.size());
  body.append(in, 0, n);
  in.erase(0, n);
  return length == headers.end() ? ended : n == missing;
}

bool AnswerReader::take(std::string& in, bool head_only, bool ended) {
  while (!has_head_) {
    if (!take_head(in)) return false;
    has_head_ = status != 100;
    continued = continued || status == 100;
  }
  return take_body(in, head_only, ended);
}

}  // namespace kube::serving::test
