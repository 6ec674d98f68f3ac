// SPDX-License-Identifier: Apache-2.0
//
// kube::Controller: events become keys, keys wait in a rate-limited queue, workers take them one at
// a time and reconcile. What failed comes back with growing delay.
//
//   kube::Controller controller(client.runtime(), reconcile, {.name = "scheduler", .workers = 4});
//   controller.watch(pods);  // enqueue the key of every pod that changes
//   if (auto started = controller.start(); !started) return started;
//   wait_for_signal();
//   controller.stop_and_wait();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/meta/object_key.hpp>
#include <kube/workqueue/rate_limiter.hpp>

namespace kube {

/// What a reconciler is asked to look at. Only the key: read the rest from a lister.
struct ReconcileRequest {
  ObjectKey key{};
  int retries = 0;  ///< Failures of this key since its last success.
};

/// How a successful reconcile goes on. Failure is an Error in the Result around it.
class ReconcileResult {
 public:
  /// Nothing to do until the next event.
  static ReconcileResult done() { return ReconcileResult(std::nullopt); }
  /// Look again after this time, whatever happens; the key's failures are forgotten.
  static ReconcileResult requeue_after(Duration delay) { return ReconcileResult(delay); }

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
  std::string name = "controller";  ///< Names threads, metrics and log lines.
  int workers = 1;  ///< Keys reconciled at the same time (at least 1); one key never twice at once.
  int max_retries = -1;  ///< Failures after which a key waits for its next event; -1: no end.
  std::shared_ptr<RateLimiter<ObjectKey>> rate_limiter{};  ///< Empty: the default of client-go.
  /// Where workers run. Empty: `workers` threads of the controller's own, so that a reconciler may
  /// block without holding up any informer.
  std::shared_ptr<Executor> executor{};
};

/// What a controller did so far.
struct ControllerStatus {
  std::size_t queued = 0;              ///< Keys that wait now.
  std::size_t running = 0;             ///< Keys in work now.
  std::uint64_t reconciled = 0;        ///< Reconciles that succeeded.
  std::uint64_t failed = 0;            ///< Reconciles that did not.
  std::uint64_t dropped = 0;           ///< Keys given up after max_retries.
  std::uint64_t limiter_failures = 0;  ///< Calls of the rate limiter that threw.
};

/// @par Promises
///  [C1] No key is reconciled before every watched informer has synced.
///  [C2] A key is in work at most once at a time; events in the meantime cause exactly one more
///  run. [C3] A failed key comes back after the rate limiter's delay (after a second when that
///  throws), a successful one forgets its failures. [C4] After stop_and_wait() no reconciler and no
///  `keys` function runs, and none will.
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
  /// the controller. Before start().
  template <Object T>
  void watch(SharedInformer<T>& informer) {
    watch<T>(informer,
             [](const Cached<T>& object) { return std::vector<ObjectKey>{object.object_key()}; });
  }
  /// Enqueues the keys that `keys` names for an object (its owner, its namespace, none). It sees
  /// both the old and the new state of an update, and the last known state of a deleted object.
  template <Object T>
  void watch(SharedInformer<T>& informer,
             std::function<std::vector<ObjectKey>(const Cached<T>&)> keys);

  void enqueue(const ObjectKey& key);
  void enqueue_after(const ObjectKey& key, Duration delay);

  /// Starts the workers as soon as the watched informers have synced. Returns at once;
  /// InvalidArgument when started before. Starting the informers is the caller's affair.
  Result<void> start();
  void stop();  ///< Asks; returns at once.
  void stop_and_wait();

  ControllerStatus status() const;

 private:
  struct Impl;
  using OnSynced = std::function<void(std::function<void()> synced)>;
  static void enqueue_into(const std::weak_ptr<Impl>& impl, const ObjectKey& key);
  void add_source(OnSynced on_synced, HandlerRegistration registration);

  std::shared_ptr<Impl> impl_;
};

template <Object T>
void Controller::watch(SharedInformer<T>& informer,
                       std::function<std::vector<ObjectKey>(const Cached<T>&)> keys) {
  const auto enqueue_all = [impl = std::weak_ptr<Impl>(impl_),
                            keys = std::move(keys)](const Cached<T>& object) {
    for (const ObjectKey& key : keys(object)) enqueue_into(impl, key);
  };
  ResourceEventHandler<T> handler;
  handler.on_add = [enqueue_all](const Cached<T>& object, bool) { enqueue_all(object); };
  handler.on_update = [enqueue_all](const Cached<T>& old_object, const Cached<T>& new_object) {
    enqueue_all(old_object);
    enqueue_all(new_object);
  };
  handler.on_delete = [enqueue_all](const DeletedObject<T>& deleted) {
    if (deleted.object) enqueue_all(deleted.object);
  };
  add_source([&informer](std::function<void()> synced) { informer.on_synced(std::move(synced)); },
             informer.add_event_handler(std::move(handler)));
}

}  // namespace kube
