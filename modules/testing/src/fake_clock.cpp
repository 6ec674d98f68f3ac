// SPDX-License-Identifier: Apache-2.0
//
// No wake-up is lost: a waiting thread checks its condition and the time, then sleeps on its
// owner's condition variable, and advance() must not run in between. Therefore
//   1. a waiter holds its own lock from the check until it sleeps, and advance() takes that lock
//      once between moving the time and notifying: the waiter is then asleep, or will check again;
//   2. each move of time has a number, and a waiter that continues to wait notes the number of the
//      time it has checked: advance() returns when every waiter it found has noted it or has left;
//   3. advance() pins the waiters whose lock and condition variable it uses; a pinned waiter does
//      not leave, and releases its lock meanwhile so that advance() can take it.
#include <kube/testing/fake_clock.hpp>

#include <cassert>
#include <chrono>

#include <kube/testing/eventually.hpp>

namespace kube::testing {
namespace {

constexpr TimePoint kStart{std::chrono::hours(1)};
constexpr WallTime kWallStart{std::chrono::seconds(1'767'225'600)};  // 2026-01-01T00:00:00Z

bool is_time(TimePoint deadline) {
  return deadline != TimePoint::max();
}

}  // namespace

struct FakeClock::Waiter {
  Mutex& mutex;
  CondVar& cv;
  const TimePoint deadline;
  const std::function<bool()>& ready;
  const std::stop_token& stop;
  // Guarded by FakeClock::mutex_.
  std::uint64_t id = 0;
  std::uint64_t seen = 0;
  std::size_t pins = 0;
  bool registered = false;
};

FakeClock::FakeClock() : now_(kStart), wall_(kWallStart) {}
FakeClock::~FakeClock() = default;

TimePoint FakeClock::now() const {
  MutexLock lock(mutex_);
  return now_;
}

WallTime FakeClock::wall_now() const {
  MutexLock lock(mutex_);
  return wall_;
}

std::size_t FakeClock::waiters() const {
  Waiters candidates;
  {
    MutexLock lock(mutex_);
    candidates = pin_all();
  }
  return count_asleep(candidates, is_time);
}

void FakeClock::set_wall(WallTime wall) {
  MutexLock lock(mutex_);
  wall_ = wall;
}

WaitStatus FakeClock::wait_until(MutexLock& lock, CondVar& cv, TimePoint deadline,
                                 std::stop_token stop, const std::function<bool()>& ready) {
  Waiter self{lock.mutex(), cv, deadline, ready, stop};
  for (;;) {
    if (ready()) {
      if (leave(self, lock)) return WaitStatus::Ready;
      continue;
    }
    if (stop.stop_requested()) {
      if (leave(self, lock)) return WaitStatus::Stopped;
      continue;
    }
    bool timed_out = false;
    {
      MutexLock own(mutex_);
      timed_out = now_ >= deadline;
      if (!timed_out) {
        self.seen = epoch_;
        if (!self.registered) {
          self.id = next_id_++;
          self.registered = true;
          waiters_.emplace(self.id, &self);
        }
        note_change();
      }
    }
    if (timed_out) {
      if (leave(self, lock)) return WaitStatus::TimedOut;
      continue;
    }
    cv.wait(lock, stop, [&] {
      MutexLock own(mutex_);
      if (epoch_ != self.seen) return true;
      note_change();
      own.unlock();
      return ready();
    });
  }
}

/// False when it waited for a pin: `lock` was released meanwhile, so everything may have changed.
KUBE_NO_THREAD_SAFETY_ANALYSIS
bool FakeClock::leave(Waiter& waiter, MutexLock& lock) {
  MutexLock own(mutex_);
  if (!waiter.registered) return true;
  const bool pinned = waiter.pins != 0;
  if (pinned) {
    own.unlock();
    lock.unlock();
    own.lock();
    while (waiter.pins != 0) changed_.wait(own);
  }
  waiters_.erase(waiter.id);
  waiter.registered = false;
  note_change();
  if (!pinned) return true;
  own.unlock();
  lock.lock();
  return false;
}

void FakeClock::note_change() {
  ++changes_;
  changed_.notify_all();
}

FakeClock::Waiters FakeClock::pin_all() const {
  for (const auto& [id, waiter] : waiters_) ++waiter->pins;
  return waiters_;
}

void FakeClock::unpin(Waiter& waiter) const {
  MutexLock lock(mutex_);
  --waiter.pins;
  changed_.notify_all();
}

void FakeClock::advance(Duration duration) {
  assert(duration >= Duration::zero());
  Waiters touched;
  std::uint64_t epoch = 0;
  {
    MutexLock lock(mutex_);
    now_ = deadline_after(now_, duration);
    wall_ += duration;
    epoch = ++epoch_;
    touched = pin_all();
  }
  for (auto& [id, waiter] : touched) {
    { MutexLock asleep_or_checking_again(waiter->mutex); }
    waiter->cv.notify_all();
    unpin(*waiter);
  }
  MutexLock lock(mutex_);
  for (const auto& [id, waiter] : touched) {
    for (;;) {
      const auto found = waiters_.find(id);
      if (found == waiters_.end() || found->second->seen >= epoch) break;
      changed_.wait(lock);
    }
  }
}

bool FakeClock::await_waiters(std::size_t count, std::stop_token stop) {
  return await(count, is_time, stop);
}

bool FakeClock::await_deadline(TimePoint deadline, std::stop_token stop) {
  return await(
      1, [deadline](TimePoint each) { return each == deadline; }, stop);
}

bool FakeClock::await_blocked(std::size_t count, std::stop_token stop) {
  return await(
      count, [](TimePoint) { return true; }, stop);
}

std::size_t FakeClock::count_asleep(Waiters& pinned,
                                    const std::function<bool(TimePoint deadline)>& counts) const {
  std::size_t asleep = 0;
  for (auto& [id, waiter] : pinned) {
    if (counts(waiter->deadline)) {
      MutexLock lock(waiter->mutex);
      const bool wakes =
          now() >= waiter->deadline || waiter->stop.stop_requested() || waiter->ready();
      if (!wakes) ++asleep;
    }
    unpin(*waiter);
  }
  return asleep;
}

bool FakeClock::await(std::size_t count, const std::function<bool(TimePoint deadline)>& counts,
                      const std::stop_token& stop) {
  const auto patience = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    Waiters candidates;
    std::uint64_t seen = 0;
    {
      MutexLock lock(mutex_);
      candidates = pin_all();
      seen = changes_;
    }
    if (count_asleep(candidates, counts) >= count) return true;
    if (stop.stop_requested() || std::chrono::steady_clock::now() >= patience) return false;
    // The time limit is for a condition that changes without a notification.
    MutexLock lock(mutex_);
    changed_.wait_for(lock, stop, std::chrono::milliseconds(2),
                      [this, seen]() KUBE_REQUIRES(mutex_) { return changes_ != seen; });
  }
}

}  // namespace kube::testing
