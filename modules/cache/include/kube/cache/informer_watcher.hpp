// SPDX-License-Identifier: Apache-2.0
//
// kube::InformerWatcher<T>: an informer whose changes a program takes one by one, as from a watch
// (client-go's tools/watch NewIndexerInformerWatcher), and waiting on it (UntilWithSync).
//
//   InformerWatcher<Pod> watcher(client.rest(), {.namespace_ = "web"});
//   if (auto started = watcher.start(); !started) return started.error();
//   const auto is_gone = [](const WatchEvent<Pod>& event) -> Result<bool> {
//     return event.type == WatchEventType::Deleted;
//   };
//   auto gone = until_with_sync<Pod>(watcher, {}, {is_gone}, {.timeout = 1min}, stop);
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/mutex.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/watch_until.hpp>
#include <kube/transport/no_waiting.hpp>

namespace kube {

/// The changes of the store, in order: Added for each object of the first list too, Modified and
/// Deleted. The store has a change before next() returns it. A deletion that the watch did not see
/// is Deleted with the last known object and `final_state_unknown`. An update to the same version
/// is not returned.
///
/// Changes that are not taken are kept: each holds one version of an object.
///
/// @par Thread safety   next() by one thread at a time, the other functions from any.
/// @par Stopping   stop(), or the destructor, which waits as that of SharedInformer does.
template <Object T>
class InformerWatcher {
 public:
  explicit InformerWatcher(const RestClient& client,
                           const InformerOptions& options = {}) requires Described<T>
      : InformerWatcher(client, meta::resource_of<T>(), options) {}
  InformerWatcher(const RestClient& client, const meta::ResourceInfo& resource,
                  const InformerOptions& options = {})
      : queue_(std::make_shared<Queue>(client.runtime().clock())),
        runtime_(client.runtime()),
        informer_(client, resource, options),
        registration_(informer_.add_event_handler(handler())) {}
  /// Uses a source other than an API server.
  InformerWatcher(const Runtime& runtime, std::shared_ptr<cache::ListerWatcher> source,
                  meta::ResourceInfo resource, const InformerOptions& options = {})
      : queue_(std::make_shared<Queue>(runtime.clock())),
        runtime_(runtime),
        informer_(runtime, std::move(source), std::move(resource), options),
        registration_(informer_.add_event_handler(handler())) {}
  ~InformerWatcher() { stop(); }
  InformerWatcher(const InformerWatcher&) = delete;
  InformerWatcher& operator=(const InformerWatcher&) = delete;

  /// Sets the function that is called whenever a list or a watch fails; see SharedInformer.
  /// @par Errors   InvalidArgument: it was started.
  Result<void> set_watch_error_handler(std::function<void(const Error&)> handler) {
    return informer_.set_watch_error_handler(std::move(handler));
  }

  /// @par Errors   InvalidArgument: it was started or stopped before.
  Result<void> start() { return informer_.start(); }

  /// Returns the next change; nullopt after stop(). An object that is not a T is an event of type
  /// Error; the changes after it follow.
  /// @par Errors   Cancelled when `stop` is requested; the informer goes on. InvalidArgument in a
  ///   response handler, as RestClient::send().
  /// @par Blocks   Until there is a change.
  Optional<Result<WatchEvent<T>>> next(std::stop_token stop = {}) {
    Optional<Result<WatchEvent<T>>> out;
    if (const auto allowed = transport::may_wait(); !allowed) {
      out.emplace(allowed.error());
      return out;
    }
    Change change;
    switch (queue_->take(change, std::move(stop))) {
      case Taken::End:
        return out;
      case Taken::Stopped:
        out.emplace(Error(ErrorCode::Cancelled, "stopped while waiting for an event"));
        return out;
      case Taken::Change:
        break;
    }
    out.emplace(WatchEvent<T>{});
    WatchEvent<T>& event = **out;
    if (const auto object = change.object.get()) {
      event.type = change.type;
      event.final_state_unknown = change.final_state_unknown;
      event.object = **object;
    } else {
      event.error = object.error();
    }
    return out;
  }

  /// Ends the informer and the changes, those that were not taken too. Idempotent.
  void stop() {
    queue_->stop();
    informer_.stop();
  }

  bool wait_for_sync(std::stop_token stop = {}) const {
    return informer_.wait_for_sync(std::move(stop));
  }
  /// Says why it does not sync, in InformerStatus::last_error.
  InformerStatus status() const { return informer_.status(); }
  Indexer<T> indexer() const { return informer_.indexer(); }
  Lister<T> lister() const { return informer_.lister(); }
  const Runtime& runtime() const& { return runtime_; }
  Runtime runtime() const&& { return runtime_; }

