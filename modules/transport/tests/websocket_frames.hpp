// SPDX-License-Identifier: Apache-2.0
//
// What a WebSocket server sends, for tests that are the server themselves.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <openssl/evp.h>

#include <kube/transport/http.hpp>

namespace kube::transport {

/// The headers of the response (101) to a handshake (RFC 6455, 1.3).
inline Headers upgrade_headers(const Headers& handshake, const std::string& protocol) {
  const std::string text =
      std::string(*handshake.find("Sec-WebSocket-Key")) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha1(), nullptr);
  unsigned char encoded[64];
  EVP_EncodeBlock(encoded, digest, static_cast<int>(size));
  return {{"Upgrade", "WebSocket"},
          {"Sec-WebSocket-Accept", reinterpret_cast<const char*>(encoded)},
          {"Sec-WebSocket-Protocol", protocol}};
}

/// The frame of a whole binary message.
inline std::string binary_frame(std::string_view message) {
  // The shortest form of the length that can hold it; others are errors.
  const std::size_t size = message.size();
  const int bytes = size < 126 ? 1 : size <= 0xffff ? 2 : 8;
  std::string frame = "\x82";
  if (bytes > 1) frame.push_back(bytes == 2 ? '\x7e' : '\x7f');
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    frame.push_back(static_cast<char>(size >> shift));
  }
  return frame.append(message);
}

}  // namespace kube::transport
