// SPDX-License-Identifier: Apache-2.0
#include "json_watch_reader.hpp"

#include "list_decoder.hpp"

#include <kube/json/text.hpp>
#include <kube/json/value.hpp>

namespace kube::cache {

std::string JsonWatchReader::at(std::string_view rest) const {
  return " at byte " + std::to_string(received_ - rest.size()) + " of the watch";
}

Result<void> JsonWatchReader::feed(std::string_view chunk) {
  received_ += chunk.size();
  for (;;) {
    if (!in_frame_) {
      while (!chunk.empty() && json::is_space(chunk.front())) chunk.remove_prefix(1);
      if (chunk.empty()) return {};
      if (chunk.front() != '{') return Error(ErrorCode::Decode, "expected an event" + at(chunk));
      in_frame_ = true;
      frame_.reset();
    }
    const JsonObjectReader::State state = frame_.feed(chunk);
    if (state == JsonObjectReader::State::More) return {};
    if (state == JsonObjectReader::State::TooDeep) {
      return Error(ErrorCode::Decode, "nested deeper than 512 levels" + at(chunk));
    }
    const auto where = [&] { return "event that ends" + at(chunk); };
    const bool is_whole = state == JsonObjectReader::State::Done;
    if (auto read = is_whole ? frame(where) : too_large_frame(where); !read) {
      return read.error().with_context(where());
    }
    in_frame_ = false;
  }
}

struct JsonWatchReader::Frame {
  std::string type;
  std::string_view object;
};

Result<JsonWatchReader::Frame> JsonWatchReader::split(std::string_view text, Extent extent) {
  Frame found;
  std::optional<Error> problem;
  std::string storage;
  const auto walked = for_each_member(
      text,
      [&](const JsonMember& member) {
        if (member.key == "type") {
          auto value = string_value(member.value, storage);
          if (!value) {
            problem = value.error().with_context("type");
            return false;
          }
          found.type = *value;
        } else if (member.key == "object") {
          found.object = member.value;
        }
        return true;
      },
      extent);
  if (problem) return *problem;
  if (!walked && extent == Extent::Whole) return walked.error();
  return found;
}

// Whatever it was, somebody's state has been missed.
template <class Where>
Result<void> JsonWatchReader::too_large_frame(Where&& where) {
  const auto found = split(frame_.text(), Extent::Beginning);
  WatchEvent event;
  event.type = found ? watch_event_type(found->type) : WatchEventType::Unknown;
  if (event.type != WatchEventType::Added && event.type != WatchEventType::Deleted) {
    event.type = WatchEventType::Modified;
  }
  const std::string_view object = found ? found->object : std::string_view();
  event.take(maker_.too_large(Encoding::Json, object, frame_.size()).at(where));
  on_event_(std::move(event));
  return {};
}

template <class Where>
Result<void> JsonWatchReader::frame(Where&& where) {
  const auto found = split(frame_.text(), Extent::Whole);
  if (!found) return found.error();
  const std::string_view type = found->type;
  const std::string_view object = found->object;
  if (type.empty()) return Error(ErrorCode::Decode, "expected an event with a type");
  if (!object.starts_with('{')) return Error(ErrorCode::Decode, "expected an event with an object");

  WatchEvent event;
  event.type = watch_event_type(type);
  switch (event.type) {
    case WatchEventType::Unknown:
      event.type_text = type;
      break;
    case WatchEventType::Error:
      event.refused = Refusal{error_of_event(object)};
      break;
    case WatchEventType::Bookmark: {
      auto bookmark = json::parse(object);
      if (!bookmark) return bookmark.error().with_context("bookmark");
      const json::Value* end = bookmark->at_path({"metadata", "annotations", kInitialEventsEnd});
      event.initial_events_end = end != nullptr && end->string_or_empty() == "true";
      [[fallthrough]];
    }
    case WatchEventType::Added:
    case WatchEventType::Modified:
    case WatchEventType::Deleted: {
      const bool is_bookmark = event.type == WatchEventType::Bookmark;
      auto cell = maker_.make(object, is_bookmark);
      if (!cell && is_bookmark) return cell.error();
      event.take(maker_.arrived(std::move(cell)).at(where));
      break;
    }
  }
  on_event_(std::move(event));
  return {};
}

Result<void> JsonWatchReader::finish() {
  if (!in_frame_) return {};
  return Error(ErrorCode::Unreachable,
               "the watch ended inside an event, after " + std::to_string(received_) + " bytes");
}

}  // namespace kube::cache
