// SPDX-License-Identifier: Apache-2.0
//
// The implementation of a controller: controller.cpp contains its sources, start and stop,
// workers.cpp the work on a key.
//
// A worker is a task: it takes one key, reconciles it and submits itself again, so that workers run
// on threads of the controller and on a seeded executor alike. There are at most Options::workers
// of them, each with a WorkerSlot that its end always frees. A worker that finds the queue empty
// ends, and the queue's callback starts another one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <kube/base/call_user_code.hpp>
#include <kube/base/gate.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/start_reminder.hpp>
#include <kube/controller/controller.hpp>
#include <kube/workqueue/delaying_queue.hpp>

namespace kube {

inline constexpr std::string_view kControllerComponent = "controller";

struct Controller::Impl : std::enable_shared_from_this<Impl> {
  struct Watched {
    explicit Watched(Source informer) : source(std::move(informer)) {}
    const Source source;
    std::shared_ptr<HandlerRegistration> registration;  // guarded by Impl::mutex; set once
    bool synced = false;                                // guarded by Impl::mutex
  };

  Impl(Runtime r, Reconciler f, ControllerOptions o);

  /// The slot of a worker, one of `active`; its tasks hold it.
  class WorkerSlot {
   public:
    explicit WorkerSlot(std::shared_ptr<Impl> controller) : controller_(std::move(controller)) {}
    ~WorkerSlot() { leave(); }
    WorkerSlot(const WorkerSlot&) = delete;
    WorkerSlot& operator=(const WorkerSlot&) = delete;
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

  // controller.cpp
  /// The priority counts with ControllerOptions::unchanged_last alone.
  void enqueue(const ObjectKey& key, int priority = 0);
  Result<void> check() const;
  Result<void> find_workers();
  std::vector<std::shared_ptr<Watched>> sources() const;
  std::vector<std::shared_ptr<HandlerRegistration>> registrations() const;
  std::vector<AwaitedInformer> awaited() const;
  void source_synced(Watched& source);
  void run_when_synced();
  void warn_after(Duration delay);
  void warn_of_awaited();

  // write_holds.cpp
  /// A key that waits for its writes to arrive in caches.
  struct Hold {
    std::uint64_t number = 0;  // of this hold: what was asked for an older one is ignored
    std::size_t versions = 0;  // that are not reached
    bool asked = false;        // an event or delay of the key has come
    std::shared_ptr<const void> waits{};  // the caches forget the wait when it is gone
    Timer timeout{};
  };
  /// Returns whether the key waits for a write; it is then queued again after it.
  bool is_held(const ObjectKey& key);
  /// Holds the key until all versions are reached.
  void hold(const ObjectKey& key, std::vector<detail::AwaitedVersion> versions);
  void version_reached(const ObjectKey& key, std::uint64_t number);
  void write_wait_ended(const ObjectKey& key, std::uint64_t number);
  void drop_holds();
  /// The hold must be given to after_hold().
  Hold take_hold(std::map<ObjectKey, Hold>::iterator at) KUBE_REQUIRES(mutex);
  /// Queues the key when it was asked for.
  void after_hold(const ObjectKey& key, const Hold& ended);
  void note_held() KUBE_REQUIRES(mutex);

  // workers.cpp
  void pump();
  std::shared_ptr<WorkerSlot> take_slot();
  /// Returns false when the executor threw and has not accepted the worker.
  bool submit(const std::shared_ptr<WorkerSlot>& slot);
  void work(const std::shared_ptr<WorkerSlot>& slot);
  Result<bool> take_one();
  void finish(const ObjectKey& key, int retries, Result<ReconcileResult> result);
  Result<ReconcileResult> call(const ReconcileRequest& request);
  void reconcile_one(const ObjectKey& key);
  int retries_of(const ObjectKey& key);
  void forget(const ObjectKey& key);
  void retry(const ObjectKey& key);
  /// Notes whether a key waits for its retry.
  void note_retry(const ObjectKey& key, bool waits);
  template <class F>
  bool ask_limiter(const ObjectKey& key, F&& ask);
  /// Whether the calling thread is in a reconciler of this controller.
  bool reconciling_here() const;

  const Runtime runtime;
  const Reconciler reconcile;
  const ControllerOptions options;
  const std::shared_ptr<RateLimiter<ObjectKey>> limiter;
  const std::shared_ptr<detail::PriorityOrder<ObjectKey>> order;  // null: first in, first out
  DelayingQueue<ObjectKey> queue;
  const std::shared_ptr<StartReminder> start_reminder;
  std::stop_source stop_source;
  Gate running;  // reconcilers
  Gate asking;   // the timer that checks the informers
  metrics::Counter reconciles;
  metrics::Counter failures;
  metrics::Histogram durations;
  metrics::LatestGauge held_keys;
  metrics::Counter expired_waits;

  mutable Mutex mutex;
  std::map<ObjectKey, Hold> holds KUBE_GUARDED_BY(mutex);
  std::uint64_t hold_count KUBE_GUARDED_BY(mutex) = 0;
  std::size_t held_to_queue KUBE_GUARDED_BY(mutex) = 0;  // keys between a hold and the queue
  ControllerState state KUBE_GUARDED_BY(mutex) = ControllerState::NotStarted;
  /// Runs the workers: the user's executor or own_threads.
  std::shared_ptr<Executor> workers KUBE_GUARDED_BY(mutex);
  std::shared_ptr<ThreadPool> own_threads KUBE_GUARDED_BY(mutex);
  std::size_t active KUBE_GUARDED_BY(mutex) = 0;  // slots in use
  ControllerStatus counts KUBE_GUARDED_BY(mutex);
  std::vector<std::shared_ptr<Watched>> watched KUBE_GUARDED_BY(mutex);
  /// The keys that failed and wait for their retry.
  std::unordered_set<ObjectKey> retrying KUBE_GUARDED_BY(mutex);
  Timer warning KUBE_GUARDED_BY(mutex);
};

}  // namespace kube
