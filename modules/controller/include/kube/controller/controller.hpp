// SPDX-License-Identifier: Apache-2.0
//
// kube::Controller: events become keys, keys wait in a rate-limited queue, workers take them one at
// a time and reconcile. What failed comes back with growing delay.
//
//   kube::Controller controller(client.runtime(), reconcile, {.name = "scheduler", .workers = 4});
//   // Enqueue the key of every pod that changes.
//   if (auto watched = controller.watch(pods); !watched) return watched;
//   if (auto started = controller.start(); !started) return started;
//   if (auto started = pods.start(); !started) return started;
//   wait_for_signal();
//   controller.stop_and_wait();
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/names/object_key.hpp>
#include <kube/workqueue/rate_limiter.hpp>

namespace kube {

/// What a reconciler is asked to look at. Only the key: read the rest from a lister.
struct ReconcileRequest {
  ObjectKey key{};
  int retries = 0;  ///< Failures of this key since its last success, as the rate limiter counts.
};

/// How a successful reconcile goes on. Failure is an Error in the Result around it.
class ReconcileResult {
 public:
  /// Nothing to do until the next event.
  static ReconcileResult done() { return ReconcileResult(std::nullopt); }
  /// Look again after this time, whatever happens; the key's failures are forgotten. 0 or less is
  /// done(), as in controller-runtime; less than min_delay is min_delay.
  static ReconcileResult requeue_after(Duration delay) {
    if (delay <= Duration::zero()) return done();
    return ReconcileResult(std::max(delay, kMinDelay));
  }
  /// The pause before a key that was asked for again, or that failed, comes back is never shorter:
  /// a reconciler does not occupy a processor with one key by mistake.
  static constexpr Duration kMinDelay = std::chrono::milliseconds(1);

  std::optional<Duration> delay() const { return delay_; }

 private:
  explicit ReconcileResult(std::optional<Duration> delay) : delay_(delay) {}
  std::optional<Duration> delay_;
};

/// Makes the world match what is wanted for one key. An Error (or an exception) is retried with
/// backoff; Cancelled is not counted as a failure when the controller is stopping. Long calls take
/// the stop token.
using Reconciler =
    std::function<Result<ReconcileResult>(const ReconcileRequest& request, std::stop_token stop)>;

struct ControllerOptions {
  /// Names threads, metrics, log lines and the handlers at the informers. Two controllers of one
  /// name work, but add to the same series, and their gauges show now one, now the other.
  std::string name = "controller";
  /// Keys reconciled at the same time; one key never twice at once. At least 1.
  int workers = 1;
  /// How often a key that fails is tried again before it waits for its next event, as the rate
  /// limiter counts (num_requeues()). 0: never again; negative: without end.
  int max_retries = -1;
  /// Empty: the default of client-go. A delay below ReconcileResult::min_delay counts as that.
  std::shared_ptr<RateLimiter<ObjectKey>> rate_limiter{};
  /// Where workers run. Empty: `workers` threads of the controller's own, so that a reconciler may
  /// block without holding up any informer.
  std::shared_ptr<Executor> executor{};
};

enum class ControllerState {
  NotStarted,
  Syncing,  ///< Started; waits for its informers, see ControllerStatus::waiting_for.
  Running,
  Stopped,
};
/// "NotStarted", "Syncing", ...
std::string_view to_string(ControllerState state);

/// A watched informer that has not synced.
struct AwaitedInformer {
  std::string resource{};  ///< "pods", "deployments.apps".
  InformerState state = InformerState::NotStarted;
};

/// What a controller does, and did so far.
struct ControllerStatus {
  ControllerState state = ControllerState::NotStarted;
  /// While Syncing: the informers without which no worker starts.
  std::vector<AwaitedInformer> waiting_for{};
  std::size_t queued = 0;              ///< Keys that wait now.
  std::size_t running = 0;             ///< Keys in work now.
  std::uint64_t reconciled = 0;        ///< Reconciles that succeeded.
  std::uint64_t failed = 0;            ///< Reconciles that did not.
  std::uint64_t dropped = 0;           ///< Keys given up after max_retries.
  std::uint64_t limiter_failures = 0;  ///< Calls of the rate limiter that threw.
};

/// @par Promises
///  [C1] No key is reconciled before every watched informer has synced. Informers are therefore
///       watched before start().
///  [C2] A key is in work at most once at a time; events in the meantime cause exactly one more
///       run.
///  [C3] A failed key comes back after the rate limiter's delay (after a second when the limiter
///       throws), a successful one forgets its failures. Without an event neither comes back
///       sooner than ReconcileResult::min_delay.
///  [C4] After stop_and_wait() no reconciler and no `keys` function runs, and none will.
/// @par Stopping   In this order: events no longer enqueue; the queue shuts down; the stop token of
///   running reconcilers is triggered; running ones finish; worker threads are joined. Queued keys
///   are dropped: the next start lists the world anyway.
/// @par Thread safety   All functions may be called from any thread.
class Controller {
 public:
  Controller(Runtime runtime, Reconciler reconcile, ControllerOptions options = {});
  ~Controller();  ///< stop_and_wait(), except in a reconciler of its own, where it does not wait.
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// Enqueues the key of every object that is added, updated or deleted. The informer must outlive
  /// the controller; it may be started before or after.
  /// @par Errors   InvalidArgument after start() or stop(), and for an informer that has been
  ///   stopped: it would never sync. Nothing is watched then.
  template <Object T>
  [[nodiscard]] Result<void> watch(SharedInformer<T>& informer) {
    return watch<T>(informer, [](const Cached<T>& object) {
      return std::vector<ObjectKey>{object.object_key()};
    });
  }
  /// Enqueues the keys that `keys` names for an object (its owner, its namespace, none). It sees
  /// both the old and the new state of an update, and the last known state of a deleted object.
  /// When it throws for one of them, that one names no keys; the informer counts and logs it as a
  /// failure of its handler, which has the controller's name.
  template <Object T>
  [[nodiscard]] Result<void> watch(SharedInformer<T>& informer,
                                   std::function<std::vector<ObjectKey>(const Cached<T>&)> keys);

