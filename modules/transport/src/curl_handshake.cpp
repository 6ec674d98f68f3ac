// SPDX-License-Identifier: Apache-2.0
//
// The bound of the TLS handshake. libcurl has one for name, TCP connection and handshake together.
#include <sys/socket.h>

#include <utility>

#include "curl_exchange.hpp"
#include "deadlines.hpp"

namespace kube::transport {
namespace {

// For curl's own bound, once the TCP connection is there and ours takes over.
constexpr std::chrono::milliseconds kNever = std::chrono::hours(24);

bool is_connected(const ConnectionHealth& connection) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  return connection.socket != CURL_SOCKET_BAD &&
         ::getpeername(connection.socket, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
}

}  // namespace

bool CurlExchange::has_dialed() const {
  return std::any_of(dials_.begin(), dials_.end(),
                     [](const auto& connection) { return is_connected(*connection); });
}

void CurlExchange::begin_handshake(SteadyTime now) {
  loop_->dialing.erase(this);
  dials_.clear();
  shakes_hands_ = true;
  handshake_end_ = now + shared_->settings.options.tls_handshake_timeout;
  curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(kNever.count()));
}

// A handshake that has ended in time leaves the bound behind, to be forgotten here.
std::optional<Error> CurlExchange::check_handshake(SteadyTime now) {
  if (now < handshake_end_) return std::nullopt;
  handshake_end_ = SteadyTime::max();
  if (!std::exchange(shakes_hands_, false)) return std::nullopt;
  return with_exchange_failure(
      error(ErrorCode::Unreachable, "the TLS handshake was not complete after " +
                                        in_words(shared_->settings.options.tls_handshake_timeout)),
      ExchangeFailure::NoConnection);
}

}  // namespace kube::transport
