// SPDX-License-Identifier: Apache-2.0
//
// The history of one resource: what happened to its objects, in order of revision, as far back as
// its bounds allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "storage/stored_object.hpp"

namespace kube::apiserver {

enum class EventType : std::uint8_t { Added, Modified, Deleted };

/// One write. Shared by all watchers, which write the object's own text: an event costs a few words
/// beside the objects.
struct Event {
  std::uint64_t revision;
  EventType type;
  ObjectPtr object;    ///< After the write; of a deletion, the last state.
  ObjectPtr previous;  ///< Before it; null for Added.
};
using EventPtr = std::shared_ptr<const Event>;

/// @par Thread safety   None: the owner's mutex guards it.
class EventLog {
 public:
  struct Bounds {
    std::size_t events;
    std::size_t bytes;  ///< Of objects that nothing but the log holds.
  };
  EventLog(Bounds bounds, std::uint64_t start) : bounds_(bounds), compacted_(start) {}

  /// Revisions rise from call to call.
  void append(EventPtr event);
  /// Forgets events up to and including a revision.
  void compact(std::uint64_t revision);

  /// Readers from below this have lost events, or may have: they get 410.
  std::uint64_t compacted() const { return compacted_; }
  /// The newest event that is forgotten; 0 when none was. A reader that follows the log has lost
  /// nothing unless it is below this.
  std::uint64_t dropped() const { return dropped_; }

  /// Copies at most `max` events with a higher revision, oldest first.
  void read(std::uint64_t after, std::size_t max, std::vector<EventPtr>& out) const;

  /// Calls f(event) for those with a higher revision, newest first.
  template <class F>
  void for_each_newest_first(std::uint64_t after, F&& f) const {
    for (auto at = events_.rbegin(); at != events_.rend() && (*at)->revision > after; ++at) f(**at);
  }

  std::size_t size() const { return events_.size(); }

 private:
  void drop_oldest();

  Bounds bounds_;
  std::deque<EventPtr> events_;
  std::size_t bytes_ = 0;
  std::uint64_t compacted_;
  std::uint64_t dropped_ = 0;
};

}  // namespace kube::apiserver
