// SPDX-License-Identifier: Apache-2.0
//
// HTTP/2 for LoopbackServer: one session for each connection, answers by a function.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "loopback_server.hpp"

namespace kube::transport {

struct Http2Request {
  std::string method;
  std::string path;
  std::string authority;
  std::string body;
};

struct Http2Answer {
  bool silent = false;  ///< Not even a head.
  int status = 200;
  std::string body{};
  std::size_t filler = 0;  ///< So many bytes after the body.
  bool open = false;       ///< The stream does not end after that.
  bool go_away = false;    ///< The connection takes no further streams; silent: nor this one.
  bool refuse = false;     ///< RST_STREAM with REFUSED_STREAM instead of an answer.
  std::optional<std::uint32_t> max_streams{};  ///< From now on, before the answer.
  bool cut = false;                            ///< Closes the connection instead of an answer.
  std::size_t hints = 0;                       ///< So many 103 Early Hints before the answer.
  std::size_t trailers = 0;                    ///< So many, of 1,000 bytes each, after the body.
};

/// Called for a PING too, with this as method, before it is answered.
/// Runs in the connection's thread; requests of several connections come at the same time.
using Http2Script = std::function<Http2Answer(const Http2Request& request)>;

/// A request for a path that begins with "/early" is answered at its head, and its stream is then
/// reset without an error, as Go's server does: status and body of the answer alone count, and
/// without a body the stream does not end before the reset.
LoopbackServer::Script http2(Http2Script script, std::uint32_t max_streams = 1000);

}  // namespace kube::transport
