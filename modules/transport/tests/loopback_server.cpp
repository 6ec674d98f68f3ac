// SPDX-License-Identifier: Apache-2.0
#include "loopback_server.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace kube::transport {
namespace {

void check(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

// Writes to a client that is gone are expected here.
void block_sigpipe() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

// Bound, not listening yet; a port other than 0 is shared with whoever holds it so.
int bind_on_loopback(int& port, bool shared) {
  const int bound = ::socket(AF_INET, SOCK_STREAM, 0);
  check(bound >= 0, "socket");
  if (shared) {
    const int on = 1;
    check(::setsockopt(bound, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0, "SO_REUSEADDR");
    check(::setsockopt(bound, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0, "SO_REUSEPORT");
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t size = sizeof address;
  check(::bind(bound, reinterpret_cast<sockaddr*>(&address), size) == 0, "bind");
  check(::getsockname(bound, reinterpret_cast<sockaddr*>(&address), &size) == 0, "getsockname");
  port = ntohs(address.sin_port);
  return bound;
}

int listen_on_loopback(int& port) {
  const int listener = bind_on_loopback(port, port != 0);
  check(::listen(listener, 512) == 0, "listen");
  return listener;
}

int listen_on_path(const std::string& path) {
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  check(listener >= 0, "socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  check(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "bind");
  check(::listen(listener, 16) == 0, "listen");
  return listener;
}

BIO* memory(const std::string& text) {
  return BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
}

X509* read_certificate(const std::string& pem) {
  BIO* bio = memory(pem);
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return certificate;
}

// The client's protocols in the server's order of preference.
int select_protocol(SSL* /*tls*/, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* in, unsigned in_size, void* user) {
  for (const std::string& wanted : *static_cast<std::vector<std::string>*>(user)) {
    for (unsigned i = 0; i < in_size; i += in[i] + 1U) {
      if (wanted == std::string_view(reinterpret_cast<const char*>(in + i + 1), in[i])) {
        *out = in + i + 1;
        *out_size = in[i];
        return SSL_TLSEXT_ERR_OK;
      }
    }
  }
  return SSL_TLSEXT_ERR_NOACK;
}

void delete_protocols(void* /*parent*/, void* protocols, CRYPTO_EX_DATA* /*data*/, int /*index*/,
                      long /*arg*/, void* /*user*/) {
  delete static_cast<std::vector<std::string>*>(protocols);
}

SSL_CTX* make_context(const ServerTls& tls) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  X509* certificate = read_certificate(tls.certificate.certificate);
  BIO* key_bio = memory(tls.certificate.key);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(key_bio, nullptr, nullptr, nullptr);
  BIO_free(key_bio);
  check(SSL_CTX_use_certificate(context, certificate) == 1, "certificate");
  check(SSL_CTX_use_PrivateKey(context, key) == 1, "key");
  X509_free(certificate);
  EVP_PKEY_free(key);
  if (tls.highest_version != 0) {
    SSL_CTX_set_min_proto_version(context, 0);
    SSL_CTX_set_max_proto_version(context, tls.highest_version);
    SSL_CTX_set_security_level(context, 0);  // Old versions need old hashes.
  }
  if (!tls.client_ca.empty()) {
    X509* authority = read_certificate(tls.client_ca);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority);
    SSL_CTX_add_client_CA(context, authority);
    X509_free(authority);
    SSL_CTX_set_verify(
        context, SSL_VERIFY_PEER | (tls.client_is_optional ? 0 : SSL_VERIFY_FAIL_IF_NO_PEER_CERT),
        nullptr);
  }
  static const int slot = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, delete_protocols);
  auto* protocols = new std::vector<std::string>(tls.protocols);
  SSL_CTX_set_ex_data(context, slot, protocols);
  SSL_CTX_set_alpn_select_cb(context, select_protocol, protocols);
  return context;
}

std::optional<std::string> header_of(const std::string& head, std::string_view name) {
  std::size_t line = head.find("\r\n");
  while (line != std::string::npos) {
    line += 2;
    if (strncasecmp(head.c_str() + line, std::string(name).c_str(), name.size()) == 0 &&
        head[line + name.size()] == ':') {
      const std::size_t begin = head.find_first_not_of(' ', line + name.size() + 1);
      return head.substr(begin, head.find("\r\n", begin) - begin);
    }
    line = head.find("\r\n", line);
  }
  return std::nullopt;
}

}  // namespace

Peer::Peer(int socket, ssl_ctx_st* tls, std::atomic<std::uint64_t>& sent)
    : socket_(socket), sent_(sent) {
  if (tls != nullptr) {
    tls_ = SSL_new(tls);
    SSL_set_fd(tls_, socket_);
  }
}

Peer::~Peer() {
  if (tls_ != nullptr) SSL_free(tls_);
  ::close(socket_);
}

bool Peer::accept() {
  return tls_ == nullptr || SSL_accept(tls_) == 1;
}

std::string Peer::read_some() {
  char buffer[16 * 1024];
  for (;;) {
    const ssize_t got = tls_ != nullptr ? SSL_read(tls_, buffer, sizeof buffer)
                                        : ::recv(socket_, buffer, sizeof buffer, 0);
    if (got > 0) return std::string(buffer, static_cast<std::size_t>(got));
    if (got < 0 && tls_ == nullptr && errno == EINTR) continue;
    return {};
  }
}

std::optional<Peer::Request> Peer::read_request() {
  std::size_t end = 0;
  while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
    const std::string more = read_some();
    if (more.empty()) return std::nullopt;
    input_ += more;
  }
  Request request;
  request.head = input_.substr(0, end + 2);
  input_.erase(0, end + 4);
  const std::size_t method_end = request.head.find(' ');
  const std::size_t target_end = request.head.find(' ', method_end + 1);
  request.method = request.head.substr(0, method_end);
  request.target = request.head.substr(method_end + 1, target_end - method_end - 1);
  const std::size_t length =
      std::strtoul(header_of(request.head, "Content-Length").value_or("0").c_str(), nullptr, 10);
  while (input_.size() < length) {
    const std::string more = read_some();
    if (more.empty()) return std::nullopt;
    input_ += more;
  }
  request.body = input_.substr(0, length);
  input_.erase(0, length);
  return request;
}

bool Peer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = tls_ != nullptr
                             ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                             : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    sent_ += static_cast<std::uint64_t>(sent);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::size_t Peer::write_until_stalled(std::string_view piece, std::size_t most) {
  std::size_t written = 0;
  while (written < most) {
    const std::string_view part = piece.substr(0, most - written);
    const ssize_t sent = ::send(socket_, part.data(), part.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      written += static_cast<std::size_t>(sent);
      sent_ += static_cast<std::uint64_t>(sent);
      continue;
    }
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) break;
    pollfd writable{socket_, POLLOUT, 0};
    if (::poll(&writable, 1, 200) == 0) break;
  }
  return written;
}

