// SPDX-License-Identifier: Apache-2.0
#include "reading/watch_session.hpp"

#include <exception>
#include <utility>

#include "documents/errors.hpp"

namespace kube::serving {
namespace {

// Events copied out of the history at a time: enough to fill a buffer, few enough to hold the lock
// briefly.
constexpr std::size_t kEventsAtATime = 128;
// Larger objects have frames that all watches share; smaller ones are written into a frame of this
// watch only, which is faster, up to kMaxOwn.
constexpr std::size_t kSmallObject = std::size_t{2} << 10U;
constexpr std::size_t kMaxOwn = std::size_t{32} << 10U;

}  // namespace

class WatchSession::Batch {
 public:
  Batch(EventFrames& frames, std::size_t limit) : frames_(&frames), limit_(limit) {}

  /// Text of this watch only is appended here.
  std::string& own() { return own_; }
  void add_shared(FramePtr frame) {
    close_own();
    size_ += frame->size();
    const std::string_view bytes = *frame;
    done_.push_back({bytes, std::move(frame)});
  }

  void add_constant(std::string_view bytes) {
    close_own();
    size_ += bytes.size();
    done_.push_back({bytes, nullptr});
  }

  void add_borrowed(Slice slice) {
    close_own();
    size_ += slice.bytes.size();
    borrowed_bytes_ += slice.bytes.size();
    done_.push_back(std::move(slice));
  }

  std::size_t borrowed_bytes() const { return borrowed_bytes_; }
  bool empty() const { return done_.empty() && own_.empty(); }
  bool full() const { return size_ + own_.size() >= limit_ || own_size_ + own_.size() >= kMaxOwn; }
  std::vector<Slice> take() {
    close_own();
    return std::move(done_);
  }

 private:
  void close_own() {
    if (own_.empty()) return;
    size_ += own_.size();
    own_size_ += own_.size();
    FramePtr frame = frames_->own(std::move(own_));
    const std::string_view bytes = *frame;
    done_.push_back({bytes, std::move(frame)});
    own_ = {};
  }

