// SPDX-License-Identifier: Apache-2.0
//
// The cycle of a reflector: begin, back off, pace, report.
#include "reflector.hpp"

#include <algorithm>
#include <utility>

#include <kube/meta/errors.hpp>

#include "reflector_bounds.hpp"
#include "reflector_errors.hpp"

namespace kube::cache {
namespace {

constexpr Duration kBackoffReset = std::chrono::minutes(2);
constexpr Duration kInternalErrorReset = std::chrono::minutes(1);

std::string metrics_name(const std::string& name, const ListerWatcher& source) {
  if (!name.empty()) return name;
  return call_user_code("the source", [&]() -> Result<std::string> { return source.to_string(); })
      .value_or("");
}

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
                     ObjectForm form, ReflectorOptions options, ReflectorTarget& target)
    : runtime_(with_safe_random(std::move(runtime))),
      strand_(std::move(strand)),
      source_(std::move(source)),
      form_(std::move(form)),
      options_(std::move(options)),
      target_(target),
      backoff_(options_.backoff, kBackoffReset, runtime_.clock(), runtime_.random),
      internal_errors_(options_.max_internal_error_retry, kInternalErrorReset, &is_internal_error,
                       runtime_.clock()),
      credentials_backoff_({}, runtime_.random),
      denied_backoff_({.initial = kFirstDenied, .cap = kMaxDenied, .jitter = kDeniedJitter},
                      runtime_.random),
      pace_(runtime_.clock()),
      metrics_(runtime_.metrics, metrics_name(options_.name, *source_)) {}

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
  if (check_) check_->stop();
  check_ = nullptr;
  list_ = {};
  initial_ = {};
  report(InformerState::Stopped);
}

void Reflector::abandon() {
  ++generation_;
  measure_watch();
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
  if (may_stream()) {
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
  note_received(0, std::nullopt);
  internal_errors_.reset();
  const Duration delay = std::max(backoff_.next(), at_least);
  after(delay, &Reflector::begin_cycle);
}

void Reflector::cycle_failed(const Error& error) {
  note_failure(error);
  if (!note_condition(condition_of(error), error)) return;
  const std::uint64_t generation = generation_;
  target_.watch_error(error);
  if (generation != generation_ || stopped_) return;  // the handler stopped us
  const Duration denied = is_denied(error) ? denied_backoff_.next() : Duration::zero();
  end_cycle(std::max(denied, asked_delay(error)));
}

// ---- resync

void Reflector::arm_resync() {
  const Duration period = target_.resync_period();
  if (period <= Duration::zero()) return;
  resync_timer_ = strand_.submit_after(period, [weak = self_] {
    const std::shared_ptr<Reflector> self = weak.lock();
    if (!self || self->stopped_) return;
    self->step([&] { self->resync(); });
  });
}

void Reflector::resync() {
  if (const Result<void> done = target_.resync(); !done) {
    watch_ended_with(done.error().with_context("resync " + subject()));
    end_cycle();
    return;
  }
  if (!stopped_) arm_resync();
}

// ---- consistency

void Reflector::check_consistency(const ListOptions& asked, std::string_view version,
                                  std::vector<CellRef> received) {
  auto options = consistent_list_options(asked, version, received.size());
  if (!options) return;
  KUBE_LOG(runtime_.logger, LogLevel::Warning, "reflector",
           "another list checks what was received, as it was asked to", {"informer", subject()});
  if (check_) check_->stop();
  check_ = std::make_shared<ConsistencyCheck>(
      runtime_, strand_, source_, form_.type, form_.changes, *std::move(options),
      ConsistencyCheck::Received{std::move(received), target_.transforms()},
      [weak = self_](const Error& error) {
        const std::shared_ptr<Reflector> self = weak.lock();
        if (self && !self->stopped_) self->step([&] { self->on_inconsistency(error); });
      });
  check_->start(stop_);
}

void Reflector::on_inconsistency(const Error& error) {
  const Error named = error.with_context("check " + subject());
  KUBE_LOG(runtime_.logger, LogLevel::Error, "reflector", "the server is inconsistent",
           {"informer", subject()}, {"error", named.to_string()});
  note_refusal(named);
  target_.watch_error(named);
}

// ---- progress

void Reflector::report(InformerState state) {
  metrics_.reached(last_version_);
  const MutexLock lock(progress_mutex_);
  progress_.state = state;
  progress_.version = last_version_;
  progress_.version_unavailable = version_unavailable_;
}

void Reflector::measure_watch() {
  if (!std::exchange(watch_.is_open, false)) return;
  metrics_.watch_ended(watch_.events, runtime_.clock()->now() - watch_.opened, is_very_short());
}

void Reflector::note_failure(const Error& error) {
  const MutexLock lock(progress_mutex_);
  progress_.last_error = error;
}

bool Reflector::note_condition(InformerCondition condition, const Optional<Error>& error) {
  {
    const MutexLock lock(progress_mutex_);
    if (std::exchange(progress_.condition, condition) == condition) return true;
  }
  unopened_lines_.give_back(1);
  const std::uint64_t generation = generation_;
  target_.condition_changed(condition, error);
  return generation == generation_ && !stopped_;
}

void Reflector::note_received(std::size_t objects, std::optional<std::size_t> expected) {
  const MutexLock lock(progress_mutex_);
  progress_.received = objects;
  progress_.expected = expected;
}

void Reflector::note_refusal(const Error& error) {
  const MutexLock lock(progress_mutex_);
  progress_.refusal = error;
}

void Reflector::report_answer(std::uint64_t Progress::*counter) {
  if (counter == &Progress::watches) metrics_.watch_begins();
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