void Peer::await_close() {
  while (!read_some().empty()) {
  }
}

void Peer::end() {
  ::shutdown(socket_, SHUT_WR);
  char buffer[16 * 1024];
  while (::recv(socket_, buffer, sizeof buffer, 0) > 0) {
  }
}

bool Peer::stirs_within(std::chrono::milliseconds time) {
  pollfd readable{socket_, POLLIN, 0};
  return ::poll(&readable, 1, static_cast<int>(time.count())) > 0;
}

void Peer::forward_to(int port, std::string_view first) {
  const int onward = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  check(::connect(onward, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "connect");
  const auto pass_on = [onward](std::string_view bytes) {
    const auto size = static_cast<ssize_t>(bytes.size());
    return size > 0 && ::send(onward, bytes.data(), bytes.size(), MSG_NOSIGNAL) == size;
  };
  const auto bring_back = [this, onward] {
    char buffer[16 * 1024];
    const ssize_t got = ::recv(onward, buffer, sizeof buffer, 0);
    return got > 0 && write({buffer, static_cast<std::size_t>(got)});
  };
  bool open = first.empty() || pass_on(first);
  // TLS may have decrypted bytes that no poll() announces.
  while (open && tls_ != nullptr && SSL_pending(tls_) > 0) open = pass_on(read_some());
  pollfd both[2] = {{socket_, POLLIN, 0}, {onward, POLLIN, 0}};
  while (open && ::poll(both, 2, -1) > 0) {
    if (both[0].revents != 0) open = pass_on(read_some());
    if (both[1].revents != 0) open = bring_back() && open;
  }
  ::close(onward);
}

void Peer::drain() {
  ::shutdown(socket_, SHUT_WR);
  char buffer[1024];
  while (::recv(socket_, buffer, sizeof buffer, 0) > 0) {
  }
}

void Peer::reset() {
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void Peer::abort() {
  ::shutdown(socket_, SHUT_RDWR);
}

std::string Peer::alpn() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(tls_, &name, &size);
  return std::string(reinterpret_cast<const char*>(name), size);
}

std::string Peer::client_name() const {
  X509* certificate = SSL_get1_peer_certificate(tls_);
  if (certificate == nullptr) return {};
  char name[256] = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
  X509_free(certificate);
  return name;
}

std::string Peer::server_name() const {
  const char* name = SSL_get_servername(tls_, TLSEXT_NAMETYPE_host_name);
  return name != nullptr ? name : "";
}

LoopbackServer::LoopbackServer(Script script, Options options)
    : script_(std::move(script)),
      on_accept_(std::move(options.on_accept)),
      linger_(options.linger),
      port_(options.port) {
  if (options.tls) tls_ = make_context(*options.tls);
  listener_ =
      options.unix_socket.empty() ? listen_on_loopback(port_) : listen_on_path(options.unix_socket);
  acceptor_ = std::thread([this] { accept_all(); });
}

LoopbackServer::~LoopbackServer() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    for (Peer& peer : peers_) peer.abort();
  }
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (auto& [id, thread] : threads_) thread.join();
  ::close(listener_);
  SSL_CTX_free(tls_);
}

