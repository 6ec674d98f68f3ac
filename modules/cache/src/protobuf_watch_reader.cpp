// SPDX-License-Identifier: Apache-2.0
#include "protobuf_watch_reader.hpp"

#include "protobuf_scan.hpp"

namespace kube::cache {

Result<void> ProtobufWatchReader::feed(std::string_view chunk) {
  received_ += chunk.size();
  const auto where = [&] { return "event at byte " + std::to_string(frame_at_) + " of the watch"; };
  splitter_.feed(chunk);
  while (const auto bytes = splitter_.next()) {
    if (!*bytes) {
      // Too large, and skipped. Whatever it was, somebody's state has been missed.
      WatchEvent event;
      event.type = WatchEventType::Modified;
      event.refused = Refusal{bytes->error().with_context(where())};
      on_event_(std::move(event));
      frame_at_ += meta::FrameSplitter::head_size + splitter_.to_skip();
      continue;
    }
    if (auto read = frame(**bytes, where); !read) return read.error().with_context(where());
    frame_at_ += meta::FrameSplitter::head_size + (*bytes)->size();
  }
  return {};
}

Result<std::string_view> ProtobufWatchReader::message_of(std::string_view object) const {
  const auto unknown = meta::open_envelope(object);
  if (!unknown) return unknown.error();
  if (!unknown->content_type.empty() && unknown->content_type != protobuf_media_type) {
    return Error(ErrorCode::Decode, "expected an object in protobuf, found \"" +
                                        std::string(unknown->content_type) + "\"");
  }
  if (type_.descriptor != nullptr) {
    const meta::TypeDescriptor& type = type_.descriptor();
    const auto found = meta::from_api_version_and_kind(unknown->api_version, unknown->kind);
    if (found.group != type.group || found.version != type.version || found.kind != type.kind) {
      return Error(ErrorCode::Decode, "expected kind \"" + std::string(type.kind) + "\", found \"" +
                                          found.to_string() + "\"");
    }
  }
  return unknown->raw;
}

template <class Where>
Result<void> ProtobufWatchReader::frame(std::string_view bytes, Where&& where) {
  const auto view = meta::read_watch_event(bytes);
  if (!view) return view.error();
  if (view->type.empty()) return Error(ErrorCode::Decode, "expected an event with a type");
  WatchEvent event;
  event.type = watch_event_type(view->type);
  switch (event.type) {
    case WatchEventType::Unknown:
      event.type_text = view->type;
      break;
    case WatchEventType::Error:
      event.refused = Refusal{error_of_event(view->object)};
      break;
    case WatchEventType::Bookmark:
      if (auto read = bookmark(view->object, event); !read) return read;
      break;
    case WatchEventType::Added:
    case WatchEventType::Modified:
    case WatchEventType::Deleted: {
      const auto message = message_of(view->object);
      event.take(maker_
                     .arrived(message ? maker_.make_from_message(*message)
                                      : Result<CellRef>(message.error()))
                     .at(where));
      break;
    }
  }
  on_event_(std::move(event));
  return {};
}

Result<void> ProtobufWatchReader::bookmark(std::string_view object, WatchEvent& event) {
  const auto message = message_of(object);
  if (!message) return message.error();
  auto read = for_each_in_metadata_map(*message, field::annotations,
                                       [&](std::string_view key, std::string_view value) {
                                         if (key == kInitialEventsEnd)
                                           event.initial_events_end = value == "true";
                                         return true;
                                       });
  if (!read) return read.error().with_context("bookmark");
  auto cell = maker_.make_from_message(*message, true);
  if (!cell) return cell.error();
  event.cell = *std::move(cell);
  return {};
}

Result<void> ProtobufWatchReader::finish() {
  if (splitter_.finish()) return {};
  return Error(ErrorCode::Unreachable,
               "the watch ended inside an event, after " + std::to_string(received_) + " bytes");
}

}  // namespace kube::cache
