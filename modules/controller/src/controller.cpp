// SPDX-License-Identifier: Apache-2.0
//
// A worker is a task: it takes one key, reconciles it and submits itself again, so that workers run
// on threads of their own as well as on a seeded executor. At most Options::workers of them are
// under way, each with a Place that its end gives back, however it ends; one that finds the queue
// empty ends, and the queue's signal starts it again.
#include <kube/controller/controller.hpp>

#include <algorithm>
#include <utility>

#include <kube/base/gate.hpp>
#include <kube/base/guarded.hpp>
#include <kube/base/mutex.hpp>
#include <kube/workqueue/rate_limiting_queue.hpp>

namespace kube {
namespace {

constexpr std::string_view kComponent = "controller";
// For a key whose rate limiter can't say.
constexpr Duration kRetryWithoutLimiter = std::chrono::seconds(1);

// The controller whose reconciler this thread is in; stopping from there must not wait for itself.
thread_local const void* reconciling = nullptr;

}  // namespace

struct Controller::Impl : std::enable_shared_from_this<Impl> {
  enum class Phase { New, Syncing, Running, Stopped };

  Impl(Runtime r, Reconciler f, ControllerOptions o)
      : runtime(std::move(r)),
        reconcile(std::move(f)),
        options(std::move(o)),
        queue(queue_options()) {
    if (!options.executor) {
      // They wait for tasks, never for a time: a clock that only tests move is none of their
      // business.
      own_workers = std::make_shared<ThreadPool>(
          ThreadPool::Options{.threads = worker_count(), .name = options.name});
    }
    reconciles = metrics::Counter(runtime.metrics, "controller_reconcile_total",
                                  {{"controller", options.name}, {"result", "success"}});
    failures = metrics::Counter(runtime.metrics, "controller_reconcile_total",
                                {{"controller", options.name}, {"result", "error"}});
    durations = metrics::Histogram(runtime.metrics, "controller_reconcile_time_seconds",
                                   {{"controller", options.name}});
  }

  std::size_t worker_count() const {
    return static_cast<std::size_t>(std::max(1, options.workers));
  }
  RateLimitingQueue<ObjectKey>::Options queue_options() const;
  Executor& workers() { return options.executor ? *options.executor : *own_workers; }

  /// A worker's, among `active`; held by its tasks.
  class Place {
   public:
    explicit Place(std::shared_ptr<Impl> controller) : controller_(std::move(controller)) {}
    ~Place() { leave(); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    void leave() {
      if (std::exchange(left_, true)) return;
      const MutexLock lock(controller_->mutex);
      --controller_->active;
    }
    Impl& controller() const { return *controller_; }

   private:
    const std::shared_ptr<Impl> controller_;
    bool left_ = false;
  };

  void source_synced();
  void pump();
  std::shared_ptr<Place> take_place();
  /// False when the executor threw, and so has not taken the worker.
  bool submit(const std::shared_ptr<Place>& place);
  void work(const std::shared_ptr<Place>& place);
  Result<bool> take_one();
  int retries_of(const ObjectKey& key);
  void forget(const ObjectKey& key);
  void retry(const ObjectKey& key);
  /// Calls the rate limiter; false when it threw.
  template <class F>
  bool ask_limiter(const ObjectKey& key, F&& ask);
  void finish(const ObjectKey& key, int retries, Result<ReconcileResult> result);
  Result<ReconcileResult> call(const ReconcileRequest& request);

  const Runtime runtime;
  const Reconciler reconcile;
  const ControllerOptions options;
  std::shared_ptr<ThreadPool> own_workers;
  RateLimitingQueue<ObjectKey> queue;
  std::stop_source stop_source;
  Gate running;
  metrics::Counter reconciles;
  metrics::Counter failures;
  metrics::Histogram durations;

