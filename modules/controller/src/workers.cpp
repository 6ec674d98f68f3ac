// SPDX-License-Identifier: Apache-2.0
//
// A controller's workers: take a key from the queue, reconcile it, and retry or forget it.
#include <algorithm>
#include <utility>

#include "controller_impl.hpp"

namespace kube {
namespace {

// The delay of a key whose rate limiter throws.
constexpr Duration kRetryWithoutLimiter = std::chrono::seconds(1);

// The controller whose reconciler runs on this thread: stopping it there must not wait for itself.
thread_local const void* reconciling = nullptr;

}  // namespace

bool Controller::Impl::reconciling_here() const {
  return reconciling == this;
}

void Controller::Impl::pump() {
  for (std::size_t queued = queue.len(); queued > 0; --queued) {
    const auto slot = take_slot();
    if (!slot || !submit(slot)) return;  // the next key tries again
  }
}

std::shared_ptr<Controller::Impl::WorkerSlot> Controller::Impl::take_slot() {
  const MutexLock lock(mutex);
  if (state != ControllerState::Running) return nullptr;
  if (active >= static_cast<std::size_t>(options.workers)) return nullptr;
  auto slot = std::make_shared<WorkerSlot>(shared_from_this());
  ++active;
  return slot;
}

bool Controller::Impl::submit(const std::shared_ptr<WorkerSlot>& slot) {
  std::shared_ptr<Executor> executor;
  {
    const MutexLock lock(mutex);
    executor = workers;
  }
  const Result<void> submitted = call_user_code(
      "the executor", [&] { executor->submit([slot] { slot->controller().work(slot); }); });
  if (submitted) return true;
  KUBE_LOG(runtime.logger, LogLevel::Error, kControllerComponent, "could not start a worker",
           {"controller", options.name}, {"error", submitted.error().to_string()});
  return false;
}

void Controller::Impl::work(const std::shared_ptr<WorkerSlot>& slot) {
  const Result<bool> worked = call_user_code("the worker", [&] { return take_one(); });
  if (!worked) {
    KUBE_LOG(runtime.logger, LogLevel::Error, kControllerComponent, "worker failed",
             {"controller", options.name}, {"error", worked.error().to_string()});
  }
  if (worked.value_or(true) && submit(slot)) return;
  slot->leave();
  pump();  // a key may have been added before the slot was free
}

// False without a key. The end of the item ends the work: another worker may take the key.
Result<bool> Controller::Impl::take_one() {
  const auto item = queue.try_get();
  if (!item) return false;
  if (order) order->take_priority(item->key());
  const auto pass = running.enter();
  if (!pass) return true;
  const ObjectKey& key = item->key();
  note_retry(key, false);
  if (is_held(key)) return true;
  const Result<void> worked = call_user_code("the worker", [&] { reconcile_one(key); });
  if (worked) return true;
  queue.add(key);  // the key must not be lost
  return worked.error();
}

// The key is held before it can be taken again.
void Controller::Impl::reconcile_one(const ObjectKey& key) {
  struct Written {
    Mutex mutex;
    std::vector<detail::AwaitedVersion> versions KUBE_GUARDED_BY(mutex);
  };
  const auto written = std::make_shared<Written>();
  const auto await =
      std::make_shared<const detail::AwaitVersion>([written](detail::AwaitedVersion version) {
        const MutexLock lock(written->mutex);
        written->versions.push_back(std::move(version));
      });
  const int retries = retries_of(key);
  Result<ReconcileResult> result = call({key, retries, await});
  std::vector<detail::AwaitedVersion> versions;
  {
    const MutexLock lock(written->mutex);
    versions.swap(written->versions);
  }
  hold(key, std::move(versions));
  finish(key, retries, std::move(result));
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
  auto result = call_user_code("the reconciler", [&]() -> Result<ReconcileResult> {
    try {
      return reconcile(request, stop_source.get_token());
    } catch (const ApiException& exception) {
      return exception.error();
    }
  });
  observe();
  return result;
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
  KUBE_LOG(runtime.logger, gives_up ? LogLevel::Error : LogLevel::Warning, kControllerComponent,
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
  const Result<void> asked = call_user_code("the rate limiter", [&] { ask(); });
  if (asked) return true;
  KUBE_LOG(runtime.logger, LogLevel::Error, kControllerComponent, "rate limiter threw",
           {"controller", options.name}, {"key", key.to_string()},
           {"error", asked.error().to_string()});
  const MutexLock lock(mutex);
  ++counts.limiter_failures;
  return false;
}

int Controller::Impl::retries_of(const ObjectKey& key) {
  int retries = 0;
  ask_limiter(key, [&] { retries = limiter->num_requeues(key); });
  return retries;
}

void Controller::Impl::forget(const ObjectKey& key) {
  ask_limiter(key, [&] { limiter->forget(key); });
}

void Controller::Impl::retry(const ObjectKey& key) {
  Duration delay = kRetryWithoutLimiter;
  ask_limiter(key, [&] { delay = std::max(limiter->when(key), ReconcileResult::kMinDelay); });
  note_retry(key, true);
  queue.add_after(key, delay);
}

void Controller::Impl::note_retry(const ObjectKey& key, bool waits) {
  const MutexLock lock(mutex);
  if (waits) {
    retrying.insert(key);
  } else if (!retrying.empty()) {
    retrying.erase(key);
  }
}

}  // namespace kube
