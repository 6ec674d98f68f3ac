// SPDX-License-Identifier: Apache-2.0
//
// kube::Controller: events become keys in a rate-limited queue; workers take the keys and reconcile
// them. A key that failed is retried after a growing delay.
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
#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/caught.hpp>
#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/multi_namespace_informer.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/names/object_key.hpp>
#include <kube/workqueue/priority_queue.hpp>
#include <kube/workqueue/rate_limiter.hpp>

namespace kube {

namespace detail {
/// A resourceVersion that a cache has to reach.
struct AwaitedVersion {
  std::string version{};
  std::function<bool(const std::string& version)> is_reached{};
  /// Calls `done` unless `owner` is destroyed before.
  std::function<void(std::string version, std::function<void()> done,
                     const std::shared_ptr<const void>& owner)>
      when_reached{};
};
using AwaitVersion = std::function<void(AwaitedVersion)>;
}  // namespace detail

/// The object to reconcile. It is only the key: read the object from a lister.
/// @par Thread safety   A value; written() may be called from any thread until the reconcile ends.
struct ReconcileRequest {
  ObjectKey key{};
  int retries = 0;  ///< Failures of this key since its last success, as the rate limiter counts.
  std::shared_ptr<const detail::AwaitVersion> await{};  ///< Set by the controller.

  /// Reports a write, with the object as the server returned it: the key is not reconciled again
  /// before the informer's cache has the write [C5], whether this reconcile succeeds or fails. It
  /// does nothing for a request that no controller made.
  ///
  ///     auto pod = client.api<Pod>(request.key.namespace_).create(next);
  ///     if (!pod) return pod.error();
  ///     request.written(pods, *pod);  // the next reconcile finds it in pods.lister()
  ///
  /// The informer must outlive the controller.
  template <Object T>
  void written(const SharedInformer<T>& informer, const T& object) const {
    if constexpr (std::same_as<T, Unstructured>) {
      written(informer, std::string(object.resource_version()));
    } else {
      written(informer, std::string(object.metadata.resource_version));
    }
  }
  /// As above, by the resourceVersion of what was written.
  template <Object T>
  void written(const SharedInformer<T>& informer, std::string resource_version) const {
    if (!await || resource_version.empty()) return;
    (*await)({std::move(resource_version),
              [&informer](const std::string& version) { return informer.has_version(version); },
              [&informer](std::string version, std::function<void()> done,
                          const std::shared_ptr<const void>& owner) {
                informer.on_version(std::move(version), std::move(done), owner);
              }});
  }
};

/// What follows a successful reconcile. A failure is an Error in the Result around it.
/// @par Thread safety   A value.
class ReconcileResult {
 public:
  /// Nothing more until the next event.
  static ReconcileResult done() { return ReconcileResult(std::nullopt); }
  /// Reconcile again after this time, even without an event; the key's failures are forgotten. 0 or
  /// less is done(), as in controller-runtime; less than kMinDelay is kMinDelay.
  static ReconcileResult requeue_after(Duration delay) {
    if (delay <= Duration::zero()) return done();
    return ReconcileResult(std::max(delay, kMinDelay));
  }
  /// The minimum delay before a key is retried or reconciled again on request, so that a reconciler
  /// does not occupy a processor with one key by mistake.
  static constexpr Duration kMinDelay = std::chrono::milliseconds(1);

  std::optional<Duration> delay() const { return delay_; }

