// SPDX-License-Identifier: Apache-2.0
//
// Splits the body of a watch into events as its bytes arrive, JSON or protobuf.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "object_parts.hpp"

namespace kube::cache {

enum class WatchEventType { Added, Modified, Deleted, Bookmark, Error, Unknown };
WatchEventType watch_event_type(std::string_view text);

struct WatchEvent {
  WatchEventType type = WatchEventType::Unknown;
  std::string type_text;  ///< Of Unknown: what the server said.
  CellRef cell;           ///< Added, Modified, Deleted: the object. Bookmark: its metadata.
  /// Error: what the Status says. Added, Modified, Deleted: why the object is refused; its cell is
  /// null then, or says whose object it is; see Arrived.
  Optional<Refusal> refused;
  bool initial_events_end = false;  ///< Bookmark: the streamed initial state is complete.

  void take(Arrived object) {
    cell = std::move(object.cell);
    refused = std::move(object.refused);
  }
};

/// The error of an event of that type, from its Status; with a text of our own where that has no
/// message, or is none. A message is cut to some kilobytes, and nothing is kept of a Status larger
/// than kMaxEnvelope.
kube::Error error_of_event(std::string_view object);

using OnEvent = std::function<void(WatchEvent)>;

/// The annotation of the bookmark that says so, with the value "true".
inline constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

/// One encoding of it.
class WatchReader {
 public:
  virtual ~WatchReader() = default;
  virtual kube::Result<void> feed(std::string_view chunk) = 0;
  virtual kube::Result<void> finish() = 0;
};

/// One watch body. Not thread-safe: used by one thread at a time.
class WatchDecoder {
 public:
  WatchDecoder(const CellType& type, StoragePolicy policy, OnEvent on_event,
               std::optional<ObjectDefaults> defaults = {},
               std::size_t max_object = max_object_bytes);

  /// What the answer says of its encoding. Without it, the first byte tells.
  void begin(Encoding encoding);
  /// Decode names the byte offset in the stream. Events before the broken one were delivered; after
  /// an error the decoder must be dropped.
  kube::Result<void> feed(std::string_view chunk);
  /// The stream has ended: Unreachable when that was inside an event, which is then lost.
  kube::Result<void> finish();

 private:
  const CellType& type_;
  CellMaker maker_;
  OnEvent on_event_;
  std::unique_ptr<WatchReader> reader_;
};

}  // namespace kube::cache
