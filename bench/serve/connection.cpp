// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace kube::bench {
namespace {

// What a thread reads into: the bodies are not kept.
thread_local std::array<char, std::size_t{256} << 10U> piece;

// The servers are this machine's own; whose certificate it is does not matter here.
SSL_CTX* tls_context() {
  static SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  return context;
}

}  // namespace

void fail(const std::string& what) {
  std::fprintf(stderr, "serve: %s\n", what.c_str());
  std::exit(1);
}

Connection::Connection(const Address& address)
    : credentials_(address.credentials), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(address.port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&where), sizeof where) != 0) {
    fail("can't connect to port " + std::to_string(address.port));
  }
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (!address.tls) return;
  tls_ = SSL_new(tls_context());
  SSL_set_fd(tls_, socket_);
  if (SSL_connect(tls_) != 1) fail("no TLS on port " + std::to_string(address.port));
}

Connection::~Connection() {
  SSL_free(tls_);
  ::close(socket_);
}

void Connection::send(std::string_view line, std::string_view fields, std::string_view body) {
  std::string text(line);
  text.append(" HTTP/1.1\r\nHost: localhost\r\n").append(credentials_).append(fields);
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  text.append("\r\n").append(body);
  const auto size = static_cast<int>(text.size());
  const ssize_t sent =
      tls_ ? SSL_write(tls_, text.data(), size) : ::write(socket_, text.data(), text.size());
  if (sent != size) fail("can't send " + std::string(line));
}

std::size_t Connection::read_answer() {
  read_head();
  const std::size_t head = head_.find("\r\n\r\n") + 4;
  const std::size_t at = head_.find("Content-Length: ");
  std::size_t have = head_.size() - head;
  if (at < head) {
    const std::size_t whole = std::stoul(head_.substr(at + 16));
    while (have < whole) have += more();
    return whole;
  }
  // JSON has no such line ends, so that only the last chunk ends like this.
  constexpr std::string_view kEnd = "\r\n0\r\n\r\n";
  std::string tail = head_;
  while (!tail.ends_with(kEnd)) {
    const std::size_t n = more();
    have += n;
    tail.append(piece.data() + n - std::min(n, kEnd.size()), std::min(n, kEnd.size()));
    tail.erase(0, tail.size() - std::min(tail.size(), kEnd.size()));
  }
  return have;
}

void Connection::read_head() {
  head_.clear();
  while (head_.find("\r\n\r\n") == std::string::npos) {
    const std::size_t n = more();
    head_.append(piece.data(), n);
  }
  if (!head_.starts_with("HTTP/1.1 200 ")) fail("an answer begins " + head_.substr(0, 600));
}

void Connection::stop_waiting() {
  ::fcntl(socket_, F_SETFL, O_NONBLOCK);
}

std::ptrdiff_t Connection::read_some(std::span<char> into) {
  if (!tls_) {
    const ssize_t n = ::read(socket_, into.data(), into.size());
    if (n > 0) return n;
    return n < 0 && errno == EAGAIN ? 0 : -1;
  }
  std::ptrdiff_t all = 0;
  while (static_cast<std::size_t>(all) < into.size()) {
    const auto left = into.subspan(static_cast<std::size_t>(all));
    const int n = SSL_read(tls_, left.data(), static_cast<int>(left.size()));
    if (n <= 0) return SSL_get_error(tls_, n) == SSL_ERROR_WANT_READ ? all : -1;
    all += n;
  }
  return all;
}

std::size_t Connection::more() {
  const ssize_t n = tls_ ? SSL_read(tls_, piece.data(), static_cast<int>(piece.size()))
                         : ::read(socket_, piece.data(), piece.size());
  if (n <= 0) fail("a connection ended after " + head_.substr(0, 200));
  return static_cast<std::size_t>(n);
}

}  // namespace kube::bench