  /// Ignored once the controller is stopped. Before start() keys wait; when they have waited for
  /// five seconds, be they from here or from a watched informer, a warning in the log says once
  /// that the controller was not started. A reconciler that enqueues its own key each time runs
  /// without pause: what is to be looked at again takes ReconcileResult::requeue_after().
  void enqueue(const ObjectKey& key);
  void enqueue_after(const ObjectKey& key, Duration delay);  ///< At once for 0 or less.

  /// Starts the workers as soon as the watched informers have synced. Returns at once. Starting the
  /// informers is the caller's affair: while one of them has not synced, status() and, every minute
  /// from the tenth second on, a warning name it.
  /// @par Errors   InvalidArgument when the controller was started or stopped before, has no
  ///   reconciler or fewer than one worker, or an informer that it watches has been stopped;
  ///   Internal when its threads can't be made. After these errors, but for the first, it may
  ///   be started again.
  Result<void> start();
  void stop();  ///< Asks; returns at once.
  void stop_and_wait();

  ControllerStatus status() const;

 private:
  struct Impl;
  struct Source {
    std::string resource{};
    std::function<InformerState()> state{};
    std::function<void(std::function<void()> synced)> on_synced{};
  };
  static void enqueue_into(const std::weak_ptr<Impl>& impl, const ObjectKey& key);
  Result<void> add_source(Source source,
                          const std::function<HandlerRegistration(HandlerOptions)>& add_handler);

  std::shared_ptr<Impl> impl_;
};

template <Object T>
Result<void> Controller::watch(SharedInformer<T>& informer,
                               std::function<std::vector<ObjectKey>(const Cached<T>&)> keys) {
  const auto enqueue_all = [impl = std::weak_ptr<Impl>(impl_),
                            keys = std::move(keys)](const Cached<T>& object) {
    for (const ObjectKey& key : keys(object)) enqueue_into(impl, key);
  };
  ResourceEventHandler<T> handler;
  handler.on_add = [enqueue_all](const Cached<T>& object, bool) { enqueue_all(object); };
  handler.on_update = [enqueue_all](const Cached<T>& old_object, const Cached<T>& new_object) {
    try {
      enqueue_all(old_object);
    } catch (...) {
      enqueue_all(new_object);
      throw;
    }
    enqueue_all(new_object);
  };
  handler.on_delete = [enqueue_all](const DeletedObject<T>& deleted) {
    if (deleted.object) enqueue_all(deleted.object);
  };
  Source source{
      informer.resource().group_resource().to_string(),
      [&informer] { return informer.status().state; },
      [&informer](std::function<void()> synced) { informer.on_synced(std::move(synced)); }};
  return add_source(std::move(source), [&](HandlerOptions options) {
    return informer.add_event_handler(std::move(handler), std::move(options));
  });
}

}  // namespace kube
