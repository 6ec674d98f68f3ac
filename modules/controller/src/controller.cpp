// SPDX-License-Identifier: Apache-2.0
#include <kube/controller/controller.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "controller_impl.hpp"

namespace kube {
namespace {

// The time of the first log line that names informers that have not synced, and of further ones.
constexpr Duration kFirstWarning = std::chrono::seconds(10);
constexpr Duration kNextWarning = std::chrono::minutes(1);

}  // namespace

std::string_view to_string(ControllerState state) {
  switch (state) {
    case ControllerState::NotStarted:
      return "NotStarted";
    case ControllerState::Syncing:
      return "Syncing";
    case ControllerState::Running:
      return "Running";
    case ControllerState::Stopped:
      return "Stopped";
  }
  return "Unknown";
}

Controller::Impl::Impl(Runtime r, Reconciler f, ControllerOptions o)
    : runtime(std::move(r)),
      reconcile(std::move(f)),
      options(std::move(o)),
      limiter(options.rate_limiter ? options.rate_limiter
                                   : default_controller_rate_limiter<ObjectKey>(runtime.clock())),
      order(options.unchanged_last ? std::make_shared<detail::PriorityOrder<ObjectKey>>()
                                   : nullptr),
      queue({.name = options.name, .runtime = runtime, .order = order}),
      start_reminder(std::make_shared<StartReminder>(
          Strand(runtime.executor), runtime.logger,
          StartReminder::Subject{std::string(kControllerComponent), "controller", options.name,
                                 "keys wait, but it was not started: call start()"})),
      held_keys(runtime.metrics, "controller_held_keys", {{"controller", options.name}}) {
  const auto total = [&](const char* result) {
    return metrics::Counter(runtime.metrics, "controller_reconcile_total",
                            {{"controller", options.name}, {"result", result}});
  };
  reconciles = total("success");
  failures = total("error");
  durations = metrics::Histogram(runtime.metrics, "controller_reconcile_time_seconds",
                                 {{"controller", options.name}});
  expired_waits = metrics::Counter(runtime.metrics, "controller_write_waits_expired_total",
                                   {{"controller", options.name}});
}

/// Checks the options and the informers for start().
Result<void> Controller::Impl::check() const {
  const auto wrong = [&](const std::string& what) {
    return Error(ErrorCode::InvalidArgument, "controller " + options.name + ": " + what);
  };
  if (!reconcile) return wrong("it has no reconciler");
  if (options.workers < 1) {
    return wrong("workers is " + std::to_string(options.workers) + "; expected at least 1");
  }
  for (const auto& each : sources()) {
    if (each->source.status().state != InformerState::Stopped) continue;
    return wrong("the informer of " + each->source.resource + " is stopped, and will never sync");
  }
  return {};
}

Result<void> Controller::Impl::find_workers() {
  if (options.executor) {
    const MutexLock lock(mutex);
    workers = options.executor;
    return {};
  }
  // The workers wait for tasks, never for a time: they need no clock that tests move.
  std::shared_ptr<ThreadPool> threads;
  const Result<void> made = call_user_code("the system", [&] {
    threads = std::make_shared<ThreadPool>(ThreadPool::Options{
        .threads = static_cast<std::size_t>(options.workers), .name = options.name});
  });
  if (!made) {
    return made.error().with_context("controller " + options.name + ": start " +
                                     std::to_string(options.workers) + " threads");
  }
  const MutexLock lock(mutex);
  own_threads = threads;
  workers = std::move(threads);
  return {};
}

void Controller::Impl::enqueue(const ObjectKey& key, int priority) {
  start_reminder->used();
  if (order) order->want(key, priority);
  queue.add(key);
}

std::vector<std::shared_ptr<Controller::Impl::Watched>> Controller::Impl::sources() const {
  const MutexLock lock(mutex);
  return watched;
}

std::vector<std::shared_ptr<HandlerRegistration>> Controller::Impl::registrations() const {
  std::vector<std::shared_ptr<HandlerRegistration>> result;
  const MutexLock lock(mutex);
  for (const auto& each : watched) {
    if (each->registration) result.push_back(each->registration);
  }
  return result;
}

std::vector<AwaitedInformer> Controller::Impl::awaited() const {
  std::vector<std::shared_ptr<Watched>> unsynced;
  {
    const MutexLock lock(mutex);
    if (state != ControllerState::Syncing) return {};
    std::copy_if(watched.begin(), watched.end(), std::back_inserter(unsynced),
                 [](const auto& each) { return !each->synced; });
  }
  std::vector<AwaitedInformer> result;
  result.reserve(unsynced.size());
  for (const auto& each : unsynced) {
    result.push_back({each->source.resource, each->source.status().state});
  }
  return result;
}

void Controller::Impl::source_synced(Watched& source) {
  {
    const MutexLock lock(mutex);
    source.synced = true;
  }
  run_when_synced();
}

void Controller::Impl::run_when_synced() {
  Timer unneeded;  // cancelled without the lock
  {
    const MutexLock lock(mutex);
    if (state != ControllerState::Syncing) return;
    const bool synced =
        std::all_of(watched.begin(), watched.end(), [](const auto& each) { return each->synced; });
    if (!synced) return;
    state = ControllerState::Running;
    unneeded = std::exchange(warning, Timer());
  }
  KUBE_LOG(runtime.logger, LogLevel::Info, kControllerComponent, "caches synced, workers start",
           {"controller", options.name});
  pump();
}

void Controller::Impl::warn_after(Duration delay) {
  Timer timer;
  const Result<void> submitted = call_user_code("the executor", [&] {
    timer = runtime.executor->submit_after(delay, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->warn_of_awaited();
    });
  });
  if (!submitted) return;  // a controller without the warning works
  Timer old;               // cancelled without the lock
  const MutexLock lock(mutex);
  if (state == ControllerState::Syncing) old = std::exchange(warning, std::move(timer));
}

