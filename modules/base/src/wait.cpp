// SPDX-License-Identifier: Apache-2.0
#include <kube/base/wait.hpp>

#include <algorithm>
#include <exception>

namespace kube {
namespace {

Error stopped_waiting() {
  return {ErrorCode::Cancelled, "stopped while waiting for the condition"};
}

Result<void> poll(Clock& clock, Duration interval, TimePoint deadline, bool immediate,
                  const WaitCondition& condition, const std::stop_token& stop) {
  for (bool pause = !immediate;; pause = true) {
    if (pause) {
      const TimePoint next = deadline_after(clock.now(), interval);
      if (clock.sleep_until(std::min(next, deadline), stop) == WaitStatus::Stopped) {
        return stopped_waiting();
      }
      if (next > deadline) return wait_timeout();
    }
    const Result<bool> held = condition(stop);
    if (!held) return held.error();
    if (*held) return {};
    if (stop.stop_requested()) return stopped_waiting();
  }
}

}  // namespace

Error wait_timeout() {
  return {ErrorCode::Timeout, "timed out waiting for the condition"};
}

bool is_wait_interrupted(const Error& error) {
  return error.code() == ErrorCode::Timeout || error.code() == ErrorCode::Cancelled;
}

Result<void> exponential_backoff(Clock& clock, const Backoff::Options& backoff,
                                 const WaitCondition& condition, const std::stop_token& stop,
                                 RandomSource random) {
  Backoff pauses(backoff, std::move(random));
  for (int left = backoff.steps; left > 0; --left) {
    const Result<bool> held = condition(stop);
    if (!held) return held.error();
    if (*held) return {};
    if (left > 1 && clock.sleep_for(pauses.next(), stop) == WaitStatus::Stopped) {
      return stopped_waiting();
    }
  }
  return wait_timeout();
}

Result<void> poll_until(Clock& clock, Duration interval, bool immediate,
                        const WaitCondition& condition, const std::stop_token& stop) {
  return poll(clock, interval, TimePoint::max(), immediate, condition, stop);
}

Result<void> poll_until_timeout(Clock& clock, Duration interval, Duration timeout, bool immediate,
                                const WaitCondition& condition, const std::stop_token& stop) {
  return poll(clock, interval, deadline_after(clock.now(), timeout), immediate, condition, stop);
}

void repeat_until(Clock& clock, const RepeatOptions& options, const std::function<void()>& run,
                  const std::stop_token& stop, const std::shared_ptr<Logger>& logger,
                  const RandomSource& random) {
  while (!stop.stop_requested()) {
    const TimePoint begun = clock.now();
    try {
      run();
    } catch (const std::exception& thrown) {
      KUBE_LOG(logger, LogLevel::Error, "wait", "a repeated function threw",
               {"error", thrown.what()});
      throw;
    } catch (...) {
      KUBE_LOG(logger, LogLevel::Error, "wait", "a repeated function threw",
               {"error", "not a std::exception"});
      throw;
    }
    const Duration pause =
        options.jitter > 0 ? jittered(options.period, options.jitter, random) : options.period;
    const TimePoint from = options.sliding ? clock.now() : begun;
    if (clock.sleep_until(deadline_after(from, pause), stop) == WaitStatus::Stopped) return;
  }
}

}  // namespace kube
