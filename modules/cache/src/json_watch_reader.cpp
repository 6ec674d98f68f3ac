// SPDX-License-Identifier: Apache-2.0
#include "json_watch_reader.hpp"

#include "list_decoder.hpp"

#include <kube/json/text.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>

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
      scanner_.reset();
    }
    if (chunk.empty()) return {};
    const std::size_t taken = scanner_.feed(chunk);
    const std::string_view part = chunk.substr(0, taken);
    chunk.remove_prefix(taken);
    if (scanner_.state() == json::ValueScanner::State::TooDeep) {
      return Error(ErrorCode::Decode, "nested deeper than 512 levels" + at(chunk));
    }
    if (scanner_.state() == json::ValueScanner::State::More) {
      if (partial_.size() + part.size() > kMaxObject) {
        return Error(ErrorCode::Decode, "an event larger than 64 MiB" + at(chunk));
      }
      partial_ += part;
      return {};
    }
    std::string_view text = part;
    if (!partial_.empty()) {
      partial_ += part;
      text = partial_;
    }
    const auto where = [&] { return "event that ends" + at(chunk); };
    if (auto read = frame(text, where); !read) return read.error().with_context(where());
    partial_.clear();
    in_frame_ = false;
  }
}

template <class Where>
Result<void> JsonWatchReader::frame(std::string_view text, Where&& where) {
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
      const bool is_bookmark = event.type == WatchEventType::Bookmark;
      auto cell = maker_.make(object, is_bookmark);
      if (!cell && is_bookmark) return cell.error();
      event.take(CellMaker::arrived(std::move(cell), where));
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