 private:
  struct Change {
    WatchEventType type = WatchEventType::Error;
    Cached<T> object{};
    bool final_state_unknown = false;
  };
  enum class Taken { Change, End, Stopped };

  class Queue {
   public:
    explicit Queue(std::shared_ptr<Clock> clock) : clock_(std::move(clock)) {}
    void put(WatchEventType type, const Cached<T>& object, bool final_state_unknown = false) {
      {
        const MutexLock lock(mutex_);
        if (stopped_) return;
        changes_.push_back({type, object, final_state_unknown});
      }
      changed_.notify_all();
    }
    Taken take(Change& change, std::stop_token stop) {
      MutexLock lock(mutex_);
      const WaitStatus status = clock_->wait_until(
          lock, changed_, TimePoint::max(), std::move(stop),
          [this]() KUBE_REQUIRES(mutex_) { return stopped_ || !changes_.empty(); });
      if (stopped_) return Taken::End;
      if (status != WaitStatus::Ready) return Taken::Stopped;
      change = std::move(changes_.front());
      changes_.pop_front();
      return Taken::Change;
    }
    void stop() {
      std::deque<Change> dropped;  // destroyed without the lock
      {
        const MutexLock lock(mutex_);
        stopped_ = true;
        dropped.swap(changes_);
      }
      changed_.notify_all();
    }

   private:
    const std::shared_ptr<Clock> clock_;
    Mutex mutex_;
    CondVar changed_;
    std::deque<Change> changes_ KUBE_GUARDED_BY(mutex_);
    bool stopped_ KUBE_GUARDED_BY(mutex_) = false;
  };

  ResourceEventHandler<T> handler() const {
    return {
        .on_add = [queue = queue_](const Cached<T>& object,
                                   bool) { queue->put(WatchEventType::Added, object); },
        .on_update =
            [queue = queue_](const Cached<T>& before, const Cached<T>& object) {
              if (before == object) return;  // a resync, or a relist without a change
              queue->put(WatchEventType::Modified, object);
            },
        .on_delete =
            [queue = queue_](const DeletedObject<T>& deleted) {
              queue->put(WatchEventType::Deleted, deleted.object, deleted.final_state_unknown);
            },
    };
  }

  const std::shared_ptr<Queue> queue_;
  const Runtime runtime_;
  SharedInformer<T> informer_;
  HandlerRegistration registration_;
};

/// Returns whether what is waited for is so already.
template <Object T>
using Precondition = std::function<Result<bool>(const Indexer<T>& store)>;

/// Waits until the watcher, which was started, has synced, asks `precondition` about its store, and
/// if that is empty or false waits for the conditions: they get the objects of the store as Added
/// events first (client-go's UntilWithSync). When the precondition is true, no event is taken.
/// @par Errors   Cancelled "UntilWithSync: unable to sync caches" when the watcher was stopped
///   before it has synced for the precondition; the error of the precondition; those of
///   until_without_retry(); Timeout "timed out waiting for the condition", before the sync that the
///   precondition needs "UntilWithSync: unable to sync caches: timed out waiting for the
///   condition". Timeout and Cancelled end with "; last error: ..." when the last list or watch has
///   failed, which is tried again until then: without a timeout, see set_watch_error_handler().
/// @par Blocks   Until the last condition is true or one of these errors.
template <Object T>
UntilResult<T> until_with_sync(InformerWatcher<T>& watcher, const Precondition<T>& precondition,
                               const std::vector<WatchCondition<T>>& conditions,
                               const UntilOptions& until = {}, std::stop_token stop = {}) {
  static constexpr std::string_view kUnableToSync = "UntilWithSync: unable to sync caches";
  bool unable_to_sync = false;
  const auto wait = [&](const std::stop_token& token) -> UntilResult<T> {
    if (precondition) {
      if (!watcher.wait_for_sync(token)) {
        unable_to_sync = true;
        return {Error(ErrorCode::Cancelled, std::string(kUnableToSync)), {}};
      }
      const Result<bool> fulfilled = precondition(watcher.indexer());
      if (!fulfilled) return {fulfilled.error(), {}};
      if (*fulfilled) return {};
    }
    return until_without_retry<T>(watcher, conditions, token);
  };
  UntilResult<T> out = detail::with_timeout<T>(watcher.runtime(), until, stop, wait,
                                               [&] { return watcher.status().last_error; });
  if (unable_to_sync && out.result.error().code() == ErrorCode::Timeout) {
    out.result =
        Error(ErrorCode::Timeout, std::string(kUnableToSync) + ": " + out.result.error().message());
  }
  return out;
}

}  // namespace kube
