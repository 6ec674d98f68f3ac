// SPDX-License-Identifier: Apache-2.0
//
// Makes cells of the body of a watch as its bytes arrive, JSON or protobuf.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <kube/client/watch_splitter.hpp>

#include "object_parts.hpp"

namespace kube::cache {

struct WatchEvent {
  WatchEventType type = WatchEventType::Modified;
  CellRef cell;  ///< Added, Modified, Deleted: the object. Bookmark: its metadata.
  /// Error: what the Status says. Added, Modified, Deleted: why the object is refused; its cell is
  /// null then, or says whose object it is; see Arrived.
  Optional<Refusal> refused;
  bool initial_events_end = false;  ///< Bookmark: the streamed initial state is complete.

  void take(Arrived object) {
    cell = std::move(object.cell);
    refused = std::move(object.refused);
  }
};

using OnEvent = std::function<void(WatchEvent)>;

/// The annotation of the bookmark that says so, with the value "true".
inline constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

/// One watch body. Not thread-safe: used by one thread at a time.
class WatchDecoder {
 public:
  WatchDecoder(const CellType& type, StoragePolicy policy, OnEvent on_event,
               std::optional<ObjectDefaults> defaults = {},
               std::size_t max_object_bytes = kMaxObjectBytes);
  WatchDecoder(const WatchDecoder&) = delete;
  WatchDecoder& operator=(const WatchDecoder&) = delete;

  /// What the answer says of its encoding. Without it, the first byte tells.
  void begin(Encoding encoding);
  /// Decode names the byte offset in the stream. Events before the broken one were delivered; after
  /// an error the decoder must be dropped.
  kube::Result<void> feed(std::string_view chunk);
  /// The stream has ended: Unreachable when that was inside an event, which is then lost.
  kube::Result<void> finish();

 private:
  kube::Result<void> take(const BodyPart& part);
  kube::Result<void> read(std::string_view bytes, WatchEvent& event);
  /// The object as cells hold it: JSON, or the bare message of one of our type.
  kube::Result<std::string_view> object_of(std::string_view object) const;
  kube::Result<bool> ends_initial_events(std::string_view bookmark) const;

  const CellType& type_;
  CellMaker maker_;
  OnEvent on_event_;
  Encoding encoding_ = Encoding::Json;
  std::unique_ptr<WatchSplitter> splitter_;
};

}  // namespace kube::cache