void LoopbackServer::renew(const ServerTls& tls) {
  const std::lock_guard lock(mutex_);
  SSL_CTX_free(std::exchange(tls_, make_context(tls)));  // connections have references
}

void LoopbackServer::cut() {
  const std::lock_guard lock(mutex_);
  for (Peer& peer : peers_) peer.abort();
}

void LoopbackServer::accept_all() {
  for (;;) {
    const int socket = ::accept(listener_, nullptr, nullptr);
    if (socket < 0) return;
    join_finished();
    const std::lock_guard lock(mutex_);
    if (closing_) {
      ::close(socket);
      return;
    }
    accepted_.fetch_add(1);
    // As Go's servers do: what was written is on its way when the connection is closed or reset.
    const int no_delay = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
    if (on_accept_) on_accept_();
    peers_.emplace_back(socket, tls_, sent_);
    std::thread thread([this, peer = std::prev(peers_.end())] { serve(peer); });
    threads_.emplace(thread.get_id(), std::move(thread));
  }
}

void LoopbackServer::serve(std::list<Peer>::iterator peer) {
  block_sigpipe();
  if (peer->accept()) {
    script_(*peer);
  } else if (linger_) {
    peer->drain();
  }
  const std::lock_guard lock(mutex_);
  peers_.erase(peer);
  finished_.push_back(std::this_thread::get_id());
}

// A server of thousands of connections keeps no thread for each.
void LoopbackServer::join_finished() {
  std::vector<std::thread> ended;
  {
    const std::lock_guard lock(mutex_);
    for (const std::thread::id id : std::exchange(finished_, {})) {
      ended.push_back(std::move(threads_.extract(id).mapped()));
    }
  }
  for (std::thread& thread : ended) thread.join();
}

std::string LoopbackServer::url(std::string_view path) const {
  const std::string scheme = tls_ != nullptr ? "https" : "http";
  return (scheme + "://127.0.0.1:" + std::to_string(port_)).append(path);
}

int closed_port() {
  int port = 0;
  ::close(listen_on_loopback(port));
  return port;
}

HeldPort::HeldPort() : socket_(bind_on_loopback(number_, true)) {}

HeldPort::~HeldPort() {
  ::close(socket_);
}

}  // namespace kube::transport
