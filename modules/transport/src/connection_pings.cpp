// SPDX-License-Identifier: Apache-2.0
#include "connection_pings.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace kube::transport {
namespace {

using std::chrono::milliseconds;

int queued_bytes(curl_socket_t socket, unsigned long which) {
  int bytes = 0;
  return ::ioctl(socket, which, &bytes) == 0 ? bytes : 0;
}

// Returns how long nothing has arrived, in the machine's time; nullopt when the kernel does not
// say.
std::optional<milliseconds> silence(curl_socket_t socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  return milliseconds(info.tcpi_last_data_recv);
}

// Returns whether something has arrived since the last look, and notes when. Bytes that nobody has
// read, because a handler has paused, count as arriving: the peer may be unable to send more.
bool note_arrivals(ConnectionHealth& health, SteadyTime now) {
  const SteadyTime looked = std::exchange(health.looked, now);
  if (queued_bytes(health.socket, FIONREAD) > 0) {
    health.arrived = now;
    return true;
  }
  const std::uint64_t read = BIO_number_read(SSL_get_rbio(health.pings_by));
  if (std::exchange(health.read_bytes, read) == read) return false;
  health.arrived = std::max(looked, now - silence(health.socket).value_or(milliseconds(0)));
  return true;
}

// Writes a PING frame. Call it only while the socket's send queue is empty: then curl, which writes
// whenever it can, is not in the middle of a frame, and the bytes fit. curl's own BIO works only
// inside of curl's functions, so the session gets another one for this write.
bool send_ping(ssl_st* session, curl_socket_t socket) {
  constexpr std::array<std::uint8_t, 17> kPing = {0,   0,   8,   6,   0,   0,   0,   0,  0,
                                                  'k', 'u', 'b', 'e', '-', 'c', 'p', 'p'};
  BIO* const own = SSL_get_wbio(session);
  BIO* const direct = BIO_new_socket(socket, BIO_NOCLOSE);
  if (own == nullptr || direct == nullptr || BIO_up_ref(own) != 1) {
    BIO_free(direct);
    return false;
  }
  ERR_clear_error();
  SSL_set0_wbio(session, direct);
  const int written = SSL_write(session, kPing.data(), static_cast<int>(kPing.size()));
  SSL_set0_wbio(session, own);
  ERR_clear_error();
  return written == static_cast<int>(kPing.size());
}

std::string seconds_text(milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s"
                                  : std::to_string(time.count()) + " ms";
}

}  // namespace

void ConnectionPings::note_connection(SteadyTime now) {
  if (idle_.count() > 0) next_ = std::min(next_, now + idle_);
}

void ConnectionPings::check(const ConnectionTable& table, SteadyTime now) {
  next_ = SteadyTime::max();
  table.for_each([&](ConnectionHealth& health) {
    if (health.pings_by != nullptr) next_ = std::min(next_, check(health, now));
  });
}

SteadyTime ConnectionPings::check(ConnectionHealth& health, SteadyTime now) const {
  // While a ping is due or under way, the connection is looked at several times.
  const milliseconds step = std::max(timeout_ / 8, milliseconds(1));
  const milliseconds soon = std::min(step, milliseconds(100));
  if (note_arrivals(health, now)) health.ping.reset();
  if (now - health.arrived < idle_) return health.arrived + idle_;
  if (!health.ping) {
    health.ping.emplace();
    return now + soon;
  }
  if (health.ping->sent && now - *health.ping->sent >= timeout_) {
    health.given_up = "the connection was silent for " + seconds_text(idle_) +
                      ", and its peer did not answer an HTTP/2 ping within " +
                      seconds_text(timeout_);
    ::shutdown(health.socket, SHUT_RDWR);
    health.ping.reset();
    return now + idle_;
  }
  // A queue that was empty twice is not one that curl is about to fill. One that is not empty is
  // the kernel's to watch over (TCP_USER_TIMEOUT): a long upload is no silence.
  if (!health.ping->sent && queued_bytes(health.socket, TIOCOUTQ) == 0 &&
      send_ping(health.pings_by, health.socket)) {
    health.ping->sent = now;
  }
  return health.ping->sent ? std::min(now + step, *health.ping->sent + timeout_) : now + soon;
}

}  // namespace kube::transport
