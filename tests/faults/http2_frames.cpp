// SPDX-License-Identifier: Apache-2.0
#include "http2_frames.hpp"

#include <optional>
#include <utility>

namespace faults::frames {
namespace {

enum Type : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kResetStream = 3,
  kSettings = 4,
  kPing = 6,
  kGoAway = 7,
  kContinuation = 9,
};
constexpr std::uint8_t kAcknowledged = 1;
constexpr std::uint8_t kEndHeaders = 4;
constexpr std::size_t kFrameHead = 9;
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::string big_endian(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text.push_back(static_cast<char>(value >> (8 * i)));
  return text;
}

std::string frame(Type type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  std::string text = big_endian(static_cast<std::uint32_t>(payload.size()), 3);
  text.push_back(static_cast<char>(type));
  text.push_back(static_cast<char>(flags));
  return (text + big_endian(stream, 4)).append(payload);
}

struct Frame {
  std::uint8_t type;
  std::uint8_t flags;
  std::uint32_t stream;
};

// The frame at the front, which is then taken off; its payload is of no interest.
std::optional<Frame> take(std::string& input) {
  if (input.size() < kFrameHead) return std::nullopt;
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(input[i]));
  };
  const std::size_t size = byte(0) << 16 | byte(1) << 8 | byte(2);
  if (input.size() < kFrameHead + size) return std::nullopt;
  const Frame head{static_cast<std::uint8_t>(byte(3)), static_cast<std::uint8_t>(byte(4)),
                   byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8)};
  input.erase(0, kFrameHead + size);
  return head;
}

const std::string kStatus200 = "\x88";  // the static table's entry of HPACK

}  // namespace

std::string ok_head(std::uint32_t stream) {
  return frame(kHeaders, kEndHeaders, stream, kStatus200);
}

std::string open_head(std::uint32_t stream) {
  return frame(kHeaders, 0, stream, kStatus200);
}

std::string continuation(std::uint32_t stream, std::size_t size) {
  // A literal without indexing, with a name of one byte; lengths over 126 go on in 7 bits each.
  std::string field("\0\x01x\x7f", 4);
  for (std::size_t rest = size - 127;; rest >>= 7) {
    field.push_back(static_cast<char>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0)));
    if (rest <= 0x7f) break;
  }
  return frame(kContinuation, 0, stream, field + std::string(size, 'c'));
}

std::string data(std::uint32_t stream, std::string_view bytes) {
  return frame(kData, 0, stream, bytes);
}

std::string reset_stream(std::uint32_t stream, std::uint32_t error) {
  return frame(kResetStream, 0, stream, big_endian(error, 4));
}

std::string go_away(std::uint32_t last_stream, std::uint32_t error, std::string_view why) {
  return frame(kGoAway, 0, 0, (big_endian(last_stream, 4) + big_endian(error, 4)).append(why));
}

std::string ping() {
  return frame(kPing, 0, 0, "12345678");
}

std::function<void(Connection&)> raw(
    std::function<bool(Connection& connection, std::uint32_t stream)> answer) {
  return [answer = std::move(answer)](Connection& connection) {
    std::string input;
    const auto more = [&] {
      const std::string bytes = connection.peer().read_some();
      input += bytes;
      return !bytes.empty();
    };
    while (input.size() < kPreface.size()) {
      if (!more()) return;
    }
    input.erase(0, kPreface.size());
    connection.write(frame(kSettings, 0, 0, {}));
    do {
      while (const std::optional<Frame> got = take(input)) {
        if (got->type == kSettings && (got->flags & kAcknowledged) == 0) {
          connection.write(frame(kSettings, kAcknowledged, 0, {}));
        }
        if (got->type != kHeaders) continue;
        Call call;
        call.kind = CallKind::List;
        connection.count(call);
        if (!answer(connection, got->stream)) return;
      }
    } while (more());
  };
}

}  // namespace faults::frames
