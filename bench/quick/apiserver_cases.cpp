// SPDX-License-Identifier: Apache-2.0
//
// The embedded server over loopback: its thread is counted with the client's reading.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string_view>

#include <kube/apiserver/api_server.hpp>

#include "cases.hpp"

namespace kube::bench {
namespace {

constexpr std::size_t kServedPods = 300;
constexpr std::size_t kWatchers = 20;
constexpr std::size_t kWrites = 20;

using apiserver::ApiServer;

std::unique_ptr<ApiServer> start_server() {
  ApiServer::Options options;
  options.threads = 1;
  auto server = ApiServer::start(std::move(options));
  if (!server) throw std::runtime_error(server.error().to_string());
  return *std::move(server);
}

std::string served_pod(std::size_t number) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-)" + std::to_string(number) +
         R"(","namespace":"default","annotations":{"note":")" + std::string(3'000, 'x') +
         R"("}},"spec":{"nodeName":"node","containers":[{"name":"c","image":"image:v1"}]},)"
         R"("status":{"phase":"Running"}})";
}

class QuickSocket {
 public:
  explicit QuickSocket(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("quick: cannot connect to the embedded server");
    }
  }
  ~QuickSocket() { ::close(fd_); }
  QuickSocket(const QuickSocket&) = delete;
  QuickSocket& operator=(const QuickSocket&) = delete;

  void send(const std::string& text) const {
    if (::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) {
      throw std::runtime_error("quick: cannot send");
    }
  }
  /// Reads until `end` has come `times` times at the end of what was read so far.
  void read_until(std::string_view end, std::size_t times = 1) {
    while (times > 0) {
      const ssize_t size = ::recv(fd_, buffer_.data(), buffer_.size(), 0);
      if (size <= 0) throw std::runtime_error("quick: connection lost");
      unread_.append(buffer_.data(), static_cast<std::size_t>(size));
      for (auto at = unread_.find(end); at != unread_.npos && times > 0; at = unread_.find(end)) {
        unread_.erase(0, at + end.size());
        --times;
      }
    }
  }

 private:
  int fd_;
  std::array<char, 65'536> buffer_{};
  std::string unread_;
};

std::function<void()> prepare_served_list() {
  std::shared_ptr<ApiServer> server = start_server();
  for (std::size_t i = 0; i < kServedPods; ++i) {
    if (!server->load_text(served_pod(i))) throw std::runtime_error("quick: cannot load a pod");
  }
  auto socket = std::make_shared<QuickSocket>(server->port());
  return [server, socket] {
    socket->send("GET /api/v1/pods HTTP/1.1\r\nHost: localhost\r\n\r\n");
    socket->read_until("\r\n0\r\n\r\n");
  };
}

std::function<void()> prepare_fan_out() {
  std::shared_ptr<ApiServer> server = start_server();
  auto watchers = std::make_shared<std::vector<std::unique_ptr<QuickSocket>>>();
  for (std::size_t i = 0; i < kWatchers; ++i) {
    watchers->push_back(std::make_unique<QuickSocket>(server->port()));
    watchers->back()->send("GET /api/v1/pods?watch=true&resourceVersion=" +
                           std::to_string(server->resource_version()) +
                           " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    watchers->back()->read_until("\r\n\r\n");
  }
  return [server, watchers, text = served_pod(0)] {
    for (std::size_t i = 0; i < kWrites; ++i) {
      if (!server->load_text(text)) throw std::runtime_error("quick: cannot load a pod");
      for (const auto& watcher : *watchers) watcher->read_until("}}\n");
    }
  };
}

}  // namespace

std::vector<QuickCase> apiserver_cases() {
  return {
      {"apiserver_list", "pod", kServedPods, prepare_served_list},
      {"apiserver_fan_out", "event", kWatchers * kWrites, prepare_fan_out},
  };
}

}  // namespace kube::bench
