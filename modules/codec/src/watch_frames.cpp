// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/watch_frames.hpp>

#include <kube/codec/wire.hpp>
#include "wire_output.hpp"

namespace kube::meta {

Result<WatchEventView> read_watch_frame(std::string_view frame) {
  WatchEventView event;
  const auto wrong = [&](const wire::Fields& fields) {
    return fields.error(frame).with_context("read WatchEvent");
  };
  wire::Fields fields(frame);
  for (const wire::Field& field : fields) {
    if (field.number() > 2 || !fields.expect_bytes(field)) continue;
    if (field.number() == 1) {
      event.type = field.value;
      continue;
    }
    wire::Fields extension(field.value);
    for (const wire::Field& part : extension) {
      if (part.number() == 1 && extension.expect_bytes(part)) event.object = part.value;
    }
    if (extension.fault()) return wrong(extension);
  }
  if (fields.fault()) return wrong(fields);
  return event;
}

void write_watch_frame(const WatchEventView& event, std::string& out) {
  wire::Output head;
  const std::size_t object = event.object.size();
  head.varint(object);
  head.byte(10);
  head.varint(head.size() + object);
  head.byte(18);
  head.text_field(10, event.type);
  const std::size_t length = head.size() + object;
  for (unsigned shift = 0; shift < 32; shift += 8)
    head.byte(static_cast<unsigned>(length >> shift) & 0xff);
  out.reserve(out.size() + head.size() + object);
  out += head.text();
  out += event.object;
}

}  // namespace kube::meta
