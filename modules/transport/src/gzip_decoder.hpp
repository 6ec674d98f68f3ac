// SPDX-License-Identifier: Apache-2.0
//
// Decodes gzip as it arrives, with zlib. curl's own decoder fails at the second of several members
// (RFC 1952, 2.2), of which kube-apiserver 1.37 sends one for each flush of a streamed list.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/transport/http.hpp>

struct z_stream_s;

namespace kube::transport {

/// Whether the body has been compressed by gzip, and by nothing else. If so, removes the headers
/// that describe the bytes on the wire, which the handler does not receive.
bool take_gzip_coding(Headers& headers);

class GzipDecoder {
 public:
  GzipDecoder();
  ~GzipDecoder();

  /// Decodes from the front of `bytes`, which become fewer, into `room`, and returns what was
  /// decoded. There is nothing more to decode when the result is shorter than `room`.
  ///
  /// @par Errors   Decode for what is not gzip; Internal without memory. Do not call
  ///               it again after an error.
  Result<std::string_view> decode(std::string_view& bytes, std::span<char> room);

  /// Whether the bytes so far are whole members. Between them the decoder has no memory in use: a
  /// watch in which nothing happens costs nothing.
  bool is_complete() const { return stream_ == nullptr; }

 private:
  struct End {
    void operator()(z_stream_s* stream) const;
  };
  std::unique_ptr<z_stream_s, End> stream_;
};

}  // namespace kube::transport
