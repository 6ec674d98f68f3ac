// SPDX-License-Identifier: Apache-2.0
//
// Makes cells of the events of a watch.
#include "watch_decoder.hpp"

#include <string>
#include <utility>

#include "metadata_map.hpp"

#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>
#include <kube/names/group_version.hpp>

namespace kube::cache {

namespace {

// An informer keeps the error, and with it the Status.
constexpr std::size_t kMaxStatusBytes = std::size_t{1} << 20;

Error error_of_event(std::string_view object) {
  if (object.size() > kMaxStatusBytes) {
    return Error(ErrorCode::Decode,
                 "an error event of " + std::to_string(object.size()) + " bytes");
  }
  const auto status = meta::read_status(object);
  if (!status) return status.error().with_context("an error event");
  return meta::error_from_object(*status);
}

/// Of an event of an object, or a bookmark.
DeltaType delta_type(WatchEventType type) {
  if (type == WatchEventType::Added) return DeltaType::Added;
  if (type == WatchEventType::Deleted) return DeltaType::Deleted;
  return type == WatchEventType::Bookmark ? DeltaType::Bookmark : DeltaType::Updated;
}

std::string api_version_of(const CellType& type) {
  if (type.descriptor == nullptr) return {};
  const meta::TypeDescriptor& descriptor = type.descriptor();
  return meta::GroupVersion{std::string(descriptor.group), std::string(descriptor.version)}
      .to_string();
}

}  // namespace

WatchDecoder::WatchDecoder(const CellType& type, StoragePolicy policy, OnArrived on_event,
                           ObjectChanges changes, std::size_t max_object_bytes)
    : type_(type),
      api_version_(api_version_of(type)),
      maker_(type, policy, std::move(changes), max_object_bytes),
      on_event_(std::move(on_event)) {}

void WatchDecoder::begin(Encoding encoding) {
  encoding_ = encoding;
  splitter_ = WatchSplitter::make(
      encoding, [this](const BodyPart& part) { return take(part); }, maker_.max_object_bytes());
}

Result<void> WatchDecoder::feed(std::string_view chunk) {
  if (chunk.empty()) return {};
  if (!splitter_) {
    // A frame begins with its length, whose first byte can't begin JSON.
    const bool protobuf = static_cast<unsigned char>(chunk.front()) <= 8;
    const Encoding encoding = protobuf ? Encoding::Protobuf : Encoding::Json;
    if (auto ok = check_encoding(type_, encoding); !ok) return ok;
    begin(encoding);
  }
  return splitter_->feed(chunk);
}

Result<void> WatchDecoder::finish() {
  return splitter_ ? splitter_->finish() : Result<void>();
}

Result<void> WatchDecoder::take(const BodyPart& part) {
  const auto where = [&] {
    return "event that ends at byte " + std::to_string(part.end) + " of the watch";
  };
  Arrived event;
  if (part.is_whole()) {
    if (auto done = read(part.bytes, event); !done) return done.error().with_context(where());
  } else {
    const WatchEventParts parts = read_beginning_of_event(part.bytes, encoding_);
    event = maker_.too_large(delta_type(parts.type), encoding_, parts.object, part.size_bytes);
  }
  event.came_from(where);
  on_event_(std::move(event));
  return {};
}

Result<void> WatchDecoder::read(std::string_view bytes, Arrived& event) {
  const auto parts = read_watch_event(bytes, encoding_);
  if (!parts) return parts.error();
  if (parts->type == WatchEventType::Error) {
    event.refused = Refusal{.error = error_of_event(parts->object), .ends_watch = true};
    return {};
  }
  const DeltaType type = delta_type(parts->type);
  const auto object = object_of(parts->object);
  if (type != DeltaType::Bookmark) {
    event = maker_.arrived(
        type, object ? maker_.make(encoding_, *object) : Result<CellRef>(object.error()));
    return {};
  }
  if (!object) return object.error();
  const auto is_end = ends_initial_events(*object);
  if (!is_end) return is_end.error().with_context("bookmark");
  auto cell = maker_.make(encoding_, *object, true);
  if (!cell) return cell.error();
  event.delta = {.type = type, .is_initial = *is_end, .cell = *std::move(cell)};
  return {};
}

Result<std::string_view> WatchDecoder::object_of(std::string_view object) const {
  if (encoding_ == Encoding::Json) return object;
  const auto unknown = meta::open_envelope(object);
  if (!unknown) return unknown.error();
  if (!unknown->content_type.empty() && unknown->content_type != kProtobufMediaType) {
    return Error(ErrorCode::Decode, "expected an object in protobuf, found \"" +
                                        std::string(unknown->content_type) + "\"");
  }
  if (type_.descriptor != nullptr) {
    const meta::TypeDescriptor& type = type_.descriptor();
    if (unknown->kind == type.kind && unknown->api_version == api_version_) return unknown->raw;
    const auto found = meta::from_api_version_and_kind(unknown->api_version, unknown->kind);
    if (found.group != type.group || found.version != type.version || found.kind != type.kind) {
      return Error(ErrorCode::Decode, "expected kind \"" + std::string(type.kind) + "\", found \"" +
                                          found.to_string() + "\"");
    }
  }
  return unknown->raw;
}

Result<bool> WatchDecoder::ends_initial_events(std::string_view bookmark) const {
  bool is_end = false;
  if (encoding_ == Encoding::Json) {
    const auto object = json::parse(bookmark);
    if (!object) return object.error();
    const json::Value* value = object->at_path({"metadata", "annotations", kInitialEventsEnd});
    return value != nullptr && value->string_or_empty() == "true";
  }
  const auto read = for_each_in_metadata_map(bookmark, false, field::kAnnotations,
                                             [&](std::string_view key, std::string_view value) {
                                               if (key == kInitialEventsEnd)
                                                 is_end = value == "true";
                                             });
  if (!read) return read.error();
  return is_end;
}

}  // namespace kube::cache