  mutable Mutex mutex;
  Phase phase KUBE_GUARDED_BY(mutex) = Phase::New;
  std::size_t unsynced KUBE_GUARDED_BY(mutex) = 0;
  std::size_t active KUBE_GUARDED_BY(mutex) = 0;  // worker tasks under way
  ControllerStatus counts KUBE_GUARDED_BY(mutex);
  std::vector<OnSynced> sources KUBE_GUARDED_BY(mutex);
  std::vector<std::shared_ptr<HandlerRegistration>> registrations KUBE_GUARDED_BY(mutex);
};

RateLimitingQueue<ObjectKey>::Options Controller::Impl::queue_options() const {
  RateLimitingQueue<ObjectKey>::Options result;
  result.name = options.name;
  result.runtime = runtime;
  result.rate_limiter = options.rate_limiter;
  return result;
}

// A source has synced: the last one lets the workers start.
void Controller::Impl::source_synced() {
  {
    const MutexLock lock(mutex);
    if (--unsynced != 0 || phase != Phase::Syncing) return;
    phase = Phase::Running;
  }
  KUBE_LOG(runtime.logger, LogLevel::Info, kComponent, "caches synced, workers start",
           {"controller", options.name});
  pump();
}

void Controller::Impl::pump() {
  for (std::size_t queued = queue.len(); queued > 0; --queued) {
    const auto place = take_place();
    if (!place || !submit(place)) return;  // the next key tries again
  }
}

std::shared_ptr<Controller::Impl::Place> Controller::Impl::take_place() {
  const MutexLock lock(mutex);
  if (phase != Phase::Running || active >= worker_count()) return nullptr;
  auto place = std::make_shared<Place>(shared_from_this());
  ++active;
  return place;
}

bool Controller::Impl::submit(const std::shared_ptr<Place>& place) {
  const Result<void> submitted = guarded("the executor", [&]() -> Result<void> {
    workers().submit([place] { place->controller().work(place); });
    return {};
  });
  if (submitted) return true;
  KUBE_LOG(runtime.logger, LogLevel::Error, kComponent, "worker has no thread",
           {"controller", options.name}, {"error", submitted.error().to_string()});
  return false;
}

void Controller::Impl::work(const std::shared_ptr<Place>& place) {
  const Result<bool> worked = guarded("the worker", [&] { return take_one(); });
  if (!worked) {
    KUBE_LOG(runtime.logger, LogLevel::Error, kComponent, "worker failed",
             {"controller", options.name}, {"error", worked.error().to_string()});
  }
  if (worked.value_or(true) && submit(place)) return;
  place->leave();
  pump();  // a key may have come between the look and the leaving
}

// False when there is no key. The item's end is the end of the work: the key may be given out
// again.
Result<bool> Controller::Impl::take_one() {
  const auto item = queue.try_get();
  if (!item) return false;
  const auto pass = running.enter();
  if (!pass) return true;
  const ObjectKey& key = item->key();
  const Result<void> worked = guarded("the worker", [&]() -> Result<void> {
    const int retries = retries_of(key);
    finish(key, retries, call({key, retries}));
    return {};
  });
  if (worked) return true;
  queue.add(key);  // whatever it was, the key is not lost with it
  return worked.error();
}

Result<ReconcileResult> Controller::Impl::call(const ReconcileRequest& request) {
  struct Inside {
    const void* before;
    explicit Inside(const void* controller) : before(std::exchange(reconciling, controller)) {}
    ~Inside() { reconciling = before; }
  };
  const Inside inside(this);
  const TimePoint start = runtime.clock()->now();
  const auto observe = [&] {
    if (durations) {
      durations.observe(std::chrono::duration<double>(runtime.clock()->now() - start).count());
    }
  };
  try {
    auto result = reconcile(request, stop_source.get_token());
    observe();
    return result;
  } catch (const ApiException& exception) {
    observe();
    return exception.error();
  } catch (const std::exception& exception) {
    observe();
    return Error(ErrorCode::Internal, std::string("the reconciler threw: ") + exception.what());
  } catch (...) {
    observe();
    return Error(ErrorCode::Internal, "the reconciler threw something that is no std::exception");
  }
}

void Controller::Impl::finish(const ObjectKey& key, int retries, Result<ReconcileResult> result) {
  if (result) {
    forget(key);
    reconciles.add();
    if (result->delay()) queue.add_after(key, *result->delay());
    const MutexLock lock(mutex);
    ++counts.reconciled;
    return;
  }
  const Error& error = result.error();
  if (error.code() == ErrorCode::Cancelled && stop_source.stop_requested()) return;
  failures.add();
  const bool gives_up = options.max_retries >= 0 && retries >= options.max_retries;
  KUBE_LOG(runtime.logger, gives_up ? LogLevel::Error : LogLevel::Warning, kComponent,
           gives_up ? "reconcile failed, key dropped" : "reconcile failed, key retried",
           {"controller", options.name}, {"key", key.to_string()},
           {"attempt", std::to_string(retries + 1)}, {"error", error.to_string()});
  if (gives_up) {
    forget(key);
  } else {
    retry(key);
  }
  const MutexLock lock(mutex);
  ++counts.failed;
  if (gives_up) ++counts.dropped;
}

template <class F>
bool Controller::Impl::ask_limiter(const ObjectKey& key, F&& ask) {
  const Result<void> asked = guarded("the rate limiter", [&]() -> Result<void> {
    ask();
    return {};
  });
  if (asked) return true;
  KUBE_LOG(runtime.logger, LogLevel::Error, kComponent, "rate limiter threw",
           {"controller", options.name}, {"key", key.to_string()},
           {"error", asked.error().to_string()});
  const MutexLock lock(mutex);
  ++counts.limiter_failures;
  return false;
}

int Controller::Impl::retries_of(const ObjectKey& key) {
  int retries = 0;
  ask_limiter(key, [&] { retries = queue.num_requeues(key); });
  return retries;
}

void Controller::Impl::forget(const ObjectKey& key) {
  ask_limiter(key, [&] { queue.forget(key); });
}

void Controller::Impl::retry(const ObjectKey& key) {
  if (!ask_limiter(key, [&] { queue.add_rate_limited(key); })) {
    queue.add_after(key, kRetryWithoutLimiter);
  }
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

void Controller::enqueue_into(const std::weak_ptr<Impl>& impl, const ObjectKey& key) {
  if (const auto self = impl.lock()) self->queue.add(key);
}

void Controller::enqueue(const ObjectKey& key) {
  impl_->queue.add(key);
}
void Controller::enqueue_after(const ObjectKey& key, Duration delay) {
  impl_->queue.add_after(key, delay);
}

void Controller::add_source(OnSynced on_synced, HandlerRegistration registration) {
  const MutexLock lock(impl_->mutex);
  impl_->sources.push_back(std::move(on_synced));
  impl_->registrations.push_back(std::make_shared<HandlerRegistration>(std::move(registration)));
}

Result<void> Controller::start() {
  std::vector<OnSynced> sources;
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->phase != Impl::Phase::New) {
      return Error(ErrorCode::InvalidArgument, "controller " + impl_->options.name +
                                                   ": started or stopped before; make a new one");
    }
    impl_->phase = Impl::Phase::Syncing;
    sources.swap(impl_->sources);
    impl_->unsynced = sources.size() + 1;
  }
  for (const OnSynced& on_synced : sources) {
    on_synced([impl = std::weak_ptr<Impl>(impl_)] {
      if (const auto self = impl.lock()) self->source_synced();
    });
  }
  impl_->source_synced();  // the one that held the count until all were asked
  return {};
}

void Controller::stop() {
  std::vector<std::shared_ptr<HandlerRegistration>> registrations;
  {
    const MutexLock lock(impl_->mutex);
    impl_->phase = Impl::Phase::Stopped;
    registrations = impl_->registrations;
  }
  for (const auto& registration : registrations) registration->unregister();
  impl_->queue.shut_down();
  impl_->running.close();
  impl_->stop_source.request_stop();
}

void Controller::stop_and_wait() {
  stop();
  if (reconciling == impl_.get()) return;  // it would wait for itself
  std::vector<std::shared_ptr<HandlerRegistration>> registrations;
  {
    const MutexLock lock(impl_->mutex);
    registrations = impl_->registrations;
  }
  for (const auto& registration : registrations) registration->unregister_and_wait();
  impl_->running.close_and_wait();
  if (impl_->own_workers) impl_->own_workers->stop();
}

ControllerStatus Controller::status() const {
  const std::size_t queued = impl_->queue.len();
  const std::size_t running = impl_->running.inside();
  const MutexLock lock(impl_->mutex);
  ControllerStatus status = impl_->counts;
  status.queued = queued;
  status.running = running;
  return status;
}

}  // namespace kube