 private:
  explicit ReconcileResult(std::optional<Duration> delay) : delay_(delay) {}
  std::optional<Duration> delay_;
};

/// Brings the cluster into the desired state for one key. After an Error or an exception the key is
/// retried with backoff; while the controller stops, Cancelled is not counted as a failure. Calls
/// that take long should pass `stop` on. It is called on worker threads, for several keys at a
/// time.
using Reconciler =
    std::function<Result<ReconcileResult>(const ReconcileRequest& request, std::stop_token stop)>;

struct ControllerOptions {
  /// The name of its threads, metrics, log lines and of its handlers at the informers. Two
  /// controllers with the same name work, but they share their series, and a gauge shows either.
  std::string name = "controller";
  /// The maximum number of keys in work at the same time; never one key twice. At least 1.
  int workers = 1;
  /// How often a key that fails is retried before it waits for its next event, as counted by the
  /// rate limiter (num_requeues()). 0: never; negative: without end.
  int max_retries = -1;
  /// Empty: default_controller_rate_limiter(). Delays are at least ReconcileResult::kMinDelay.
  std::shared_ptr<RateLimiter<ObjectKey>> rate_limiter{};
  /// Runs the workers. Empty: `workers` threads of the controller, so that a reconciler that blocks
  /// delays no informer.
  std::shared_ptr<Executor> executor{};
  /// The maximum time that a key waits for what ReconcileRequest::written() reported. After it, a
  /// warning is logged and the key is reconciled with what the cache has.
  Duration max_write_wait = std::chrono::minutes(2);
  /// Takes the keys of an informer's initial list, and of updates that change nothing (a relist, a
  /// resync), after all other keys: kLowPriority, as controller-runtime's priority queue. Then what
  /// changes after a restart does not wait behind the whole cluster. A key that fails is retried as
  /// other keys are.
  bool unchanged_last = false;
};

enum class ControllerState {
  NotStarted,
  Syncing,  ///< Started; waits for the informers in ControllerStatus::waiting_for.
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

/// A watched informer, and the controller's handler there.
struct WatchedInformer {
  std::string resource{};  ///< "pods", "deployments.apps".
  InformerStatus informer{};
  HandlerStatus handler{};
};

/// What a controller is doing, and what it has done since its start.
struct ControllerStatus {
  ControllerState state = ControllerState::NotStarted;
  /// While Syncing: the informers that have not synced; no worker starts before they have.
  std::vector<AwaitedInformer> waiting_for{};
  std::size_t queued = 0;              ///< Keys that wait now.
  std::size_t running = 0;             ///< Keys in work now.
  std::size_t retrying = 0;            ///< Keys that failed and wait for their retry now.
  std::size_t held = 0;                ///< Keys whose last write no cache has yet.
  std::uint64_t reconciled = 0;        ///< Reconciles that succeeded.
  std::uint64_t failed = 0;            ///< Reconciles that failed.
  std::uint64_t dropped = 0;           ///< Keys given up after max_retries.
  std::uint64_t limiter_failures = 0;  ///< Calls of the rate limiter that threw.
};

/// Reconciles the keys of changed objects.
///
/// @par Promises
///  [C1] No key is reconciled before every watched informer has synced. Informers are therefore
///       watched before start().
///  [C2] A key is in work at most once at a time; events in the meantime cause exactly one more
///       reconcile.
///  [C3] A failed key is retried after the rate limiter's delay (after a second when the limiter
///       throws); success forgets its failures. Without an event neither is reconciled again
///       before ReconcileResult::kMinDelay has passed.
///  [C5] A key for which a reconciler has reported a write is not reconciled again before the cache
///       has it, or ControllerOptions::max_write_wait has passed. Events and delays of the key in
///       the meantime cause one more reconcile after it.
///  [C4] After stop_and_wait() no reconciler and no `keys` function runs or will run.
/// @par Stopping   In this order: events no longer enqueue; the queue shuts down; the stop token of
///   running reconcilers is triggered; they finish; worker threads are joined. Queued keys are
///   dropped: informers list all objects at the next start.
/// @par Thread safety   All functions may be called from any thread.
class Controller {
 public:
  Controller(Runtime runtime, Reconciler reconcile, ControllerOptions options = {});
  ~Controller();  ///< Calls stop_and_wait(), which does not wait in its own reconciler.
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// Enqueues the key of every object that is added, updated or deleted. The informer must outlive
  /// the controller; it may be started before or after.
  /// @par Errors   InvalidArgument after start() or stop(), and for an informer that was stopped,
  ///   which would never sync. Nothing is watched then.
  template <Object T>
  [[nodiscard]] Result<void> watch(SharedInformer<T>& informer) {
    return watch<T>(informer, [](const Cached<T>& object) {
      return std::vector<ObjectKey>{object.object_key()};
    });
  }
  /// Enqueues the keys that `keys` returns for an object (its owner, its namespace, none). It is
  /// called with the old and the new state of an update, and with the last known state of a deleted
  /// object. When it throws, that state enqueues no keys; the informer counts and logs it as a
  /// failure of the handler with the controller's name.
  /// @par Errors   As above.
  template <Object T>
  [[nodiscard]] Result<void> watch(SharedInformer<T>& informer,
                                   std::function<std::vector<ObjectKey>(const Cached<T>&)> keys);
  /// Watches the informers of several namespaces. `keys` may be called for objects of different
  /// namespaces at the same time.
  /// @par Errors   As above, for the first informer that fails; those before it are watched.
  template <Object T>
  [[nodiscard]] Result<void> watch(const MultiNamespaceInformer<T>& informers);
  template <Object T>
  [[nodiscard]] Result<void> watch(
      const MultiNamespaceInformer<T>& informers,
      const std::function<std::vector<ObjectKey>(const Cached<T>&)>& keys);

