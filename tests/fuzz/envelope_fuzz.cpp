// SPDX-License-Identifier: Apache-2.0
//
// Envelopes and watch streams: what opens is closed again to the same, and frames don't depend on
// how the stream is cut.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/example/v1.hpp>
#include <kube/meta/protobuf.hpp>
#include <kube/meta/watch_frames.hpp>

namespace {

using namespace kube::meta;

std::vector<std::string> split(std::string_view stream, std::size_t chunk, bool& whole) {
  FrameSplitter splitter(1 << 12);
  std::vector<std::string> frames;
  for (std::size_t at = 0; at < stream.size(); at += chunk) {
    splitter.feed(stream.substr(at, chunk));
    while (const auto frame = splitter.next())
      frames.push_back(*frame ? "frame " + std::string(**frame) : frame->error().to_string());
  }
  whole = splitter.finish().has_value();
  return frames;
}

void open(std::string_view bytes) {
  (void)from_protobuf<kube::example::v1::Everything>(bytes);
  const auto unknown = open_envelope(bytes);
  if (!unknown) return;
  std::string written;
  write_envelope(*unknown, written);
  const auto again = open_envelope(written);
  if (!again || again->raw != unknown->raw || again->kind != unknown->kind ||
      again->api_version != unknown->api_version || again->content_type != unknown->content_type ||
      again->content_encoding != unknown->content_encoding) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  open(bytes);
  bool whole = false;
  bool whole_in_pieces = false;
  const auto frames = split(bytes, size + 1, whole);
  if (split(bytes, 1 + size % 7, whole_in_pieces) != frames || whole != whole_in_pieces)
    std::abort();
  for (const std::string& frame : frames) {
    if (!frame.starts_with("frame ")) continue;
    const auto event = read_watch_event(std::string_view(frame).substr(6));
    if (!event) continue;
    open(event->object);
    std::string again;
    write_watch_frame(*event, again);
    const auto reread = read_watch_event(std::string_view(again).substr(4));
    if (!reread || reread->type != event->type || reread->object != event->object) std::abort();
  }
  return 0;
}
