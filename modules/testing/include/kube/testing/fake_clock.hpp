// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::FakeClock: time that only the test moves.
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
/// A thread waits in this clock for a time, which advance() can end, or without a deadline
/// (TimePoint::max()) for another thread, as a blocked call or an idle worker does. Only the former
/// are waiters. An executor has one waiter while a thread of it waits for its earliest timer; its
/// idle threads are not waiters.
///
/// The await functions give up after kPatience of real time, so that a broken test fails instead of
/// hanging.
///
/// @par Thread safety   All functions may be called from any thread. advance(), waiters() and the
///   await functions take the locks with which threads wait, and call their conditions: the caller
///   must hold none of these locks.
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
  /// its condition and its deadline against the new time, and those whose deadline has passed have
  /// left their wait. It does not wait for what they do next; await_waiters() can.
  /// @par Blocks   Until then.
  /// @pre `duration` is not negative.
  void advance(Duration duration);

  /// Sets wall_now(), backwards too. now() and waits do not change.
  void set_wall(WallTime wall);

  /// Waits until at least `count` threads wait in this clock for a time and have no reason to wake
  /// up: a thread whose condition holds, whose deadline has passed or whose stop was requested does
  /// not count, although it may not have woken yet. When `stop` was requested before the call, it
  /// checks once.
  /// @par Blocks   Until then.
  /// @return   false when `stop` or the time limit ended the wait.
  bool await_waiters(std::size_t count, std::stop_token stop = {});

  /// Waits until a thread waits for exactly this time, in the sense of await_waiters(). Only the
  /// earliest timer of an executor is visible.
  /// @par Blocks   Until then.
  /// @return   false when `stop` or the time limit ended the wait.
  bool await_deadline(TimePoint deadline, std::stop_token stop = {});

  /// Waits until at least `count` threads wait in this clock, with or without a deadline, in the
  /// sense of await_waiters(): all threads of a pool are idle, or a call blocks.
  /// @par Blocks   Until then.
  /// @return   false when `stop` or the time limit ended the wait.
  bool await_blocked(std::size_t count, std::stop_token stop = {});

  /// Returns the number of threads that now sleep until a time, in the sense of await_waiters():
  /// without those that wait for another thread, and without those that are about to wake up.
  std::size_t waiters() const;

 private:
  struct Waiter;

  using Waiters = std::map<std::uint64_t, Waiter*>;

  void note_change() KUBE_REQUIRES(mutex_);
  bool await(std::size_t count, const std::function<bool(TimePoint deadline)>& counts,
             const std::stop_token& stop);
  /// The waiters that count and have no reason to wake up; `pinned` are unpinned.
  std::size_t count_asleep(Waiters& pinned,
                           const std::function<bool(TimePoint deadline)>& counts) const;
  Waiters pin_all() const KUBE_REQUIRES(mutex_);
  void unpin(Waiter& waiter) const KUBE_EXCLUDES(mutex_);
  bool leave(Waiter& waiter, MutexLock& lock) KUBE_EXCLUDES(mutex_);

  mutable Mutex mutex_;  // taken after a waiter's own lock, never before it
  mutable CondVar changed_;
  TimePoint now_ KUBE_GUARDED_BY(mutex_);
  WallTime wall_ KUBE_GUARDED_BY(mutex_);
  std::uint64_t epoch_ KUBE_GUARDED_BY(mutex_) = 0;  // calls of advance()
  std::uint64_t changes_ KUBE_GUARDED_BY(mutex_) =
      0;  // waiters that began, ended or checked without success
  std::uint64_t next_id_ KUBE_GUARDED_BY(mutex_) = 0;
  Waiters waiters_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::testing
