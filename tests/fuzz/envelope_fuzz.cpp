// SPDX-License-Identifier: Apache-2.0
//
// Envelopes and events of a watch: what opens is closed again to the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <kube/api/example/v1.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/watch_frames.hpp>

namespace {

using namespace kube::meta;

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
  const auto event = read_watch_frame(bytes);
  if (!event) return 0;
  open(event->object);
  std::string again;
  write_watch_frame(*event, again);
  const auto reread = read_watch_frame(std::string_view(again).substr(kWatchFrameHead));
  if (!reread || reread->type != event->type || reread->object != event->object) std::abort();
  return 0;
}
