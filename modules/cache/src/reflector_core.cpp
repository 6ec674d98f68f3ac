// SPDX-License-Identifier: Apache-2.0
//
// The functions of Reflector<T> that do not depend on T.
#include <kube/cache/detail/reflector_core.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

#include "callback_gate.hpp"
#include "drop_fields.hpp"
#include "failure_lines.hpp"
#include "may_wait.hpp"
#include "memory_return.hpp"
#include "reflector.hpp"
#include "reflector_bounds.hpp"
#include "stoppable_source.hpp"

#include <kube/base/call_user_code.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/start_reminder.hpp>
#include <kube/base/token_bucket.hpp>

namespace kube::cache {
namespace {

Error reflector_stopped() {
  return Error(ErrorCode::Cancelled, "the reflector has stopped");
}

}  // namespace

struct ReflectorCore::Impl final : ReflectorTarget, std::enable_shared_from_this<Impl> {
  Impl(Runtime runtime_in, std::shared_ptr<ListerWatcher> source_in,
       const meta::ResourceInfo& resource, const ReflectorOptions& options,
       const InformerType& type, std::unique_ptr<CellReceiver> store_in)
      : runtime(std::move(runtime_in)),
        period(options.resync_period),
        drop_fields(compile_drop_fields(type.cell_type, options.drop_fields)),
        strand(runtime.executor),
        source(std::make_shared<StoppableSource>(std::move(source_in), calls)),
        name(options.name),
        start_reminder(std::make_shared<StartReminder>(
            strand, runtime.logger,
            StartReminder::Subject{"reflector", "informer",
                                   name.empty() ? resource.group_resource().to_string() : name,
                                   "used, but not started: call start()"})),
        store(std::move(store_in)),
        memory_return(strand),
        reflector(runtime, strand, source, object_form(type, resource, drop_fields), options,
                  *this) {}

  // ---- ReflectorTarget, on the strand

  CellRef known(std::string_view) const override { return {}; }
  Result<Accepted> accept(CellRef arrived, Origin) override { return Accepted{std::move(arrived)}; }
  void add(CellRef object) override {
    change("add", object, [&] { return store->add(object); });
  }
  void update(CellRef object) override {
    change("update", object, [&] { return store->update(object); });
  }
  void remove(CellRef object) override {
    change("remove", object, [&] { return store->remove(object); });
  }
  void bookmark(CellRef metadata) override {
    change("bookmark", metadata, [&] { return store->bookmark(metadata->resource_version()); });
  }
  Result<void> replace(std::vector<CellRef> items, std::string resource_version) override {
    {
      const auto inside = calls->enter();
      if (!inside) return reflector_stopped();
      const Result<void> done = call_user_code(
          "the store", [&] { return store->replace(std::move(items), resource_version); });
      if (!done) return done.error().with_context("replace");
    }
    const MutexLock lock(mutex);
    synced = true;
    state_changed.notify_all();
    return {};
  }
  Result<void> resync() override {
    const auto inside = calls->enter();
    if (!inside) return {};
    return call_user_code("the store", [&] { return store->resync(); });
  }
  void flush() override {}
  void freed(std::size_t bytes) override { memory_return.freed(bytes); }
  Duration resync_period() const override { return period; }
  void watch_error(const Error& error) override {
    if (failure_lines.is_due(error)) {
      KUBE_LOG(runtime.logger, LogLevel::Warning, "reflector", "list or watch failed",
               {"informer", called()}, {"error", error.to_string()});
    }
    call_handler(error);
  }
  void condition_changed(InformerCondition condition, const Optional<Error>& error) override {
    if (!error && failure_lines.recovered()) {
      KUBE_LOG(runtime.logger, LogLevel::Info, "reflector", "lists and watches are accepted again",
               {"informer", called()});
    }
    if (!condition_handler) return;
    const auto inside = calls->enter();
    if (!inside) return;
    const Result<void> done =
        call_user_code("the condition handler", [&] { condition_handler(condition, error); });
    if (!done) refused(done.error());
  }
  void refused(const Error& error, std::string_view, Origin) override { refused(error); }
  void refused(const Error& error) {
    processing_errors.fetch_add(1, std::memory_order_relaxed);
    if (!refusal_lines.try_accept()) return;
    KUBE_LOG(runtime.logger, LogLevel::Error, "reflector", "object dropped", {"informer", called()},
             {"error", error.to_string()});
  }
  void incomplete(const Error& error) override { call_handler(error); }  // refused() has logged

