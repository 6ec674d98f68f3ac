// SPDX-License-Identifier: Apache-2.0
//
// kube::WatchSplitter: splits the body of a watch into events as it arrives, JSON or protobuf, and
// read_watch_event(), which finds type and object of an event. No object is decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/client/content.hpp>
#include <kube/client/list_splitter.hpp>

namespace kube {

enum class WatchEventType {
  Added,
  Modified,
  Deleted,
  Bookmark,  ///< No change: the resourceVersion that the watch has reached.
  Error,  ///< The server ends the watch (410: start with a list again), or sent an invalid event.
};
std::string_view to_string(WatchEventType type);  ///< "ADDED", ...

/// An event whose object is not decoded: views into its bytes.
struct WatchEventParts {
  WatchEventType type = WatchEventType::Modified;
  std::string_view object{};  ///< JSON, or protobuf with its envelope.
};

/// Finds the type and the object of an event.
/// @par Errors   Decode: not an event, no type, no object (in JSON), or a type that is not in
///   WatchEventType. Such an event ends a watch, because it may be a change.
Result<WatchEventParts> read_watch_event(std::string_view event, Encoding encoding);
template <TemporaryText T>
Result<WatchEventParts> read_watch_event(T&& event,
                                         Encoding encoding) = delete;  // Give it a name first.
/// Reads the beginning of an event that is too large. The type is Added or Deleted when it is
/// known, otherwise Modified; the object is the part of it that arrived.
WatchEventParts read_beginning_of_event(std::string_view event, Encoding encoding);
template <TemporaryText T>
WatchEventParts read_beginning_of_event(T&& event,
                                        Encoding encoding) = delete;  // Give it a name first.

/// Splits one body, which may arrive in any number of chunks: in JSON, objects with white space
/// between them; in protobuf, frames that begin with their length.
///
/// @par Thread safety   Not thread-safe.
/// @par Cost   As ListSplitter.
class WatchSplitter {
 public:
  /// Called for each event, in order, during feed(); an error ends it and is returned.
  using OnEvent = std::function<Result<void>(const BodyPart&)>;
  static std::unique_ptr<WatchSplitter> make(Encoding encoding, OnEvent on_event,
                                             std::size_t max_event_bytes = kMaxObjectBytes);

  virtual ~WatchSplitter() = default;
  /// Takes the next bytes of the body.
  /// @par Errors   Decode, with the offset in the body, or the error of OnEvent. Do not call feed()
  ///   again after it.
  virtual Result<void> feed(std::string_view chunk) = 0;
  /// Returns the size of the incomplete event, as far as it is known; 0 between events.
  virtual std::uint64_t pending_bytes() const = 0;
  /// Call at the end of the body.
  /// @par Errors   Unreachable when the body ended inside an event, which is lost.
  virtual Result<void> finish() const = 0;
};

}  // namespace kube
