// SPDX-License-Identifier: Apache-2.0
//
// SeededExecutor: runs tasks one at a time, in an order that a seed decides, on a clock that jumps.
#include <stdexcept>
#include <vector>

#include <kube/base/executor.hpp>

#include "timer_queue.hpp"

namespace kube {
namespace {

/// SplitMix64: the same numbers on every platform, unlike the standard's distributions.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

// Not zero, so that tests find code that takes the epoch for "never".
constexpr TimePoint kStart{std::chrono::hours(1)};
constexpr WallTime kWallStart{std::chrono::seconds(1'767'225'600)};  // 2026-01-01T00:00:00Z

}  // namespace

struct SeededExecutor::Impl : std::enable_shared_from_this<Impl> {
  class VirtualClock final : public Clock {
   public:
    TimePoint now() const override { return now_; }
    WallTime wall_now() const override { return kWallStart + (now_ - kStart); }
    WaitStatus wait_until(MutexLock& lock, CondVar& cv, TimePoint deadline, std::stop_token stop,
                          const std::function<bool()>& holds) override;

    void bind(const std::shared_ptr<Impl>& executor) { executor_ = executor; }
    void move_to(TimePoint when) { now_ = when; }

   private:
    TimePoint now_ = kStart;
    std::weak_ptr<Impl> executor_;
  };

  // Two streams, so that drawing a jitter does not reshuffle the schedule.
  explicit Impl(std::uint64_t seed) : order(seed), draws(~seed) {}

  void submit(detail::ReadyTask task) {
    if (!stopped) ready.push_back(std::move(task));
  }
  void cancel(detail::TimerEntry& entry) { const Task dropped = timers.cancel(entry); }
  void promote_due_timers() {
    while (std::shared_ptr<detail::TimerEntry> due = timers.pop_due(clock->now())) {
      ready.push_back({nullptr, std::move(due)});
    }
  }
  bool run_one_ready();
  bool step(TimePoint limit);
  void stop();

  const std::shared_ptr<VirtualClock> clock = std::make_shared<VirtualClock>();
  const std::shared_ptr<Clock> clock_handle = clock;
  SplitMix64 order;
  SplitMix64 draws;
  std::vector<detail::ReadyTask> ready;
  detail::TimerQueue timers;
  std::uint64_t failed = 0;
  bool stopped = false;
};

/// With one thread, only tasks that run during the wait can end it.
KUBE_NO_THREAD_SAFETY_ANALYSIS
WaitStatus SeededExecutor::Impl::VirtualClock::wait_until(MutexLock& lock, CondVar& /*cv*/,
                                                          TimePoint deadline, std::stop_token stop,
                                                          const std::function<bool()>& holds) {
  while (!holds()) {
    if (stop.stop_requested()) return WaitStatus::Stopped;
    if (now_ >= deadline) return WaitStatus::TimedOut;
    lock.unlock();
    const std::shared_ptr<Impl> owner = executor_.lock();
    const bool progress = owner && owner->step(deadline);
    lock.lock();
    if (progress) continue;
    if (deadline == TimePoint::max()) {
      throw std::logic_error(
          "SeededExecutor: a wait without a deadline, and no task or timer is left to end it");
    }
    now_ = deadline;
  }
  return WaitStatus::Ready;
}

/// Runs a task picked at random. Cancelled timers do not count as tasks.
bool SeededExecutor::Impl::run_one_ready() {
  promote_due_timers();
  while (!ready.empty()) {
    const auto index = static_cast<std::size_t>(order.next() % ready.size());
    std::swap(ready[index], ready.back());
    Task task = ready.back().take();
    ready.pop_back();
    if (!task) continue;
    try {
      task();
    } catch (...) {
      ++failed;
    }
    return true;
  }
  return false;
}

/// Runs one task, or moves time to the next timer, which must not be after `limit`.
bool SeededExecutor::Impl::step(TimePoint limit) {
  if (run_one_ready()) return true;
  if (timers.empty() || timers.earliest() > limit) return false;
  if (timers.earliest() == TimePoint::max()) return false;  // never
  clock->move_to(timers.earliest());
  return true;
}

void SeededExecutor::Impl::stop() {
  stopped = true;
  // Destroying a task may cancel timers of other tasks.
  std::vector<detail::ReadyTask> dropped = std::move(ready);
  ready.clear();
  for (detail::ReadyTask& task : dropped) const Task one = task.take();
  const std::vector<Task> dropped_timers = timers.clear();
}

SeededExecutor::SeededExecutor(std::uint64_t seed) : impl_(std::make_shared<Impl>(seed)) {
  impl_->clock->bind(impl_);
}

SeededExecutor::~SeededExecutor() {
  impl_->stop();
}

void SeededExecutor::stop() {
  impl_->stop();
}

void SeededExecutor::submit(Task task) {
  impl_->submit({std::move(task), nullptr});
}

Timer SeededExecutor::submit_at(TimePoint when, Task task) {
  if (impl_->stopped) return Timer();
  auto timer = std::make_shared<detail::ExecutorTimer<Impl>>(impl_);
  timer->when = when;
  timer->task = std::move(task);
  impl_->timers.insert(timer);
  return Timer(std::move(timer));
}

const std::shared_ptr<Clock>& SeededExecutor::clock() const {
  return impl_->clock_handle;
}

bool SeededExecutor::step() {
  return impl_->step(TimePoint::max());
}

std::size_t SeededExecutor::run_ready() {
  std::size_t count = 0;
  while (impl_->run_one_ready()) ++count;
  return count;
}

void SeededExecutor::run_for(Duration duration) {
  const TimePoint end = deadline_after(impl_->clock->now(), duration);
  while (impl_->step(end)) {
  }
  if (end != TimePoint::max() && impl_->clock->now() < end) impl_->clock->move_to(end);
}

bool SeededExecutor::run_until(const std::function<bool()>& done, std::size_t limit) {
  for (std::size_t i = 0; i < limit; ++i) {
    if (done()) return true;
    if (!step()) break;
  }
  return done();
}

std::uint64_t SeededExecutor::random() {
  return impl_->draws.next();
}

std::uint64_t SeededExecutor::failed_tasks() const {
  return impl_->failed;
}

}  // namespace kube
