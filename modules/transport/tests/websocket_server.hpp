// SPDX-License-Identifier: Apache-2.0
//
// A WebSocket server for tests, on Boost.Beast, which is another implementation than the client's.
// One thread for each connection runs the script.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kube::transport {

/// The server's end of one connection.
class WebSocketPeer {
 public:
  virtual ~WebSocketPeer() = default;
  virtual const std::string& target() const = 0;   ///< Of the request.
  virtual const std::string& offered() const = 0;  ///< Its Sec-WebSocket-Protocol.
  virtual const std::string& authorization() const = 0;
  /// The next message; std::nullopt at the end of the connection.
  virtual std::optional<std::string> read() = 0;
  /// Returns false when the client has gone.
  virtual bool write(std::string_view message) = 0;
  virtual bool write_text(std::string_view message) = 0;
  virtual bool ping() = 0;
  /// Bytes without a frame around them.
  virtual bool write_raw(std::string_view bytes) = 0;
  virtual void close(std::uint16_t code, std::string_view reason = {}) = 0;
  /// The code with which the client closed; 0: none.
  virtual std::uint16_t closed_by_client() const = 0;
};

class WebSocketServer {
 public:
  struct Options {
    std::vector<std::string> protocols{};  ///< Those that the server speaks, the best one first.
    std::string chosen{};  ///< Answered whatever the client has offered. Empty: by `protocols`.
    bool wrong_accept = false;
    /// Instead of an upgrade: a whole HTTP response.
    std::string refusal{};
  };
  using Script = std::function<void(WebSocketPeer& peer)>;

  WebSocketServer(Options options, Script script);
  /// Cuts what is open and joins.
  ~WebSocketServer();
  WebSocketServer(const WebSocketServer&) = delete;
  WebSocketServer& operator=(const WebSocketServer&) = delete;

  /// "http://127.0.0.1:port" and the path.
  std::string url(std::string_view path = "/") const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube::transport
