// SPDX-License-Identifier: Apache-2.0
//
// A body of gzip: what is decoded does not depend on how the bytes arrive nor on the room for what
// comes out, and zlib alone decodes the same from each member.
//
// Input: the size of the parts (one byte), the size of the room (one byte), the body.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "gzip_decoder.hpp"

namespace {

using kube::transport::GzipDecoder;

constexpr std::size_t kMost = std::size_t{1} << 20;  // of what is decoded

void expect(bool holds, int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "line %d: does not hold\n", line);
  std::abort();
}

struct Decoded {
  std::string text;
  bool refused = false;
  bool complete = false;

  bool operator==(const Decoded&) const = default;
};

Decoded in_parts(std::string_view body, std::size_t part_size, std::size_t room_size) {
  Decoded out;
  GzipDecoder decoder;
  std::vector<char> room(room_size);
  while (!body.empty() && out.text.size() < kMost) {
    std::string_view part = body.substr(0, part_size);
    body.remove_prefix(part.size());
    for (bool more = true; more;) {
      const auto decoded = decoder.decode(part, room);
      if (!decoded) {
        out.refused = true;
        return out;
      }
      out.text += *decoded;
      more = decoded->size() == room.size() && out.text.size() < kMost;
    }
    expect(part.empty() || out.text.size() >= kMost);
  }
  out.complete = decoder.is_complete();
  return out;
}

// By zlib alone, one member after another.
Decoded by_zlib(std::string body) {
  Decoded out;
  std::size_t at = 0;
  out.complete = true;
  while (at < body.size() && out.text.size() < kMost) {
    z_stream stream{};
    expect(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK);
    std::vector<char> room(2 * kMost);
    stream.next_in = reinterpret_cast<Bytef*>(body.data() + at);
    stream.avail_in = static_cast<uInt>(body.size() - at);
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    const int result = inflate(&stream, Z_SYNC_FLUSH);
    out.text.append(room.data(), room.size() - stream.avail_out);
    at = body.size() - stream.avail_in;
    inflateEnd(&stream);
    out.complete = result == Z_STREAM_END;
    out.refused = result != Z_STREAM_END && result != Z_OK && result != Z_BUF_ERROR;
    if (!out.complete) break;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Decoded expected = by_zlib(std::string(body));
  if (expected.text.size() >= kMost) return 0;  // where the rest is cut off differs
  Decoded decoded = in_parts(body, data[0] + std::size_t{1}, data[1] + std::size_t{1});
  expect(decoded.refused == expected.refused);
  if (expected.refused) {
    // What came out before the error depends on the room.
    expect(expected.text.starts_with(decoded.text) || decoded.text.starts_with(expected.text));
    return 0;
  }
  expect(decoded == expected);
  return 0;
}