  /// Adds a key; ignored once the controller is stopped. Keys that are added before start(), here
  /// or by a watched informer, wait; after five seconds a warning in the log says once that the
  /// controller was not started. A reconciler that always enqueues its own key runs without pause:
  /// return ReconcileResult::requeue_after() instead.
  void enqueue(const ObjectKey& key);
  void enqueue_after(const ObjectKey& key, Duration delay);  ///< At once for 0 or less.

  /// Starts the workers once the watched informers have synced; does not block. It does not start
  /// the informers. While one has not synced, status() names it, and so does a warning in the log
  /// after ten seconds and then every minute.
  /// @par Errors   InvalidArgument when the controller was started or stopped before, has no
  ///   reconciler or less than one worker, or watches an informer that was stopped; Internal when
  ///   its threads can't be started. start() may be called again, except after the first of these.
  Result<void> start();
  void stop();  ///< Requests the stop; does not block.
  /// @par Blocks   Until running reconcilers have finished.
  void stop_and_wait();

  ControllerStatus status() const;
  /// Returns the states of the watched informers, in the order of watch().
  std::vector<WatchedInformer> watched() const;
  /// Waits until every watched informer has passed the changes that its store had at the call to
  /// the controller's handler. Together with WatchedInformer::handler and status() this shows
  /// whether a controller is at rest.
  /// @par Blocks   Until then (true), or until `stop` is requested or an informer stops (false).
  bool wait_for_handlers(std::stop_token stop) const;

 private:
  struct Impl;
  struct Source {
    std::string resource{};
    std::function<InformerStatus()> status{};
    std::function<HandlerRegistration()> add_empty_handler{};
    std::function<void(std::function<void()> synced)> on_synced{};
  };
  static void enqueue_into(const std::weak_ptr<Impl>& impl, const ObjectKey& key, int priority);
  Result<void> add_source(Source source,
                          const std::function<HandlerRegistration(HandlerOptions)>& add_handler);

  std::shared_ptr<Impl> impl_;
};

template <Object T>
Result<void> Controller::watch(SharedInformer<T>& informer,
                               std::function<std::vector<ObjectKey>(const Cached<T>&)> keys) {
  const auto enqueue_all = [impl = std::weak_ptr<Impl>(impl_), keys = std::move(keys)](
                               const Cached<T>& object, int priority = 0) {
    for (const ObjectKey& key : keys(object)) enqueue_into(impl, key, priority);
  };
  ResourceEventHandler<T> handler;
  handler.on_add = [enqueue_all](const Cached<T>& object, bool is_initial) {
    enqueue_all(object, is_initial ? kLowPriority : 0);
  };
  handler.on_update = [enqueue_all](const Cached<T>& old_object, const Cached<T>& new_object) {
    const int priority = old_object == new_object ? kLowPriority : 0;
    const std::exception_ptr failure = caught([&] { enqueue_all(old_object, priority); });
    enqueue_all(new_object, priority);
    if (failure) std::rethrow_exception(failure);
  };
  handler.on_delete = [enqueue_all](const DeletedObject<T>& deleted) {
    if (deleted.object) enqueue_all(deleted.object);
  };
  Source source{
      informer.resource().group_resource().to_string(), [&informer] { return informer.status(); },
      [&informer] { return informer.add_event_handler({}, {.name = "controller-fence"}); },
      [&informer](std::function<void()> synced) { informer.on_synced(std::move(synced)); }};
  return add_source(std::move(source), [&](HandlerOptions options) {
    return informer.add_event_handler(std::move(handler), std::move(options));
  });
}

template <Object T>
Result<void> Controller::watch(const MultiNamespaceInformer<T>& informers) {
  return watch<T>(informers, [](const Cached<T>& object) {
    return std::vector<ObjectKey>{object.object_key()};
  });
}

template <Object T>
Result<void> Controller::watch(
    const MultiNamespaceInformer<T>& informers,
    const std::function<std::vector<ObjectKey>(const Cached<T>&)>& keys) {
  for (const auto& [namespace_, informer] : informers.informers()) {
    if (auto watched = watch<T>(*informer, keys); !watched) return watched;
  }
  return {};
}

}  // namespace kube
