// SPDX-License-Identifier: Apache-2.0
#include <kube/base/stop.hpp>

#include <string>

namespace kube {

void StopGroup::add(const std::stop_token& parent) {
  if (!parent.stop_possible()) return;
  if (parent.stop_requested()) {
    request_stop();
    return;
  }
  // Made outside the lock: if the parent stops now, the constructor runs the callback, which must
  // not happen under the lock.
  std::list<std::stop_callback<StopSource>> link;
  link.emplace_back(parent, StopSource{source_});
  MutexLock lock(mutex_);
  links_.splice(links_.end(), link);
}

void wait_for_stop(std::stop_token stop) {
  Mutex mutex;
  CondVar woken;
  const std::stop_callback wake(stop, [&] {
    const MutexLock lock(mutex);
    woken.notify_all();
  });
  MutexLock lock(mutex);
  while (!stop.stop_requested()) woken.wait(lock);
}

bool is_interrupted(const Error& error) {
  return error.code() == ErrorCode::Timeout || error.code() == ErrorCode::Cancelled;
}

void run_every(const std::shared_ptr<Clock>& clock, const RunEveryOptions& options,
               const std::function<void()>& f, std::stop_token stop) {
  const auto period = [&] {
    return options.jitter > 0 ? jittered(options.period, options.jitter, options.random)
                              : options.period;
  };
  TimePoint next = clock->now();
  if (!options.immediate) next = deadline_after(next, period());
  for (;;) {
    if (clock->sleep_until(next, stop) == WaitStatus::Stopped) return;
    if (!options.sliding) next = deadline_after(clock->now(), period());
    try {
      f();
    } catch (...) {
      if (!options.on_exception) throw;
      options.on_exception(std::current_exception());
    }
    if (options.sliding) next = deadline_after(clock->now(), period());
  }
}

Result<void> poll_until(const std::shared_ptr<Clock>& clock, const PollOptions& options,
                        const std::function<Result<bool>()>& condition, std::stop_token stop) {
  const TimePoint start = clock->now();
  const TimePoint deadline = deadline_after(start, options.timeout);
  TimePoint next = options.immediate ? start : deadline_after(start, options.interval);
  bool first = options.immediate;
  for (;;) {
    if (!std::exchange(first, false)) {
      if (clock->sleep_until(std::min(next, deadline), stop) == WaitStatus::Stopped) {
        return Error(ErrorCode::Cancelled, "stopped while waiting for a condition");
      }
      if (clock->now() >= deadline) {
        return Error(ErrorCode::Timeout, "timed out waiting for the condition");
      }
    }
    if (!options.sliding) next = deadline_after(clock->now(), options.interval);
    const Result<bool> done = condition();
    if (!done) return done.error();
    if (*done) return {};
    if (options.sliding) next = deadline_after(clock->now(), options.interval);
  }
}

Result<void> retry_with_backoff(const std::shared_ptr<Clock>& clock, Backoff backoff, int steps,
                                const std::function<Result<bool>()>& condition,
                                std::stop_token stop) {
  for (int step = 0; step < steps; ++step) {
    const bool stopped = step == 0 ? stop.stop_requested()
                                   : clock->sleep_for(backoff.next(), stop) == WaitStatus::Stopped;
    if (stopped) return Error(ErrorCode::Cancelled, "stopped while waiting for a condition");
    const Result<bool> done = condition();
    if (!done) return done.error();
    if (*done) return {};
  }
  return Error(ErrorCode::Timeout,
               "the condition did not hold in " + std::to_string(steps) + " attempts");
}

}  // namespace kube
