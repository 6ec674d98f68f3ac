// SPDX-License-Identifier: Apache-2.0
#include "refusal.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <string>

namespace kube::transport {
namespace {

constexpr long kBoundMilliseconds = 1000;

// A server in this thread, which ends each connection without a response.
class EndedPeer {
 public:
  EndedPeer() : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address.sun_family;  // the system finds an abstract name
    if (listener_ < 0 || ::bind(listener_, any, size) != 0 || ::listen(listener_, 1) != 0) return;
    size = sizeof address;
    if (::getsockname(listener_, any, &size) != 0) return;
    const std::size_t before = offsetof(sockaddr_un, sun_path) + 1;
    if (size > before) name_.assign(&address.sun_path[1], size - before);
  }
  ~EndedPeer() {
    for (const int socket : {listener_, peer_}) {
      if (socket >= 0) ::close(socket);
    }
  }
  EndedPeer(const EndedPeer&) = delete;
  EndedPeer& operator=(const EndedPeer&) = delete;

  /// Empty when the system has no socket left.
  const std::string& name() const { return name_; }
  int requests() const { return requests_; }

  /// Called by curl before it sends a request.
  static int before_request(void* self, char* /*peer*/, char* /*local*/, int /*peer_port*/,
                            int /*local_port*/) {
    auto& ended = *static_cast<EndedPeer*>(self);
    if (++ended.requests_ > 1) return CURL_PREREQFUNC_ABORT;
    ended.peer_ = ::accept4(ended.listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (ended.peer_ >= 0) ::shutdown(ended.peer_, SHUT_WR);
    return CURL_PREREQFUNC_OK;
  }

 private:
  int listener_;
  int peer_ = -1;
  int requests_ = 0;
  std::string name_;
};

}  // namespace

bool remembers_refusal(CURL* easy) {
  EndedPeer ended;
  if (ended.name().empty()) return false;
  curl_easy_reset(easy);
  curl_easy_setopt(easy, CURLOPT_URL, "http://localhost/");
  curl_easy_setopt(easy, CURLOPT_ABSTRACT_UNIX_SOCKET, ended.name().c_str());
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, kBoundMilliseconds);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, EndedPeer::before_request);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, &ended);
  (void)curl_easy_perform(easy);
  return ended.requests() > 1;
}

}  // namespace kube::transport
