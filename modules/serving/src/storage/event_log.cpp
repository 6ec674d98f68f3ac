// SPDX-License-Identifier: Apache-2.0
#include "storage/event_log.hpp"

#include <algorithm>

namespace kube::serving {
namespace {

// The bytes that only the log keeps alive: the state that the write replaced or removed.
std::size_t held_bytes(const Event& event) {
  return event.previous ? event.previous->size() : 0;
}

}  // namespace

void EventLog::append(EventPtr event) {
  bytes_ += held_bytes(*event);
  events_.push_back(std::move(event));
  while (events_.size() > bounds_.events || (bytes_ > bounds_.bytes && events_.size() > 1)) {
    drop_oldest();
  }
}

void EventLog::compact(std::uint64_t revision) {
  while (!events_.empty() && events_.front()->revision <= revision) drop_oldest();
  compacted_ = std::max(compacted_, revision);
}

void EventLog::restart(std::uint64_t revision) {
  events_.clear();
  bytes_ = 0;
  compacted_ = revision;
  dropped_ = revision;
}

void EventLog::read(std::uint64_t after, std::size_t max, std::vector<EventPtr>& out) const {
  // A reader is nearly always at the end, or the log is short: check that first.
  auto first = events_.end();
  if (!events_.empty() && events_.back()->revision > after) {
    first = std::upper_bound(
        events_.begin(), events_.end(), after,
        [](std::uint64_t revision, const EventPtr& event) { return revision < event->revision; });
  }
  const auto left = static_cast<std::size_t>(events_.end() - first);
  out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(std::min(max, left)));
}

void EventLog::drop_oldest() {
  const EventPtr oldest = std::move(events_.front());
  events_.pop_front();
  bytes_ -= held_bytes(*oldest);
  dropped_ = oldest->revision;
  compacted_ = std::max(compacted_, dropped_);
}

}  // namespace kube::serving
