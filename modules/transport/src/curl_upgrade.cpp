// SPDX-License-Identifier: Apache-2.0
//
// Connections that leave HTTP for another protocol. To libcurl such an exchange is an upload of
// unknown length, which waits whenever there is nothing to send, and a response without an end.
#include <sys/socket.h>

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include "curl_exchange.hpp"

namespace kube::transport {
namespace {

// Lets writes that fail for good pass for written; the next read reports what has happened.
long hide_failed_write(BIO* bio, int operation, const char* /*data*/, std::size_t size,
                       int /*argument*/, long /*argument*/, int result, std::size_t* written) {
  constexpr int kWritten = BIO_CB_WRITE | BIO_CB_RETURN;
  if (operation != kWritten || result > 0 || BIO_should_retry(bio)) return result;
  *written = size;
  return 1;
}

}  // namespace

void CurlExchange::write(std::string bytes) {
  if (!upgrades_ || !outgoing_.add(std::move(bytes))) return;
  queue_->post({Command::Verb::Write, shared_from_this()});
}

void CurlExchange::set_upgrade(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t{-1});
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, upgraded_callback);
  curl_easy_setopt(easy, CURLOPT_READDATA, this);
  // A proxy would take the headers of the upgrade for its own, and not pass them on.
  curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
  // Another protocol has begun on it: no request can follow.
  curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
  curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
}

void CurlExchange::read_to_the_end() {
  if (ssl_st* const session = tls_session()) {
    BIO_set_callback_ex(SSL_get_wbio(session), hide_failed_write);
  }
}

void CurlExchange::carry_out_write() {
  if (easy_ == nullptr || !head_.complete()) return;
  curl_easy_pause(easy_, curl_paused_ ? CURLPAUSE_RECV : CURLPAUSE_CONT);
}

curl_socket_t CurlExchange::peer_socket() const {
  if (curl_paused_) return CURL_SOCKET_BAD;
  return connection_.get() ? connection_.get()->socket : opened_socket_;
}

void CurlExchange::check_peer() {
  const curl_socket_t socket = peer_socket();
  if (peer_ended_ || socket == CURL_SOCKET_BAD) return;
  char byte = 0;
  peer_ended_ = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  if (peer_ended_) carry_out_write();
}

std::size_t CurlExchange::upgraded_callback(char* data, std::size_t size, std::size_t count,
                                            void* self) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  if (!exchange.head_.complete()) return CURL_READFUNC_PAUSE;
  if (!exchange.upgraded_ || exchange.peer_ended_) return 0;
  const OutgoingBytes::Taken taken = exchange.outgoing_.take(data, size * count);
  if (taken.bytes == 0) return CURL_READFUNC_PAUSE;
  exchange.deadlines_.heard(exchange.shared_->now());
  if (taken.last && !exchange.guard([&] { exchange.handler_->on_written(); })) {
    return CURL_READFUNC_ABORT;
  }
  return taken.bytes;
}

}  // namespace kube::transport
