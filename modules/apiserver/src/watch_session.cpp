// SPDX-License-Identifier: Apache-2.0
#include "watch_session.hpp"

#include <utility>

#include "errors.hpp"

namespace kube::apiserver {
namespace {

// Events copied out of the history at a time: enough to fill a buffer, little to hold the lock for.
constexpr std::size_t batch = 128;

}  // namespace

WatchSession::WatchSession(Start start) : start_(std::move(start)), position_(start_.from) {
  if (start_.watchers) start_.watchers->fetch_add(1, std::memory_order_relaxed);
  if (start_.initial_events && !start_.error) {
    initial_ = start_.collection->snapshot(start_.scope);
    position_ = initial_.revision;
    initial_done_ = false;
  }
}

WatchSession::~WatchSession() {
  if (waker_) start_.collection->forget(waker_);
  if (start_.watchers) start_.watchers->fetch_sub(1, std::memory_order_relaxed);
}

void WatchSession::attach(Executor& timers, std::function<void()> wake) {
  waker_ = std::make_shared<const Waker>(std::move(wake));
  const auto self = weak_from_this();
  deadline_ = timers.submit_after(start_.timeout, [self] {
    if (const auto session = self.lock()) session->end();
  });
  if (!start_.bookmarks) return;
  arm_bookmark(timers, start_.bookmark_delay);
  // A last one shortly before the end lets the client resume from near the end.
  constexpr Duration before_end = std::chrono::seconds(2);
  if (start_.timeout > before_end) {
    last_bookmark_ = timers.submit_after(start_.timeout - before_end, [self] {
      const auto session = self.lock();
      if (!session) return;
      session->bookmark_due_.store(true);
      session->waker_->wake();
    });
  }
}

void WatchSession::arm_bookmark(Executor& timers, Duration delay) {
  const MutexLock lock(timer_mutex_);
  bookmark_timer_ = timers.submit_after(delay, [self = weak_from_this(), &timers] {
    const auto session = self.lock();
    if (!session || session->ending_.load()) return;
    session->bookmark_due_.store(true);
    session->waker_->wake();
    session->arm_bookmark(timers, session->start_.bookmark_period);
  });
}

void WatchSession::end() {
  ending_.store(true);
  if (waker_) waker_->wake();
}

WatchSession::State WatchSession::pump(std::string& out) {
  if (finished_ || ending_.load()) return State::End;
  if (start_.error) {
    finish_with(*start_.error, out);
    return State::End;
  }
  const std::size_t before = out.size();
  if (!initial_done_) {
    append_initial(out);
    if (out.size() > before) return State::Data;
  }
  while (out.size() - before < start_.buffer) {
    Collection::Events events;
    if (start_.collection->read(position_, batch, waker_, events) == ReadError::Expired) {
      finish_with(meta::status_json(too_old(position_, events.oldest)), out);
      return State::End;
    }
    if (events.events.empty()) {
      // Everything up to this revision has been told, if only by silence. A watch from the future
      // stays where it is.
      position_ = events.revision;
      const std::uint64_t now = start_.collection->revision();
      if (bookmark_due_.load() && position_ <= now) {
        bookmark_due_.store(false);
        send_bookmark(false, out);
      }
      break;
    }
    append_events(events.events, out);
  }
  return out.size() > before ? State::Data : State::Idle;
}

void WatchSession::send(EventType type, const StoredObject& object, std::uint64_t revision,
                        std::string& out) {
  start_.encoding->event(*start_.resource, type, object, revision, first_, out);
  first_ = false;
  if (start_.events_sent) start_.events_sent->fetch_add(1, std::memory_order_relaxed);
}

void WatchSession::send_bookmark(bool initial_end, std::string& out) {
  start_.encoding->bookmark(*start_.resource, position_, initial_end, first_, out);
  first_ = false;
}

void WatchSession::append_initial(std::string& out) {
  const std::size_t before = out.size();
  while (initial_at_ < initial_.objects.size() && out.size() - before < start_.buffer) {
    const ObjectPtr object = std::move(initial_.objects[initial_at_++]);
    if (!start_.selection.matches(*object)) continue;
    send(EventType::Added, *object, object->revision, out);
  }
  if (initial_at_ < initial_.objects.size()) return;
  initial_done_ = true;
  initial_.objects = {};
  if (start_.initial_end_marker) {
    send_bookmark(true, out);
  }
}

void WatchSession::append_events(const std::vector<EventPtr>& events, std::string& out) {
  const std::size_t before = out.size();
  for (const EventPtr& event : events) {
    append_event(*event, out);
    position_ = event->revision;
    if (out.size() - before >= start_.buffer) return;
  }
}

bool WatchSession::in_scope(const StoredObject& object) const {
  return start_.scope.namespace_.empty() || object.namespace_ == start_.scope.namespace_;
}

// What a write means to this watch depends on whether the object was selected before and after it.
void WatchSession::append_event(const Event& event, std::string& out) {
  if (!in_scope(*event.object)) return;
  const bool is = event.type != EventType::Deleted && start_.selection.matches(*event.object);
  const bool was = event.previous && start_.selection.matches(*event.previous);
  if (!is && !was) return;
  if (is) {
    const EventType type = was ? EventType::Modified : EventType::Added;
    send(type, *event.object, event.revision, out);
  } else {
    // Gone, or out of the selection: the last selected state, at the revision of the change.
    send(EventType::Deleted, *event.previous, event.revision, out);
  }
}

void WatchSession::finish_with(const json::Value& status, std::string& out) {
  start_.encoding->error_event(status, out);
  finished_ = true;
}

}  // namespace kube::apiserver
