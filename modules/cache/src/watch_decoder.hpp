// SPDX-License-Identifier: Apache-2.0
//
// Splits the JSON body of a watch into events as its bytes arrive.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "json_scan.hpp"
#include "object_parts.hpp"

namespace kube::cache {

enum class WatchEventType { Added, Modified, Deleted, Bookmark, Error, Unknown };

struct WatchEvent {
  WatchEventType type = WatchEventType::Unknown;
  std::string type_text;  ///< Of Unknown: what the server said.
  CellRef cell;           ///< Added, Modified, Deleted: the object. Bookmark: its metadata.
  std::optional<kube::Error> error;  ///< Error: what the Status says.
  bool initial_events_end = false;   ///< Bookmark: the streamed initial state is complete.
};

/// One watch body. Not thread-safe: used by one thread at a time.
class WatchDecoder {
 public:
  using OnEvent = std::function<void(WatchEvent)>;
  WatchDecoder(const CellType& type, StoragePolicy policy, OnEvent on_event,
               std::optional<ObjectDefaults> defaults = {});

  /// Decode names the byte offset in the stream. Events before the broken one were delivered; after
  /// an error the decoder must be dropped.
  kube::Result<void> feed(std::string_view chunk);
  /// The stream has ended: Unreachable when that was inside an event, which is then lost.
  kube::Result<void> finish();

 private:
  kube::Result<void> frame(std::string_view text);

  CellMaker maker_;
  OnEvent on_event_;
  std::uint64_t received_ = 0;
  std::string partial_;
  bool in_frame_ = false;
  ValueScanner scanner_;
};

}  // namespace kube::cache
