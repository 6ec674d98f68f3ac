// SPDX-License-Identifier: Apache-2.0
#include "websocket_server.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

namespace kube::transport {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;

class BeastPeer final : public WebSocketPeer {
 public:
  BeastPeer(tcp::socket socket, const WebSocketServer::Options& options)
      : options_(options),
        stream_(std::move(socket)),
        socket_(::dup(stream_.next_layer().native_handle())) {}
  ~BeastPeer() override { ::close(socket_); }
  BeastPeer(const BeastPeer&) = delete;
  BeastPeer& operator=(const BeastPeer&) = delete;

  // Returns false when there is no WebSocket connection to run the script on.
  bool accept() {
    beast::flat_buffer buffer;
    http::request<http::string_body> request;
    beast::error_code failed;
    http::read(stream_.next_layer(), buffer, request, failed);
    if (failed) return false;
    target_ = std::string(request.target());
    offered_ = std::string(request[http::field::sec_websocket_protocol]);
    authorization_ = std::string(request[http::field::authorization]);
    if (!options_.refusal.empty()) {
      write_raw(options_.refusal);
      return false;
    }
    const std::string chosen = options_.chosen.empty() ? choose() : options_.chosen;
    stream_.set_option(websocket::stream_base::decorator([&](websocket::response_type& response) {
      if (!chosen.empty()) response.set(http::field::sec_websocket_protocol, chosen);
      if (options_.wrong_accept) response.set(http::field::sec_websocket_accept, "wrong");
    }));
    stream_.read_message_max(std::size_t{64} << 20);
    stream_.accept(request, failed);
    return !failed;
  }

  const std::string& target() const override { return target_; }
  const std::string& offered() const override { return offered_; }
  const std::string& authorization() const override { return authorization_; }
  std::optional<std::string> read() override {
    beast::flat_buffer buffer;
    beast::error_code failed;
    stream_.read(buffer, failed);
    if (failed) return std::nullopt;
    return beast::buffers_to_string(buffer.data());
  }
  bool write(std::string_view message) override {
    stream_.binary(true);
    return send(message);
  }
  bool write_text(std::string_view message) override {
    stream_.text(true);
    return send(message);
  }
  bool ping() override {
    beast::error_code failed;
    stream_.ping({}, failed);
    return !failed;
  }
  bool write_raw(std::string_view bytes) override {
    beast::error_code failed;
    asio::write(stream_.next_layer(), asio::buffer(bytes.data(), bytes.size()), failed);
    return !failed;
  }
  void close(std::uint16_t code, std::string_view reason) override {
    beast::error_code ignored;
    stream_.close(websocket::close_reason(static_cast<websocket::close_code>(code),
                                          beast::string_view(reason.data(), reason.size())),
                  ignored);
  }
  std::uint16_t closed_by_client() const override { return stream_.reason().code; }

  // Called by any thread, while Beast may be closing its own descriptor.
  void abort() { ::shutdown(socket_, SHUT_RDWR); }

 private:
  std::string choose() const {
    for (const std::string& known : options_.protocols) {
      if ((", " + offered_ + ",").find(", " + known + ",") != std::string::npos) return known;
    }
    return {};
  }
  bool send(std::string_view message) {
    beast::error_code failed;
    stream_.write(asio::buffer(message.data(), message.size()), failed);
    return !failed;
  }

  const WebSocketServer::Options& options_;
  websocket::stream<tcp::socket> stream_;
  const int socket_;  // the same connection
  std::string target_;
  std::string offered_;
  std::string authorization_;
};

}  // namespace

struct WebSocketServer::Impl {
  Impl(Options given, Script run) : options(std::move(given)), script(std::move(run)) {
    acceptor_thread = std::thread([this] { accept_all(); });
  }
  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      closing = true;
      for (const auto& peer : peers) peer->abort();
    }
    ::shutdown(acceptor.native_handle(), SHUT_RDWR);
    acceptor_thread.join();
    for (std::thread& thread : threads) thread.join();
  }

  void accept_all() {
    for (;;) {
      beast::error_code failed;
      tcp::socket socket = acceptor.accept(failed);
      const std::lock_guard lock(mutex);
      if (failed || closing) return;
      peers.push_back(std::make_unique<BeastPeer>(std::move(socket), options));
      threads.emplace_back([this, peer = peers.back().get()] {
        if (peer->accept()) script(*peer);
        peer->abort();
      });
    }
  }

  const Options options;
  const Script script;
  asio::io_context context;
  tcp::acceptor acceptor{context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  std::mutex mutex;
  bool closing = false;
  std::list<std::unique_ptr<BeastPeer>> peers;
  std::list<std::thread> threads;
  std::thread acceptor_thread;
};

WebSocketServer::WebSocketServer(Options options, Script script)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(script))) {}
WebSocketServer::~WebSocketServer() = default;

std::string WebSocketServer::url(std::string_view path) const {
  return "http://127.0.0.1:" + std::to_string(impl_->acceptor.local_endpoint().port()) +
         std::string(path);
}

}  // namespace kube::transport
