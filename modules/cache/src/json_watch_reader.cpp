// SPDX-License-Identifier: Apache-2.0
#include "json_watch_reader.hpp"

#include "list_decoder.hpp"

#include <kube/json/text.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>

namespace kube::cache {

Result<void> JsonWatchReader::feed(std::string_view chunk) {
  received_ += chunk.size();
  const auto at = [&] {
    return " at byte " + std::to_string(received_ - chunk.size()) + " of the watch";
  };
  for (;;) {
    if (!in_frame_) {
      while (!chunk.empty() && json::is_space(chunk.front())) chunk.remove_prefix(1);
      if (chunk.empty()) return {};
      if (chunk.front() != '{') return Error(ErrorCode::Decode, "expected an event" + at());
      in_frame_ = true;
      scanner_.reset();
    }
    if (chunk.empty()) return {};
    const std::size_t taken = scanner_.feed(chunk);
    const std::string_view part = chunk.substr(0, taken);
    chunk.remove_prefix(taken);
    if (scanner_.state() == json::ValueScanner::State::TooDeep) {
      return Error(ErrorCode::Decode, "nested deeper than 512 levels" + at());
    }
    if (scanner_.state() == json::ValueScanner::State::More) {
      if (partial_.size() + part.size() > kMaxObject) {
        return Error(ErrorCode::Decode, "an event larger than 64 MiB" + at());
      }
      partial_ += part;
      return {};
    }
    std::string_view text = part;
    if (!partial_.empty()) {
      partial_ += part;
      text = partial_;
    }
    if (auto read = frame(text); !read) return read.error().with_context("event that ends" + at());
    partial_.clear();
    in_frame_ = false;
  }
}

Result<void> JsonWatchReader::frame(std::string_view text) {
  std::string_view type;
  std::string_view object;
  std::string storage;
  std::optional<Error> problem;
  auto walked = for_each_member(text, [&](const JsonMember& member) {
    if (member.key == "type") {
      auto value = string_value(member.value, storage);
      if (!value) {
        problem = value.error().with_context("type");
        return false;
      }
      type = *value;
    } else if (member.key == "object") {
      object = member.value;
    }
    return true;
  });
  if (problem) return *problem;
  if (!walked) return walked;
  if (type.empty()) return Error(ErrorCode::Decode, "expected an event with a type");
  if (!object.starts_with('{')) return Error(ErrorCode::Decode, "expected an event with an object");

  WatchEvent event;
  event.type = watch_event_type(type);
  switch (event.type) {
    case WatchEventType::Unknown:
      event.type_text = type;
      break;
    case WatchEventType::Error: {
      auto status = json::parse(object);
      if (!status) return status.error().with_context("status");
      event.error = meta::error_from_status(*status);
      break;
    }
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
      auto cell = maker_.make(object, event.type == WatchEventType::Bookmark);
      if (!cell) return cell.error();
      event.cell = *std::move(cell);
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