  // ---- helpers

  /// Calls the store, unless stopped, and reports its error.
  template <class F>
  void change(const char* what, const CellRef& object, F&& call) {
    const Result<void> done = [&]() -> Result<void> {
      const auto inside = calls->enter();
      if (!inside) return {};
      return call_user_code("the store", call);
    }();
    if (done) return;
    const Error error =
        done.error().with_context(std::string(what) + " " + std::string(object->key()));
    refused(error);
    if (store_reports.try_accept()) call_handler(error);
  }
  void call_handler(const Error& error) {
    if (!handler) return;
    const auto inside = calls->enter();
    if (!inside) return;
    const Result<void> done = call_user_code("the watch error handler", [&] { handler(error); });
    if (!done) refused(done.error());
  }
  std::string called() const {
    if (!name.empty()) return name;
    return call_user_code("the source",
                          [&]() -> Result<std::string> { return source->to_string(); })
        .value_or("");
  }

  const Runtime runtime;
  const Duration period;
  const Result<DropFields> drop_fields;  ///< An error: the reflector does not start.
  const std::shared_ptr<CallbackGate> calls = std::make_shared<CallbackGate>();
  Strand strand;
  const std::shared_ptr<ListerWatcher> source;
  const std::string name;
  std::stop_source stop_source;
  const std::shared_ptr<StartReminder> start_reminder;
  // ---- set before start(), read on the strand after it
  std::function<void(const Error&)> handler;
  std::function<void(InformerCondition, const Optional<Error>&)> condition_handler;

  // ---- used on the strand; the reflector guards what it shares with other threads
  const std::unique_ptr<CellReceiver> store;
  MemoryReturn memory_return;
  FailureLines failure_lines{runtime.clock()};
  TokenBucket refusal_lines{kRefusalsPerSecond, kRefusalsAtOnce, runtime.clock()};
  TokenBucket store_reports{kRefusalsPerSecond, kRefusalsAtOnce, runtime.clock()};
  Reflector reflector;

  // ---- used by any thread
  std::atomic<std::uint64_t> processing_errors{0};
  mutable Mutex mutex;
  mutable CondVar state_changed;
  bool started KUBE_GUARDED_BY(mutex) = false;
  TimePoint started_at KUBE_GUARDED_BY(mutex) = TimePoint::min();
  bool stopped KUBE_GUARDED_BY(mutex) = false;
  bool synced KUBE_GUARDED_BY(mutex) = false;
};

ReflectorCore::ReflectorCore(Runtime runtime, std::shared_ptr<ListerWatcher> source,
                             const meta::ResourceInfo& resource, const ReflectorOptions& options,
                             InformerType type, std::unique_ptr<CellReceiver> store)
    : impl_(std::make_shared<Impl>(std::move(runtime), std::move(source), resource, options, type,
                                   std::move(store))) {}

ReflectorCore::~ReflectorCore() {
  stop_and_wait();
}

Result<void> ReflectorCore::set_watch_error_handler(std::function<void(const Error&)> handler) {
  const MutexLock lock(impl_->mutex);
  if (impl_->started) {
    return Error(ErrorCode::InvalidArgument, "a watch error handler can't be set after start()");
  }
  impl_->handler.swap(handler);
  return {};
}

Result<void> ReflectorCore::set_condition_handler(
    std::function<void(InformerCondition, const Optional<Error>&)> handler) {
  const MutexLock lock(impl_->mutex);
  if (impl_->started) {
    return Error(ErrorCode::InvalidArgument, "a condition handler can't be set after start()");
  }
  impl_->condition_handler.swap(handler);
  return {};
}

Result<void> ReflectorCore::start() {
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->stopped) return Error(ErrorCode::InvalidArgument, "the reflector has been stopped");
    if (impl_->started)
      return Error(ErrorCode::InvalidArgument, "the reflector is already started");
    impl_->started = impl_->drop_fields.has_value();
    impl_->started_at = impl_->runtime.clock()->now();
  }
  impl_->start_reminder->over();
  if (!impl_->drop_fields) {
    stop();  // so that nobody waits for it
    return impl_->drop_fields.error();
  }
  impl_->strand.submit([impl = impl_] {
    if (impl->calls->closed()) return;
    impl->reflector.start({impl, &impl->reflector}, impl->stop_source.get_token());
  });
  return {};
}

