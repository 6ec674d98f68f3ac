// SPDX-License-Identifier: Apache-2.0
//
// kube::WatchSplitter: cuts the body of a watch into events as it arrives, JSON or protobuf, and
// read_watch_event(), which finds type and object in one. No object is decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/client/content.hpp>
#include <kube/client/list_splitter.hpp>

namespace kube {

enum class WatchEventType {
  Added,
  Modified,
  Deleted,
  Bookmark,  ///< No change: says how far the watch has come.
  Error,     ///< The server gives up (410: start over with a list), or what it sent makes no sense.
};
std::string_view to_string(WatchEventType type);  ///< "ADDED", ...

/// An event that is not decoded: views into its bytes.
struct WatchEventParts {
  WatchEventType type = WatchEventType::Modified;
  std::string_view object{};  ///< JSON, or protobuf with its envelope.
};

/// Finds type and object in an event.
/// @par Errors   Decode: not an event, one without a type or (in JSON) an object, or of a type that
///   is none of WatchEventType. Such an event ends a watch, whoever reads it: it may be a change.
Result<WatchEventParts> read_watch_event(std::string_view event, Encoding encoding);
/// The same of how an event begins that is too large: its object as far as it is there. The type is
/// Added, Deleted or Modified, which it is if that is not known: a state has been missed.
WatchEventParts read_beginning_of_event(std::string_view event, Encoding encoding);

/// Splits one body, which a server sends in any number of chunks: objects with white space between
/// them in JSON; in protobuf, frames that begin with their length.
///
/// @par Thread safety   Not thread-safe.
/// @par Cost   As ListSplitter.
class WatchSplitter {
 public:
  /// Called for each event, in order, during feed(); an error ends it and is returned.
  using OnEvent = std::function<Result<void>(const BodyPart&)>;
  static std::unique_ptr<WatchSplitter> make(Encoding encoding, OnEvent on_event,
                                             std::size_t max_event = kMaxObjectBytes);

  virtual ~WatchSplitter() = default;
  /// The next bytes of the body.
  /// @par Errors   Decode with the byte in the body, or what OnEvent returned; the splitter must
  ///   not be fed any further then.
  virtual Result<void> feed(std::string_view chunk) = 0;
  /// The size of the event under way, as far as it is known; 0 between events.
  virtual std::uint64_t pending() const = 0;
  /// The body has ended.
  /// @par Errors   Unreachable if that was inside an event, which is lost.
  virtual Result<void> finish() const = 0;
};

}  // namespace kube