  EventFrames* frames_;
  std::size_t limit_;
  std::vector<Slice> done_;
  std::string own_;
  std::size_t size_ = 0;
  std::size_t own_size_ = 0;
  std::size_t borrowed_bytes_ = 0;
};

WatchSession::WatchSession(Start start)
    : start_(std::move(start)), position_(start_.from), epoch_(start_.epoch) {
  if (start_.watchers) start_.watchers->fetch_add(1, std::memory_order_relaxed);
  if (start_.initial_events && !start_.error) {
    SharedSnapshot now = start_.collection->shared_snapshot(start_.scope);
    initial_ = start_.collection->hold(now.revision, std::move(now.objects));
    position_ = now.revision;
  }
}

WatchSession::~WatchSession() {
  if (waker_) start_.collection->forget(waker_, start_.scope);
  if (start_.watchers) start_.watchers->fetch_sub(1, std::memory_order_relaxed);
  start_.frames->count_borrowed(borrowed_bytes_, 0);
}

void WatchSession::attach(Executor& timers, std::function<void()> wake) {
  waker_ = std::make_shared<const Waker>(std::move(wake));
  const auto self = weak_from_this();
  deadline_ = timers.submit_after(start_.timeout, [self] {
    if (const auto session = self.lock()) session->end();
  });
  if (!start_.bookmarks) return;
  arm_bookmark(timers, start_.bookmark_delay);
  // A last bookmark shortly before the end lets the client resume from near the end.
  constexpr Duration kBeforeEnd = std::chrono::seconds(2);
  if (start_.timeout > kBeforeEnd) {
    last_bookmark_ = timers.submit_after(start_.timeout - kBeforeEnd, [self] {
      if (const auto session = self.lock()) session->bookmark();
    });
  }
}

void WatchSession::arm_bookmark(Executor& timers, Duration delay) {
  const MutexLock lock(timer_mutex_);
  bookmark_timer_ = timers.submit_after(delay, [self = weak_from_this(), &timers] {
    const auto session = self.lock();
    if (!session || session->ending_.load()) return;
    session->bookmark();
    session->arm_bookmark(timers, session->start_.bookmark_period);
  });
}

void WatchSession::bookmark() {
  if (!start_.bookmarks || !waker_) return;
  bookmark_due_.store(true);
  waker_->wake();
}

void WatchSession::end() {
  ending_.store(true);
  if (waker_) waker_->wake();
}

WatchSession::State WatchSession::pump(std::vector<Slice>& out) {
  Batch batch(*start_.frames, start_.buffer);
  State state = State::End;
  try {
    state = fill(batch);
  } catch (const std::exception& thrown) {
    // An object does not have the form that was asked for. The client must not wait for ever.
    batch = Batch(*start_.frames, start_.buffer);
    state = finish_with(meta::status_json(meta::internal_error(thrown.what())), batch);
  }
  start_.frames->count_borrowed(std::exchange(borrowed_bytes_, batch.borrowed_bytes()),
                                batch.borrowed_bytes());
  out = batch.take();
  return state;
}

WatchSession::State WatchSession::fill(Batch& batch) {
  if (finished_ || ending_.load()) return State::End;
  if (start_.error) return finish_with(*start_.error, batch);
  if (initial_) {
    if (append_initial(batch) == State::End) return State::End;
    if (!batch.empty()) return State::Data;
  }
  while (!batch.full()) {
    Collection::Events events;
    const ReadError error =
        start_.collection->read(position_, kEventsAtATime, waker_, events, epoch_, start_.scope);
    if (error == ReadError::Expired) {
      return finish_expired(batch, events.oldest);
    }
    // Asked after they were read: they may be those of a type with the same name.
    const Presence presence = start_.presence ? start_.presence() : Presence::Same;
    if (presence == Presence::Another) {
      ending_.store(true);
      break;
    }
    if (events.events.empty()) {
      // The client has seen everything up to this revision. A watch from the future stays at its
      // revision.
      position_ = events.revision;
      if (presence == Presence::Gone) ending_.store(true);
      const std::uint64_t now = start_.collection->revision();
      if (bookmark_due_.load() && position_ <= now) {
        bookmark_due_.store(false);
        send_bookmark(false, batch);
      }
      break;
    }
    append_events(events.events, batch);
  }
  if (!batch.empty()) return State::Data;
  return ending_.load() ? State::End : State::Idle;
}

void WatchSession::send(EventType type, const ObjectPtr& shared, std::uint64_t revision,
                        Batch& batch) {
  if (start_.events_sent) start_.events_sent->fetch_add(1, std::memory_order_relaxed);
  const StoredObject& object = *shared;
  if (object.borrowed) {
    if (const auto around =
            start_.encoding->around_event(*start_.resource, type, object, revision)) {
      batch.own() += around->before;
      batch.add_borrowed({around->bytes, shared});
      batch.add_constant(around->after);
      first_ = false;
      return;
    }
  }
  const auto encode = [&](std::string& out) {
    start_.encoding->event(*start_.resource, type, object, revision, first_, out);
  };
  if (object.size() > kSmallObject && start_.encoding->encodes_alike()) {
    batch.add_shared(
        start_.frames->share({revision, type, start_.resource, start_.encoding}, encode));
  } else {
    encode(batch.own());
  }
  first_ = false;
}

void WatchSession::send_bookmark(bool initial_end, Batch& batch) {
  start_.encoding->bookmark(*start_.resource, position_, initial_end, first_, batch.own());
  first_ = false;
}

WatchSession::State WatchSession::append_initial(Batch& batch) {
  const SharedObjects objects = initial_->objects();
  if (!objects || start_.collection->epoch() != epoch_) {
    initial_.reset();
    std::uint64_t oldest = 0;
    static_cast<void>(start_.collection->check_start(position_, oldest));
    return finish_expired(batch, oldest);
  }
  while (initial_at_ < objects->size() && !batch.full()) {
    const ObjectPtr& object = (*objects)[initial_at_++];
    if (start_.selection.matches(*object)) {
      send(EventType::Added, object, object->revision, batch);
    }
  }
  if (initial_at_ < objects->size()) return State::Data;
  initial_.reset();
  if (start_.initial_end_marker) {
    send_bookmark(true, batch);
  }
  return State::Data;
}

void WatchSession::append_events(const std::vector<EventPtr>& events, Batch& batch) {
  for (const EventPtr& event : events) {
    append_event(*event, batch);
    position_ = event->revision;
    if (batch.full()) return;
  }
}

bool WatchSession::in_scope(const StoredObject& object) const {
  return start_.scope.namespace_.empty() || object.namespace_ == start_.scope.namespace_;
}

// The meaning of a write for this watch depends on whether the object was selected before and after
// it.
void WatchSession::append_event(const Event& event, Batch& batch) {
  if (!in_scope(*event.object)) return;
  const bool is = event.type != EventType::Deleted && start_.selection.matches(*event.object);
  const bool was = event.previous && start_.selection.matches(*event.previous);
  if (!is && !was) return;
  if (is) {
    const EventType type = was ? EventType::Modified : EventType::Added;
    send(type, event.object, event.revision, batch);
  } else {
    // Deleted, or no longer selected: the last selected state, at the revision of the change. What
    // another server has sent for a deletion has it already.
    const bool has_revision = event.type == EventType::Deleted && event.object->borrowed;
    const ObjectPtr& last = has_revision ? event.object : event.previous;
    send(EventType::Deleted, last, event.revision, batch);
  }
}

WatchSession::State WatchSession::finish_expired(Batch& batch, std::uint64_t oldest) {
  return finish_with(meta::status_json(too_old(position_, oldest)), batch);
}

WatchSession::State WatchSession::finish_with(const json::Value& status, Batch& batch) {
  start_.encoding->error_event(status, batch.own());
  finished_ = true;
  return State::End;
}

}  // namespace kube::serving
