// SPDX-License-Identifier: Apache-2.0
//
// What CurlTransport adds to libcurl. Both sides ask the same server in this process, on loopback,
// and throw the bytes away:
//   Stream/…   1 GiB in one body; compare CurlTransport's time and CPU with PlainCurl's.
//   Request/…  short requests one after the other on one connection.
#include <kube/testing/round_trip.hpp>
#include <kube/transport/curl_transport.hpp>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <curl/curl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kube::transport {
namespace {

constexpr std::size_t kBody = std::size_t{1} << 30;

// Answers "/" with kBody bytes and everything else with two. Lives until the program ends.
class Server {
 public:
  Server() {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      std::abort();
    }
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~Server() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
    ::close(listener_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  const std::string& url() const { return url_; }

 private:
  void accept_all() {
    for (int client = 0; (client = ::accept(listener_, nullptr, nullptr)) >= 0;) {
      threads_.emplace_back([client] {
        serve(client);
        ::close(client);
      });
    }
  }
  static void serve(int client) {
    static const std::string piece(256 * 1024, 'x');
    std::string input;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::recv(client, buffer, sizeof buffer, 0)) > 0;) {
      input.append(buffer, static_cast<std::size_t>(got));
      const std::size_t end = input.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      const bool large = input.starts_with("GET / ");
      input.erase(0, end + 4);
      if (!large) {
        send_all(client, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        continue;
      }
      if (!send_all(client,
                    "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kBody) + "\r\n\r\n")) {
        return;
      }
      for (std::size_t sent = 0; sent < kBody; sent += piece.size()) {
        if (!send_all(client, piece)) return;
      }
    }
  }
  static bool send_all(int client, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  int listener_ = -1;
  std::string url_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

Server& server() {
  static Server one;
  return one;
}

// Counts and forgets.
class Discard final : public ResponseHandler {
 public:
  void on_head(ResponseHead) override {}
  Flow on_data(std::string_view chunk) override {
    bytes_ += chunk.size();
    return Flow::Continue;
  }
  void on_end(Result<void> result) override {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (!result) std::abort();
    changed_.notify_all();
  }
  std::size_t wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_; });
    return bytes_;
  }

 private:
  std::size_t bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
};

std::shared_ptr<CurlTransport> make_transport() {
  return CurlTransport::create({.compression = false}).value();
}

std::size_t count_bytes(char* /*data*/, std::size_t size, std::size_t count, void* total) {
  *static_cast<std::size_t*>(total) += size * count;
  return size * count;
}

void stream_curl_transport(benchmark::State& state) {
  const auto transport = make_transport();
  for (auto _ : state) {
    const auto handler = std::make_shared<Discard>();
    HttpRequest request;
    request.url = server().url() + "/";
    transport->start(request, handler, {});
    if (handler->wait() != kBody) std::abort();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBody));
}

void stream_plain_curl(benchmark::State& state) {
  CURL* easy = curl_easy_init();
  std::size_t total = 0;
  curl_easy_setopt(easy, CURLOPT_URL, (server().url() + "/").c_str());
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L * 1024);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &total);
  for (auto _ : state) {
    total = 0;
    if (curl_easy_perform(easy) != CURLE_OK || total != kBody) std::abort();
  }
  curl_easy_cleanup(easy);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBody));
}

void request_curl_transport(benchmark::State& state) {
  const auto transport = make_transport();
  for (auto _ : state) {
    HttpRequest request;
    request.url = server().url() + "/short";
    if (!testing::round_trip(*transport, request, {})) std::abort();
  }
}

void request_plain_curl(benchmark::State& state) {
  CURL* easy = curl_easy_init();
  std::size_t total = 0;
  curl_easy_setopt(easy, CURLOPT_URL, (server().url() + "/short").c_str());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &total);
  for (auto _ : state) {
    if (curl_easy_perform(easy) != CURLE_OK) std::abort();
  }
  curl_easy_cleanup(easy);
}

// The server is in this process too: its CPU is part of both sides' process time.
BENCHMARK(stream_plain_curl)
    ->Name("Stream/PlainCurl")
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(stream_curl_transport)
    ->Name("Stream/CurlTransport")
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(request_plain_curl)
    ->Name("Request/PlainCurl")
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(request_curl_transport)
    ->Name("Request/CurlTransport")
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace kube::transport
