// SPDX-License-Identifier: Apache-2.0
//
// A server that is no API server.
#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace programs {

/// A TCP server that accepts connections and answers each with these bytes, or with nothing. Of
/// several answers the first connection has the first, and so on; the last is repeated.
class TcpServer {
 public:
  explicit TcpServer(std::vector<std::string> answers = {});
  ~TcpServer();
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// The beginnings of what the connections with an answer sent.
  std::vector<std::string> requests() const;

 private:
  void serve();

  const std::vector<std::string> answers_;
  int listener_ = -1;
  int port_ = 0;
  std::vector<int> open_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace programs
