// SPDX-License-Identifier: Apache-2.0
//
// The cycle of a reflector: begin, back off, pace, report.
#include "reflector.hpp"

#include <algorithm>
#include <utility>

#include "reflector_bounds.hpp"

namespace kube::cache {
namespace {

constexpr Duration kBackoffReset = std::chrono::minutes(2);

/// When the program's source of randomness throws, jitter uses a fixed value.
Runtime with_safe_random(Runtime runtime) {
  runtime.random = [random = std::move(runtime.random)] {
    try {
      return random();
    } catch (...) {
      return 0.5;
    }
  };
  return runtime;
}

}  // namespace

Reflector::Reflector(Runtime runtime, Strand strand, std::shared_ptr<ListerWatcher> source,
                     const CellType& type, Options options, ReflectorTarget& target)
    : runtime_(with_safe_random(std::move(runtime))),
      strand_(std::move(strand)),
      source_(std::move(source)),
      type_(type),
      options_(std::move(options)),
      target_(target),
      backoff_({}, kBackoffReset, runtime_.clock(), runtime_.random),
      pace_(runtime_.clock()) {}

void Reflector::start(const std::shared_ptr<Reflector>& self, std::stop_token stop) {
  self_ = self;
  stop_ = std::move(stop);
  step([this] { begin_cycle(); });
}

void Reflector::stop() {
  stopped_ = true;
  abandon();
  list_deadline_.cancel();
  resync_timer_.cancel();
  list_ = {};
  initial_ = {};
  report(InformerState::Stopped);
}

void Reflector::abandon() {
  ++generation_;
  timer_.cancel();
  watch_deadline_.cancel();
  if (auto cancel = std::exchange(cancel_request_, nullptr)) cancel();
}

bool Reflector::note_response(const Error& error) {
  const Result<bool> learned =
      call_user_code("the source", [&]() -> Result<bool> { return source_->note_response(error); });
  if (learned) return *learned;
  KUBE_LOG(runtime_.logger, LogLevel::Warning, "reflector",
           "could not report the refusal to the source", {"informer", subject()},
           {"error", learned.error().to_string()});
  return false;
}

std::string Reflector::subject() const {
  return call_user_code("the source", [&]() -> Result<std::string> { return source_->to_string(); })
      .value_or("a source without a name");
}

void Reflector::after(Duration delay, void (Reflector::*next)()) {
  abandon();
  report(InformerState::BackingOff);
  timer_ = strand_.submit_after(delay, for_this_request(next));
}

void Reflector::when_paced(void (Reflector::*next)()) {
  abandon();
  // Refused events of a watch that has ended.
  if (stop_.stop_requested() || !report_refused_events()) return;
  const Duration wait = pace_.next();
  const bool was_slowed = std::exchange(is_slowed_, wait > Duration::zero());
  if (!is_slowed_) {
    (this->*next)();
    return;
  }
  const Error slowed(ErrorCode::Server,
                     "requests are limited, because responses end early or have few objects; the "
                     "next request waits");
  if (!was_slowed) {
    KUBE_LOG(runtime_.logger, LogLevel::Warning, "reflector", "requests are slowed down",
             {"informer", subject()}, {"error", slowed.to_string()});
  }
  if (!progress().last_error) note_failure(slowed.with_context(subject()));
  after(wait, next);
}

// ---- the cycle

void Reflector::begin_cycle() {
  if (stopped_ || stop_.stop_requested()) return;
  initial_.streams = 0;
  if (options_.watch_list) {
    stream_initial_state();
  } else {
    list(list_version());
  }
}

void Reflector::end_cycle(Duration at_least) {
  resync_timer_.cancel();
  list_deadline_.cancel();
  drop_list();
  drop_initial();
  const Duration delay = std::max(backoff_.next(), at_least);
  after(delay, &Reflector::begin_cycle);
}

void Reflector::cycle_failed(const Error& error) {
  note_failure(error);
  const std::uint64_t generation = generation_;
  target_.watch_error(error);
  if (generation != generation_ || stopped_) return;  // the handler stopped us
  end_cycle(asked_delay(error));
}

// ---- resync

void Reflector::arm_resync() {
  const Duration period = target_.resync_period();
  if (period <= Duration::zero()) return;
  resync_timer_ = strand_.submit_after(period, [weak = self_] {
    const std::shared_ptr<Reflector> self = weak.lock();
    if (!self || self->stopped_) return;
    self->step([&] {
      self->target_.resync();
      self->arm_resync();
    });
  });
}

// ---- progress

void Reflector::report(InformerState state) {
  const MutexLock lock(progress_mutex_);
  progress_.state = state;
}

void Reflector::note_failure(const Error& error) {
  const MutexLock lock(progress_mutex_);
  progress_.last_error = error;
}

void Reflector::note_refusal(const Error& error) {
  const MutexLock lock(progress_mutex_);
  progress_.refusal = error;
}

void Reflector::report_answer(std::uint64_t Progress::*counter) {
  const MutexLock lock(progress_mutex_);
  ++(progress_.*counter);
  progress_.last_error.reset();
  if (counter == &Progress::lists) progress_.refusal.reset();
}

Reflector::Progress Reflector::progress() const {
  const MutexLock lock(progress_mutex_);
  return progress_;
}

}  // namespace kube::cache
