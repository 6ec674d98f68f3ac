// SPDX-License-Identifier: Apache-2.0
//
// Short words for tests of the curl transport: requests, and the answers of a scripted server.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <kube/transport/curl_transport.hpp>

#include "loopback_server.hpp"

namespace kube::transport {

inline constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\n";
inline constexpr std::string_view kChunkedHead =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

inline std::shared_ptr<CurlTransport> make_transport(CurlTransport::Options options = {}) {
  return CurlTransport::create(std::move(options)).value();
}

inline HttpRequest get(std::string url) {
  HttpRequest request;
  request.url = std::move(url);
  return request;
}

inline std::string answer(std::string_view body) {
  return std::string(kHead) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

inline std::string chunk(std::string_view bytes) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + std::string(bytes) + "\r\n";
}

// Answers every request of a connection with what it says.
inline LoopbackServer::Script always(std::string response) {
  return [response = std::move(response)](Peer& peer) {
    while (peer.read_request()) peer.write(response);
  };
}

}  // namespace kube::transport
