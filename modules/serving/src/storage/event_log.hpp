// SPDX-License-Identifier: Apache-2.0
//
// The history of one resource: the changes of its objects, in order of revision, as far back as its
// limits allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "storage/stored_object.hpp"

namespace kube::serving {

enum class EventType : std::uint8_t { Added, Modified, Deleted };

/// One write. Shared by all watchers, which write the object's own text: an event costs a few words
/// besides the objects.
struct Event {
  std::uint64_t revision;
  EventType type;
  ObjectPtr object;    ///< After the write; for a deletion, the last state.
  ObjectPtr previous;  ///< Before it; null for Added.
};
using EventPtr = std::shared_ptr<const Event>;

/// @par Thread safety   None: the owner's mutex guards it.
class EventLog {
 public:
  struct Bounds {
    std::size_t events;
    std::size_t bytes;  ///< Of objects that only the log holds.
  };
  EventLog(Bounds bounds, std::uint64_t start) : bounds_(bounds), compacted_(start) {}

  /// The revision must be higher than that of the last call.
  void append(EventPtr event);
  /// Drops events up to and including a revision.
  void compact(std::uint64_t revision);

  /// Begins again after a revision, without events.
  void restart(std::uint64_t revision);

  /// Readers from below this may have lost events: they get a 410.
  std::uint64_t compacted() const { return compacted_; }
  /// The newest dropped event; 0 when there is none. A reader that follows the log has lost nothing
  /// unless it is below this.
  std::uint64_t dropped() const { return dropped_; }

  /// Copies at most `max` events with a higher revision, oldest first.
  void read(std::uint64_t after, std::size_t max, std::vector<EventPtr>& out) const;

  /// Calls f(event) for those with a higher revision, newest first.
  template <class F>
  void for_each_newest_first(std::uint64_t after, F&& f) const {
    for (auto at = events_.rbegin(); at != events_.rend() && (*at)->revision > after; ++at) f(**at);
  }

  std::size_t size() const { return events_.size(); }
  /// Of objects that only the log holds.
  std::size_t bytes() const { return bytes_; }

 private:
  void drop_oldest();

  Bounds bounds_;
  std::deque<EventPtr> events_;
  std::size_t bytes_ = 0;
  std::uint64_t compacted_;
  std::uint64_t dropped_ = 0;
};

}  // namespace kube::serving
