// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::FakeClock: time that stands still until the test moves it.
//
//   FakeClock clock;
//   std::jthread worker([&](std::stop_token stop) { clock.sleep_for(1h, stop); });
//   clock.await_deadline(clock.now() + 1h);  // the worker does sleep
//   clock.advance(1h);                       // and sees that its hour is over
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>

#include <kube/base/clock.hpp>

namespace kube::testing {

/// A Clock under the test's control.
///
/// A thread that waits in this clock either waits for a time, which advance() can end, or without a
/// deadline (TimePoint::max()) for what another thread does: a call that is blocked, a worker
/// without work. Only the former are waiters. An executor's thread is one while it waits for the
/// executor's earliest timer, however many timers there are; its idle threads are none.
///
/// The await functions give up after 30 s of real time, so that a broken test fails instead of
/// hanging.
///
/// @par Thread safety   All functions may be called from any thread. advance() and the await
///   functions take the locks that the waiting threads wait with, and call what they wait for: the
///   caller holds none of these locks.
class FakeClock final : public Clock {
 public:
  /// Starts an hour after the monotonic epoch, at 2026-01-01T00:00:00Z.
  FakeClock();
  ~FakeClock() override;
  FakeClock(const FakeClock&) = delete;
  FakeClock& operator=(const FakeClock&) = delete;

  TimePoint now() const override;
  WallTime wall_now() const override;
  WaitStatus wait_until(MutexLock& lock, CondVar& cv, TimePoint deadline, std::stop_token stop,
                        const std::function<bool()>& ready) override;

  /// Moves both times forward and wakes every waiting thread. On return each of them has checked
  /// its condition and its deadline against the new time; those whose deadline has passed have left
  /// their wait. What they do next is not waited for: await_waiters() can do that.
  /// @pre `duration` is not negative.
  void advance(Duration duration);

  /// Sets what wall_now() tells, backwards too; now() and waits are not touched.
  void set_wall(WallTime wall);

  /// Blocks until at least `count` threads wait in this clock for a time, with no reason to wake
  /// up: a thread whose condition holds, whose deadline has passed or that was asked to stop does
  /// not count, although it may not have woken yet. With a `stop` that was requested before it
  /// looks once.
  /// @return   False when `stop` or the bound ended it.
  bool await_waiters(std::size_t count, std::stop_token stop = {});

  /// Blocks until a thread waits for exactly this time, in the sense of await_waiters(): the sleep
  /// that is meant, and not a timer of somebody else. Of an executor's timers only the earliest
  /// can be seen.
  /// @return   False when `stop` or the bound ended it.
  bool await_deadline(TimePoint deadline, std::stop_token stop = {});

  /// Blocks until at least `count` threads wait in this clock, be it for a time or without a
  /// deadline, in the sense of await_waiters(): all the threads of a pool have come to rest, a
  /// blocking call does block.
  /// @return   False when `stop` or the bound ended it.
  bool await_blocked(std::size_t count, std::stop_token stop = {});

  /// Threads that wait for a time at this moment, those about to wake up included.
  std::size_t waiters() const;

 private:
  struct Waiter;

  void note_change() KUBE_REQUIRES(mutex_);
  bool await(std::size_t count, const std::function<bool(TimePoint deadline)>& counts,
             const std::stop_token& stop);
  std::map<std::uint64_t, Waiter*> pin_all() KUBE_REQUIRES(mutex_);
  void unpin(Waiter& waiter) KUBE_EXCLUDES(mutex_);
  bool leave(Waiter& waiter, MutexLock& lock) KUBE_EXCLUDES(mutex_);

  mutable Mutex mutex_;  // taken after a waiter's own lock, never before it
  CondVar changed_;
  TimePoint now_ KUBE_GUARDED_BY(mutex_);
  WallTime wall_ KUBE_GUARDED_BY(mutex_);
  std::uint64_t epoch_ KUBE_GUARDED_BY(mutex_) = 0;    // calls of advance()
  std::uint64_t changes_ KUBE_GUARDED_BY(mutex_) = 0;  // a waiter came, went or looked in vain
  std::uint64_t next_id_ KUBE_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, Waiter*> waiters_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::testing
