// SPDX-License-Identifier: Apache-2.0
#include "reflector_owner.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <kube/base/caught.hpp>

#include "drop_fields.hpp"
#include "may_wait.hpp"
#include "stoppable_source.hpp"

namespace kube::cache {
namespace {

Result<void> check(const std::shared_ptr<ListerWatcher>& source,
                   const Result<DropFields>& drop_fields) {
  if (!source) return Error(ErrorCode::InvalidArgument, "there is no source");
  return drop_fields ? Result<void>() : drop_fields.error();
}

}  // namespace

ReflectorOwner::ReflectorOwner(Runtime runtime_in, std::shared_ptr<ListerWatcher> source_in,
                               const InformerType& type, const meta::ResourceInfo& resource,
                               const ReflectorOptions& options, StartReminder::Subject subject_in)
    : runtime(std::move(runtime_in)),
      subject(std::move(subject_in)),
      drop_fields(compile_drop_fields(type.cell_type, options.drop_fields)),
      usable(check(source_in, drop_fields)),
      strand(runtime.executor),
      source(std::make_shared<StoppableSource>(std::move(source_in), calls)),
      start_reminder(std::make_shared<StartReminder>(strand, runtime.logger, subject)),
      memory_return(strand),
      reflector(runtime, strand, source, object_form(type, resource, drop_fields), options, *this) {
}

// A failure of another kind is logged at once, and one that lasts rarely.
void ReflectorOwner::watch_error(const Error& error) {
  if (failure_lines.is_due(error)) {
    KUBE_LOG(runtime.logger, LogLevel::Warning, "reflector", "list or watch failed",
             {subject.kind, called()}, {"error", error.to_string()});
  }
  call_watch_error_handler(error);
}

void ReflectorOwner::condition_changed(InformerCondition condition, const Optional<Error>& error) {
  if (!error && failure_lines.recovered()) {
    KUBE_LOG(runtime.logger, LogLevel::Info, "reflector", "lists and watches are accepted again",
             {subject.kind, called()});
  }
  call_handler("the condition handler", condition_handler, condition, error);
}

void ReflectorOwner::count_error() {
  processing_errors.fetch_add(1, std::memory_order_relaxed);
  errors_metric.add();
}

void ReflectorOwner::refused(const Error& error) {
  count_error();
  if (!refusal_lines.try_accept()) return;
  KUBE_LOG(runtime.logger, LogLevel::Error, subject.component, refused_line(),
           {subject.kind, called()}, {"error", error.to_string()});
}

Result<void> ReflectorOwner::start() {
  const Result<void> checked = check_options();
  {
    const MutexLock lock(mutex);
    const std::string what = "the " + subject.component;
    if (stopped) return Error(ErrorCode::InvalidArgument, what + " has been stopped");
    if (started) return Error(ErrorCode::InvalidArgument, what + " is already started");
    started = checked.has_value();
    if (started) started_at.store(runtime.clock()->now(), std::memory_order_relaxed);
  }
  if (!checked) {
    stop();  // so that nobody waits for it
    return checked;
  }
  const auto submit = [this] {
    strand.submit([self = shared_from_this()] {
      if (self->calls->closed()) return;
      self->starting();
      self->reflector.start({self, &self->reflector}, self->stop_source.get_token(),
                            self->saved_state());
    });
  };
  if (const std::exception_ptr no_memory = caught(submit)) {
    const MutexLock lock(mutex);
    started = false;  // the caller may try again
    started_at.store(TimePoint::min(), std::memory_order_relaxed);
    std::rethrow_exception(no_memory);
  }
  start_reminder->over();
  return {};
}

void ReflectorOwner::stop() {
  {
    const MutexLock lock(mutex);
    if (std::exchange(stopped, true)) return;
    state_changed.notify_all();
  }
  start_reminder->over();
  calls->close();
  stopping();
  stop_source.request_stop();
  const auto submit = [this] {
    strand.submit([self = shared_from_this()] {
      self->reflector.stop();
      self->memory_return.stop();
      self->stopped_on_strand();
    });
  };
  // Destructors stop. Without memory for the task no user code is called either, and the token has
  // ended the request; what waits on the strand ends with this object.
  static_cast<void>(caught(submit));
}

bool ReflectorOwner::is_stopped() const {
  const MutexLock lock(mutex);
  return stopped;
}

bool ReflectorOwner::wait_for_sync(std::stop_token stop) {
  used();
  if (synced.load()) return true;
  if (!allowed_or_logged(may_wait_for(strand), runtime.logger, subject.kind, called())) {
    return false;
  }
  MutexLock lock(mutex);
  runtime.clock()->wait_until(lock, state_changed, TimePoint::max(), std::move(stop),
                              [&]() KUBE_REQUIRES(mutex) { return synced.load() || stopped; });
  return synced.load();
}

std::optional<Duration> ReflectorOwner::since_proof_of_life() const {
  const TimePoint heard =
      std::max(reflector.last_proof_of_life(), started_at.load(std::memory_order_relaxed));
  if (heard == TimePoint::min()) return std::nullopt;
  return runtime.clock()->now() - heard;
}

InformerStatus ReflectorOwner::status() const {
  const Reflector::Progress progress = reflector.progress();
  InformerStatus status;
  status.state = is_stopped() ? InformerState::Stopped : progress.state;
  status.synced = synced.load(std::memory_order_acquire);
  status.last_sync_resource_version = progress.version;
  status.last_error = progress.last_error ? progress.last_error : progress.refusal;
  if (!status.last_error) status.last_error = start_reminder->problem();
  if (!usable) status.last_error = usable.error();
  status.condition = progress.condition;
  status.since_proof_of_life = since_proof_of_life();
  status.received = progress.received;
  status.expected = progress.expected;
  status.resumed = progress.resumed;
  status.lists = progress.lists;
  status.watches = progress.watches;
  status.events = progress.events;
  status.processing_errors = processing_errors.load(std::memory_order_relaxed);
  return status;
}

}  // namespace kube::cache
