// SPDX-License-Identifier: Apache-2.0
//
// The server under the loads of tests: a list of 100,000 pods, one write sent to 1,000 watchers,
// and plain writes.
//
//   build/release/bin/apiserver_benchmark
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/apiserver/api_server.hpp>

namespace {

using kube::apiserver::ApiServer;

std::unique_ptr<ApiServer> start(std::size_t threads) {
  ApiServer::Options options;
  options.threads = threads;
  auto server = ApiServer::start(std::move(options));
  if (!server) std::abort();
  return *std::move(server);
}

/// A pod of about 5 KB, typical of clusters.
std::string pod(std::size_t number) {
  const std::string name = "pod-" + std::to_string(number);
  std::string out = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                    R"(","namespace":"n)" + std::to_string(number % 200) +
                    R"(","labels":{"app":"a)" + std::to_string(number % 50) +
                    R"("},"annotations":{"note":")";
  out.append(3000, 'x');
  out += R"("}},"spec":{"nodeName":"node-)" + std::to_string(number % 1000) +
         R"(","containers":[{"name":"c","image":"registry.example.com/team/image:v1","env":[)";
  for (int i = 0; i < 10; ++i) {
    if (i != 0) out += ',';
    out += R"({"name":"VARIABLE_)" + std::to_string(i) + R"(","value":"some value"})";
  }
  return out + R"(]}]},"status":{"phase":"Running","podIP":"10.0.0.1"}})";
}

class Socket {
 public:
  explicit Socket(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      std::abort();
    }
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~Socket() { ::close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int fd() const { return fd_; }
  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) std::abort();
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  /// Bytes until `end` has been read.
  std::size_t read_until(std::string_view end) {
    std::size_t total = 0;
    std::string tail;
    while (true) {
      const ssize_t size = ::recv(fd_, buffer_.data(), buffer_.size(), 0);
      if (size <= 0) std::abort();
      total += static_cast<std::size_t>(size);
      const std::string_view got(buffer_.data(), static_cast<std::size_t>(size));
      tail.append(got.substr(got.size() - std::min(got.size(), end.size())));
      if (tail.size() > end.size()) tail.erase(0, tail.size() - end.size());
      if (tail == end) return total;
    }
  }
  std::size_t read_some() {
    const ssize_t size = ::recv(fd_, buffer_.data(), buffer_.size(), 0);
    if (size <= 0) std::abort();
    return static_cast<std::size_t>(size);
  }

 private:
  int fd_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 20U);
};

void ListPods(benchmark::State& state) {
  const auto server = start(1);
  const auto count = static_cast<std::size_t>(state.range(0));
  for (std::size_t i = 0; i < count; ++i) {
    if (!server->load_text(pod(i))) std::abort();
  }
  Socket socket(server->port());
  std::size_t bytes = 0;
  for (auto _ : state) {
    socket.write("GET /api/v1/pods HTTP/1.1\r\nHost: b\r\n\r\n");
    bytes += socket.read_until("0\r\n\r\n");
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  state.counters["max_rss_mb"] = static_cast<double>(usage.ru_maxrss) / 1024;
}
BENCHMARK(ListPods)->Arg(100'000)->Unit(benchmark::kMillisecond)->UseRealTime();

/// From the write until the last watcher has its event, in JSON (0) or protobuf (1).
void FanOut(benchmark::State& state) {
  const auto server = start(1);
  const bool protobuf = state.range(1) != 0;
  const std::string_view accept =
      protobuf ? "application/vnd.kubernetes.protobuf;stream=watch" : "application/json";
  // The end of a chunk with an event: an empty contentEncoding and contentType, in protobuf.
  const std::string_view end =
      protobuf ? std::string_view("\x1a\0\x22\0\r\n", 6) : std::string_view("}\n\r\n");
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<std::unique_ptr<Socket>> watchers;
  const int poll = ::epoll_create1(EPOLL_CLOEXEC);
  for (std::size_t i = 0; i < count; ++i) {
    watchers.push_back(std::make_unique<Socket>(server->port()));
    watchers.back()->write("GET /api/v1/pods?watch=true&resourceVersion=" +
                           std::to_string(server->resource_version()) +
                           " HTTP/1.1\r\nHost: b\r\nAccept: " + std::string(accept) + "\r\n\r\n");
    watchers.back()->read_until("\r\n\r\n");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    ::epoll_ctl(poll, EPOLL_CTL_ADD, watchers.back()->fd(), &event);
  }
  const std::string text = pod(0);
  std::vector<std::size_t> received(count);
  std::size_t expected = 0;
  for (auto _ : state) {
    if (!server->load_text(text)) std::abort();
    // The first watcher measures the length of the event.
    received[0] += watchers[0]->read_until(end);
    expected = received[0];
    std::size_t left = count - 1;
    while (left != 0) {
      std::array<epoll_event, 64> events{};
      const int ready = ::epoll_wait(poll, events.data(), events.size(), -1);
      for (int i = 0; i < ready; ++i) {
        const std::size_t at = events[static_cast<std::size_t>(i)].data.u64;
        if (at == 0) continue;
        received[at] += watchers[at]->read_some();
        if (received[at] == expected) --left;
      }
    }
  }
  ::close(poll);
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(count),
                         benchmark::Counter::kIsRate);
}
BENCHMARK(FanOut)
    ->ArgsProduct({{1, 100, 1000}, {0, 1}})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

void CreatePods(benchmark::State& state) {
  const auto server = start(1);
  Socket socket(server->port());
  std::size_t number = 0;
  for (auto _ : state) {
    std::string body = pod(number++);
    const std::size_t at = body.find("\"namespace\":\"n");
    body.replace(at, body.find(',', at) - at, "\"namespace\":\"default\"");
    socket.write(
        "POST /api/v1/namespaces/default/pods HTTP/1.1\r\nHost: b\r\nContent-Type: "
        "application/json\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
    socket.read_until("}\n");
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(CreatePods)->Unit(benchmark::kMicrosecond)->UseRealTime()->Iterations(20'000);

}  // namespace