void Controller::Impl::warn_of_awaited() {
  std::vector<AwaitedInformer> informers;
  {
    const auto pass = asking.enter();
    if (!pass) return;
    informers = awaited();
  }
  if (informers.empty()) return;
  for (const AwaitedInformer& informer : informers) {
    KUBE_LOG(runtime.logger, LogLevel::Warning, kControllerComponent,
             informer.state == InformerState::NotStarted
                 ? "no worker starts: an informer was not started"
                 : "no worker starts: an informer has not synced",
             {"controller", options.name}, {"resource", informer.resource},
             {"state", std::string(kube::to_string(informer.state))});
  }
  warn_after(kNextWarning);
}

Controller::Controller(Runtime runtime, Reconciler reconcile, ControllerOptions options)
    : impl_(std::make_shared<Impl>(std::move(runtime), std::move(reconcile), std::move(options))) {
  impl_->queue.on_ready([impl = std::weak_ptr<Impl>(impl_)] {
    if (const auto self = impl.lock()) self->pump();
  });
}

Controller::~Controller() {
  stop_and_wait();
}

void Controller::enqueue_into(const std::weak_ptr<Impl>& impl, const ObjectKey& key, int priority) {
  if (const auto self = impl.lock()) self->enqueue(key, priority);
}

void Controller::enqueue(const ObjectKey& key) {
  impl_->enqueue(key);
}
void Controller::enqueue_after(const ObjectKey& key, Duration delay) {
  impl_->start_reminder->used();
  impl_->queue.add_after(key, delay);
}

