// SPDX-License-Identifier: Apache-2.0
//
// A server that is no API server.
#pragma once

#include <string>
#include <thread>
#include <vector>

namespace kubecpp {

/// A TCP server that accepts connections and answers each with these bytes, or with nothing.
class TcpServer {
 public:
  explicit TcpServer(std::string answer = {});
  ~TcpServer();
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  void serve();

  const std::string answer_;
  int listener_ = -1;
  int port_ = 0;
  std::vector<int> open_;
  std::thread thread_;
};

}  // namespace kubecpp
