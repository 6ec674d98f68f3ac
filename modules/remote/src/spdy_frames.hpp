// SPDX-License-Identifier: Apache-2.0
//
// The frames of SPDY/3.1 as port forwarding uses them inside a WebSocket: bytes in, frames out, and
// the other way. It has no socket. Flow control is not part of it: the servers of Kubernetes
// neither send nor obey window updates.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>

struct z_stream_s;

namespace kube::portforward {

/// Names in lower case.
using SpdyHeaders = std::vector<std::pair<std::string, std::string>>;

struct SpdyFrame {
  /// Other: a frame without a meaning here, such as SETTINGS.
  enum class Type { Data, SynStream, SynReply, RstStream, Ping, GoAway, Other };
  Type type = Type::Other;
  std::uint32_t stream = 0;
  bool fin = false;         ///< The sender has ended its side of the stream.
  std::uint32_t value = 0;  ///< The status of RstStream, the id of Ping.
  std::string data{};
  SpdyHeaders headers{};
};

/// The headers of one direction are one zlib stream.
/// @par Thread safety   None.
class SpdyEncoder {
 public:
  SpdyEncoder();
  ~SpdyEncoder();
  SpdyEncoder(const SpdyEncoder&) = delete;
  SpdyEncoder& operator=(const SpdyEncoder&) = delete;

  std::string syn_stream(std::uint32_t stream, const SpdyHeaders& headers);
  std::string syn_reply(std::uint32_t stream, const SpdyHeaders& headers);

  static std::string data(std::uint32_t stream, std::string_view bytes, bool fin);
  static std::string rst_stream(std::uint32_t stream, std::uint32_t status);
  static std::string ping(std::uint32_t id);
  static std::string go_away(std::uint32_t last_stream);

 private:
  std::string compressed(const SpdyHeaders& headers);
  std::unique_ptr<z_stream_s> deflate_;
};

/// @par Thread safety   None.
class SpdyDecoder {
 public:
  SpdyDecoder();
  ~SpdyDecoder();
  SpdyDecoder(const SpdyDecoder&) = delete;
  SpdyDecoder& operator=(const SpdyDecoder&) = delete;

  /// Returns the frames that the bytes complete. A data frame has less than 16 MiB.
  /// @par Errors   Decode: another version, a frame or headers that are too long or malformed.
  ///   Nothing can be decoded after that.
  Result<std::vector<SpdyFrame>> receive(std::string_view bytes);

 private:
  Result<SpdyFrame> control_frame(std::string_view frame);
  Result<SpdyHeaders> headers_of(std::string_view block);
  Result<std::string> inflated(std::string_view block);

  std::unique_ptr<z_stream_s> inflate_;
  std::string input_;
};

}  // namespace kube::portforward
