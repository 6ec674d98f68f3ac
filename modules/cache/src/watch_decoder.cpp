// SPDX-License-Identifier: Apache-2.0
#include "watch_decoder.hpp"

#include <utility>

#include "json_watch_reader.hpp"
#include "protobuf_watch_reader.hpp"

namespace kube::cache {

WatchEventType watch_event_type(std::string_view text) {
  if (text == "ADDED") return WatchEventType::Added;
  if (text == "MODIFIED") return WatchEventType::Modified;
  if (text == "DELETED") return WatchEventType::Deleted;
  if (text == "BOOKMARK") return WatchEventType::Bookmark;
  if (text == "ERROR") return WatchEventType::Error;
  return WatchEventType::Unknown;
}

WatchDecoder::WatchDecoder(const CellType& type, StoragePolicy policy, OnEvent on_event,
                           std::optional<ObjectDefaults> defaults, std::size_t max_object)
    : type_(type),
      maker_(type, policy, std::move(defaults), max_object),
      on_event_(std::move(on_event)) {}

void WatchDecoder::begin(Encoding encoding) {
  if (encoding == Encoding::Protobuf) {
    reader_ = std::make_unique<ProtobufWatchReader>(type_, std::move(maker_), std::move(on_event_));
  } else {
    reader_ = std::make_unique<JsonWatchReader>(std::move(maker_), std::move(on_event_));
  }
}

Result<void> WatchDecoder::feed(std::string_view chunk) {
  if (chunk.empty()) return {};
  if (!reader_) {
    // The length of a frame, 16 MiB at most, begins with a byte that no JSON begins with.
    begin(static_cast<unsigned char>(chunk.front()) <= 1 ? Encoding::Protobuf : Encoding::Json);
  }
  return reader_->feed(chunk);
}

Result<void> WatchDecoder::finish() {
  return reader_ ? reader_->finish() : Result<void>();
}

}  // namespace kube::cache