void ReflectorCore::stop() {
  {
    const MutexLock lock(impl_->mutex);
    if (std::exchange(impl_->stopped, true)) return;
    impl_->state_changed.notify_all();
  }
  impl_->start_reminder->over();
  impl_->calls->close();
  impl_->stop_source.request_stop();
  impl_->strand.submit([impl = impl_] {
    impl->reflector.stop();
    impl->memory_return.stop();
  });
}

void ReflectorCore::stop_and_wait() {
  stop();
  impl_->calls->close_and_wait();
}

bool ReflectorCore::has_synced() const {
  const MutexLock lock(impl_->mutex);
  return impl_->synced;
}

bool ReflectorCore::wait_for_sync(std::stop_token stop) const {
  Impl& impl = *impl_;
  if (!is_started()) impl.start_reminder->used();
  if (has_synced()) return true;
  if (!allowed_or_logged(may_wait_for(impl.strand), impl.runtime.logger, "informer",
                         impl.called())) {
    return false;
  }
  MutexLock lock(impl.mutex);
  impl.runtime.clock()->wait_until(
      lock, impl.state_changed, TimePoint::max(), std::move(stop),
      [&]() KUBE_REQUIRES(impl.mutex) { return impl.synced || impl.stopped; });
  return impl.synced;
}

bool ReflectorCore::is_started() const {
  const MutexLock lock(impl_->mutex);
  return impl_->started || impl_->stopped;
}

std::string ReflectorCore::name() const {
  return impl_->called();
}

std::string ReflectorCore::last_sync_resource_version() const {
  return impl_->reflector.progress().version;
}

bool ReflectorCore::is_last_sync_resource_version_unavailable() const {
  return impl_->reflector.progress().version_unavailable;
}

InformerStatus ReflectorCore::status() const {
  const Reflector::Progress progress = impl_->reflector.progress();
  InformerStatus status;
  status.state = progress.state;
  TimePoint started_at;
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->stopped) status.state = InformerState::Stopped;
    status.synced = impl_->synced;
    started_at = impl_->started_at;
  }
  status.last_sync_resource_version = progress.version;
  status.last_error = progress.last_error ? progress.last_error : progress.refusal;
  if (!status.last_error) status.last_error = impl_->start_reminder->problem();
  if (!impl_->drop_fields) status.last_error = impl_->drop_fields.error();
  const TimePoint heard = std::max(impl_->reflector.last_proof_of_life(), started_at);
  if (heard != TimePoint::min()) status.since_proof_of_life = impl_->runtime.clock()->now() - heard;
  status.condition = progress.condition;
  status.received = progress.received;
  status.expected = progress.expected;
  status.lists = progress.lists;
  status.watches = progress.watches;
  status.events = progress.events;
  status.processing_errors = impl_->processing_errors.load(std::memory_order_relaxed);
  return status;
}

}  // namespace kube::cache
