// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace kube::bench {
namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "serve: %s\n", what.c_str());
  std::exit(1);
}

// The servers are this machine's own; whose certificate it is does not matter here.
SSL_CTX* tls_context() {
  static SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  return context;
}

}  // namespace

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

void Connection::ask(const std::string& target) {
  const std::string text =
      "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + credentials_ + "\r\n";
  const auto size = static_cast<int>(text.size());
  const ssize_t sent =
      tls_ ? SSL_write(tls_, text.data(), size) : ::write(socket_, text.data(), text.size());
  if (sent != size) fail("can't send GET " + target);
}

void Connection::read_until(std::string_view text) {
  while (read_.find(text) == std::string::npos) more();
  read_.clear();
}

void Connection::read_answer() {
  std::size_t head = 0;
  while ((head = read_.find("\r\n\r\n")) == std::string::npos) more();
  if (!read_.starts_with("HTTP/1.1 200 ")) fail("an answer begins " + read_.substr(0, 200));
  const std::size_t at = read_.find("Content-Length: ");
  if (at < head) {
    const std::size_t whole = head + 4 + std::stoul(read_.substr(at + 16));
    while (read_.size() < whole) more();
  } else {
    while (!read_.ends_with("\r\n0\r\n\r\n")) more();
  }
  read_.clear();
}

void Connection::more() {
  std::array<char, 65536> piece{};
  const ssize_t n = tls_ ? SSL_read(tls_, piece.data(), static_cast<int>(piece.size()))
                         : ::read(socket_, piece.data(), piece.size());
  if (n <= 0) fail("a connection ended after " + read_.substr(0, 200));
  read_.append(piece.data(), static_cast<std::size_t>(n));
}

}  // namespace kube::bench
