// SPDX-License-Identifier: Apache-2.0
//
// Makes cells of the body of a watch as its bytes arrive, JSON or protobuf.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <kube/client/watch_splitter.hpp>

#include "object_parts.hpp"

namespace kube::cache {

/// The annotation of the bookmark at the end of the initial state; its value is "true".
inline constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

/// One watch body. An ERROR event is a refusal that ends the watch; the bookmark at the end of the
/// streamed initial state is_initial.
/// Not thread-safe: used by one thread at a time.
class WatchDecoder {
 public:
  WatchDecoder(const CellType& type, StoragePolicy policy, OnArrived on_event,
               ObjectChanges changes = {}, std::size_t max_object_bytes = kMaxObjectBytes);
  WatchDecoder(const WatchDecoder&) = delete;
  WatchDecoder& operator=(const WatchDecoder&) = delete;

  /// Sets the encoding from the head of the response. Without it, the first byte decides.
  void begin(Encoding encoding);
  /// Fails with Decode and the offset in the stream. Events before the invalid one were delivered;
  /// do not use the decoder after an error.
  kube::Result<void> feed(std::string_view chunk);
  /// Call at the end of the stream. Fails with Unreachable inside an event, which is then lost.
  kube::Result<void> finish();

 private:
  kube::Result<void> take(const BodyPart& part);
  kube::Result<void> read(std::string_view bytes, Arrived& event);
  /// Returns the object as cells store it: JSON, or the bare message of an object of our type.
  kube::Result<std::string_view> object_of(std::string_view object) const;
  kube::Result<bool> ends_initial_events(std::string_view bookmark) const;

  const CellType& type_;
  const std::string api_version_;  // of the kind of type_, if it has a descriptor
  CellMaker maker_;
  OnArrived on_event_;
  Encoding encoding_ = Encoding::Json;
  std::unique_ptr<WatchSplitter> splitter_;
};

}  // namespace kube::cache
