// SPDX-License-Identifier: Apache-2.0
//
// Splits watches into events in both encodings.
#include <kube/client/watch_splitter.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <kube/base/printable.hpp>
#include <kube/codec/watch_frames.hpp>
#include <kube/json/object_members.hpp>
#include <kube/json/text.hpp>

#include "json_object_reader.hpp"
#include "object_buffer.hpp"

namespace kube {
namespace {

constexpr WatchEventType kWatchEventTypes[] = {WatchEventType::Added, WatchEventType::Modified,
                                               WatchEventType::Deleted, WatchEventType::Bookmark,
                                               WatchEventType::Error};

std::optional<WatchEventType> watch_event_type(std::string_view text) {
  for (const WatchEventType type : kWatchEventTypes) {
    if (text == to_string(type)) return type;
  }
  return std::nullopt;
}

/// `storage` may hold the type.
Result<meta::WatchEventView> read_json_event(std::string_view text, json::Extent extent,
                                             std::string& storage) {
  meta::WatchEventView found;
  Result<void> type_read;
  const auto walked = json::for_each_member(
      text,
      [&](const json::Member& member) {
        if (member.key == "type") {
          const auto value = json::string_value(member.value, storage);
          if (value) {
            found.type = *value;
          } else {
            type_read = value.error().with_context("type");
          }
        } else if (member.key == "object") {
          found.object = member.value;
        }
        return type_read.has_value();
      },
      extent);
  if (extent == json::Extent::Beginning) return found;
  if (!type_read) return type_read.error();
  if (!walked) return walked.error();
  return found;
}

std::string at_byte(std::uint64_t place) {
  return " at byte " + std::to_string(place) + " of the watch";
}

Error ended_inside(std::uint64_t received) {
  return {ErrorCode::Unreachable,
          "the watch ended inside an event, after " + std::to_string(received) + " bytes"};
}

class JsonWatchSplitter final : public WatchSplitter {
 public:
  JsonWatchSplitter(OnEvent on_event, std::size_t max_event_bytes)
      : on_event_(std::move(on_event)), event_(max_event_bytes) {}

  Result<void> feed(std::string_view chunk) override {
    received_ += chunk.size();
    for (;;) {
      if (!inside_) {
        while (!chunk.empty() && json::is_space(chunk.front())) chunk.remove_prefix(1);
        if (chunk.empty()) return {};
        if (chunk.front() != '{')
          return Error(ErrorCode::Decode, "expected an event" + at_byte(received_ - chunk.size()));
        inside_ = true;
        event_.reset();
      }
      const JsonObjectReader::State state = event_.feed(chunk);
      if (state == JsonObjectReader::State::More) return {};
      const std::uint64_t end = received_ - chunk.size();
      if (state == JsonObjectReader::State::TooDeep)
        return Error(ErrorCode::Decode, "nested deeper than 512 levels" + at_byte(end));
      if (auto taken = on_event_({event_.text(), event_.size(), end}); !taken) return taken;
      inside_ = false;
    }
  }
  std::uint64_t pending_bytes() const override { return inside_ ? event_.size() : 0; }
  Result<void> finish() const override {
    return inside_ ? Result<void>(ended_inside(received_)) : Result<void>();
  }

 private:
  OnEvent on_event_;
  std::uint64_t received_ = 0;
  bool inside_ = false;
  JsonObjectReader event_;
};

class ProtobufWatchSplitter final : public WatchSplitter {
 public:
  ProtobufWatchSplitter(OnEvent on_event, std::size_t max_event_bytes)
      : on_event_(std::move(on_event)), max_event_bytes_(max_event_bytes) {}

  Result<void> feed(std::string_view chunk) override {
    received_ += chunk.size();
    while (!chunk.empty()) {
      if (head_ < meta::kWatchFrameHead) {
        length_ = length_ << 8 | static_cast<unsigned char>(chunk.front());
        chunk.remove_prefix(1);
        if (++head_ < meta::kWatchFrameHead || length_ != 0) continue;
      }
      const std::string_view piece = chunk.substr(0, length_ - taken_);
      chunk.remove_prefix(piece.size());
      taken_ += piece.size();
      if (length_ > max_event_bytes_) {
        partial_ +=
            piece.substr(0, std::min(kKeptOfLargeObjects, max_event_bytes_) - partial_.size());
      } else if (piece.size() != length_) {
        partial_ += piece;
      }
      if (taken_ != length_) return {};
      const std::string_view bytes = partial_.empty() ? piece : partial_.view();
      if (auto done = on_event_({bytes, length_, received_ - chunk.size()}); !done) return done;
      partial_.clear();
      head_ = length_ = taken_ = 0;
    }
    return {};
  }
  std::uint64_t pending_bytes() const override {
    return head_ == meta::kWatchFrameHead ? length_ : 0;
  }
  Result<void> finish() const override {
    return head_ != 0 ? Result<void>(ended_inside(received_)) : Result<void>();
  }

 private:
  OnEvent on_event_;
  const std::size_t max_event_bytes_;
  std::uint64_t received_ = 0;
  std::size_t head_ = 0;    // bytes of the length read so far
  std::size_t length_ = 0;  // the length of the current frame
  std::size_t taken_ = 0;   // its bytes so far
  ObjectBuffer
      partial_;  // the bytes of earlier chunks; only the beginning of a frame that is too large
};

}  // namespace

std::string_view to_string(WatchEventType type) {
  switch (type) {
    case WatchEventType::Added:
      return "ADDED";
    case WatchEventType::Modified:
      return "MODIFIED";
    case WatchEventType::Deleted:
      return "DELETED";
    case WatchEventType::Bookmark:
      return "BOOKMARK";
    case WatchEventType::Error:
      return "ERROR";
  }
  return "ERROR";
}

Result<WatchEventParts> read_watch_event(std::string_view event, Encoding encoding) {
  const bool json = encoding == Encoding::Json;
  std::string storage;
  const auto view =
      json ? read_json_event(event, json::Extent::Whole, storage) : meta::read_watch_frame(event);
  if (!view) return view.error();
  if (view->type.empty()) return Error(ErrorCode::Decode, "expected an event with a type");
  if (json && !view->object.starts_with('{'))
    return Error(ErrorCode::Decode, "expected an event with an object");
  const std::optional<WatchEventType> type = watch_event_type(view->type);
  if (!type)
    return Error(ErrorCode::Decode, "got invalid watch event type: " + printable(view->type, 100));
  return WatchEventParts{*type, view->object};
}

WatchEventParts read_beginning_of_event(std::string_view event, Encoding encoding) {
  WatchEventParts parts;
  if (encoding == Encoding::Protobuf) return parts;
  std::string storage;
  const auto view = read_json_event(event, json::Extent::Beginning, storage);
  if (!view) return parts;
  parts.object = view->object;
  const auto type = watch_event_type(view->type);
  if (type == WatchEventType::Added || type == WatchEventType::Deleted) parts.type = *type;
  return parts;
}

std::unique_ptr<WatchSplitter> WatchSplitter::make(Encoding encoding, OnEvent on_event,
                                                   std::size_t max_event_bytes) {
  if (encoding == Encoding::Protobuf)
    return std::make_unique<ProtobufWatchSplitter>(std::move(on_event), max_event_bytes);
  return std::make_unique<JsonWatchSplitter>(std::move(on_event), max_event_bytes);
}

}  // namespace kube
