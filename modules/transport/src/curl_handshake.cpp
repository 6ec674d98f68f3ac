// SPDX-License-Identifier: Apache-2.0
//
// The bound of the TLS handshake. libcurl has one for name, TCP connection and handshake together.
#include <sys/socket.h>

#include "curl_exchange.hpp"
#include "deadlines.hpp"

namespace kube::transport {
namespace {

// Of curl's own bound, which is over when the connection has been made.
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
  handshake_end_ = now + shared_->settings.options.tls_handshake_timeout;
  curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(kNever.count()));
}

// A handshake that has ended in time leaves the bound behind, to be forgotten here.
std::optional<Error> CurlExchange::check_handshake(SteadyTime now) {
  if (now < handshake_end_) return std::nullopt;
  handshake_end_ = SteadyTime::max();
  if (attempts_ > 0) return std::nullopt;
  return error(ErrorCode::Unreachable,
               "the TLS handshake was not complete after " +
                   in_words(shared_->settings.options.tls_handshake_timeout));
}

}  // namespace kube::transport