// The source is added before its handler is registered: start() either waits for it, or has run
// before and the source is refused before the handler is called.
Result<void> Controller::add_source(
    Source source, const std::function<HandlerRegistration(HandlerOptions)>& add_handler) {
  const auto refused = [&](const std::string& why) {
    return Error(ErrorCode::InvalidArgument,
                 "controller " + impl_->options.name + ": watch " + source.resource + ": " + why);
  };
  if (source.status().state == InformerState::Stopped) {
    return refused("the informer is stopped, and will never sync");
  }
  const auto watched = std::make_shared<Impl::Watched>(source);
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->state != ControllerState::NotStarted) {
      return refused("expected before start(); the controller is " +
                     std::string(kube::to_string(impl_->state)));
    }
    impl_->watched.push_back(watched);
  }
  auto registration =
      std::make_shared<HandlerRegistration>(add_handler({.name = impl_->options.name}));
  const MutexLock lock(impl_->mutex);
  if (impl_->state == ControllerState::Stopped) return refused("the controller was stopped");
  watched->registration.swap(registration);
  return {};
}

Result<void> Controller::start() {
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->state != ControllerState::NotStarted) {
      return Error(ErrorCode::InvalidArgument, "controller " + impl_->options.name +
                                                   ": started or stopped before; make a new one");
    }
    impl_->state = ControllerState::Syncing;
  }
  Result<void> ready = impl_->check();
  if (ready) ready = impl_->find_workers();
  if (!ready) {
    const MutexLock lock(impl_->mutex);
    if (impl_->state == ControllerState::Syncing) impl_->state = ControllerState::NotStarted;
    return ready;
  }
  impl_->start_reminder->over();
  for (const auto& each : impl_->sources()) {
    each->source.on_synced([impl = std::weak_ptr<Impl>(impl_), each] {
      if (const auto self = impl.lock()) self->source_synced(*each);
    });
  }
  impl_->warn_after(kFirstWarning);
  impl_->run_when_synced();
  return {};
}

void Controller::stop() {
  Timer unneeded;  // cancelled without the lock
  {
    const MutexLock lock(impl_->mutex);
    impl_->state = ControllerState::Stopped;
    unneeded = std::exchange(impl_->warning, Timer());
  }
  impl_->start_reminder->over();
  impl_->drop_holds();
  for (const auto& registration : impl_->registrations()) registration->unregister();
  impl_->queue.shut_down();
  impl_->running.close();
  impl_->stop_source.request_stop();
}

void Controller::stop_and_wait() {
  stop();
  impl_->asking.close_and_wait();
  if (impl_->reconciling_here()) return;  // it would wait for itself
  for (const auto& registration : impl_->registrations()) registration->unregister_and_wait();
  impl_->running.close_and_wait();
  std::shared_ptr<ThreadPool> threads;
  {
    const MutexLock lock(impl_->mutex);
    threads = impl_->own_threads;
  }
  if (threads) threads->stop();
}

ControllerStatus Controller::status() const {
  std::vector<AwaitedInformer> waiting_for = impl_->awaited();
  std::size_t held = 0;
  {
    // Before the queue: a key that moves there meanwhile is counted twice, not never.
    const MutexLock lock(impl_->mutex);
    held = impl_->holds.size() + impl_->held_to_queue;
  }
  const WorkQueueCounts keys = impl_->queue.counts();
  const MutexLock lock(impl_->mutex);
  ControllerStatus status = impl_->counts;
  status.state = impl_->state;
  if (status.state == ControllerState::Syncing) status.waiting_for = std::move(waiting_for);
  status.queued = keys.queued;
  status.running = keys.in_work;
  status.retrying = impl_->retrying.size();
  status.held = held;
  return status;
}

std::vector<WatchedInformer> Controller::watched() const {
  std::vector<WatchedInformer> result;
  for (const auto& each : impl_->sources()) {
    std::shared_ptr<HandlerRegistration> registration;
    {
      const MutexLock lock(impl_->mutex);
      registration = each->registration;
    }
    result.push_back({each->source.resource, each->source.status(),
                      registration ? registration->status() : HandlerStatus{}});
  }
  return result;
}

// A handler that is added now gets the objects of the store after all earlier changes were passed
// to the others.
bool Controller::wait_for_handlers(std::stop_token stop) const {
  const auto sources = impl_->sources();
  return std::all_of(sources.begin(), sources.end(), [&](const auto& each) {
    return each->source.add_empty_handler().wait_for_sync(stop);
  });
}

}  // namespace kube
