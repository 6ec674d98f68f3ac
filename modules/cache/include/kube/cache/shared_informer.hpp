// SPDX-License-Identifier: Apache-2.0
//
// kube::SharedInformer<T>: a live, indexed copy of a resource, which reports changes to any number
// of handlers (docs/reference/informers-and-queues.md ch. 12-17).
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/cache/detail/cell_transform.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/event_handler.hpp>
#include <kube/cache/index_functions.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/cache/lister.hpp>
#include <kube/cache/store_observer.hpp>
#include <kube/cache/transform.hpp>
#include <kube/client/rest_client.hpp>

namespace kube {

/// Of meta::PartialObjectMetadata, with the ResourceInfo of any resource, it requests and stores
/// the metadata of the objects alone.
/// @par Promises
///  [I1] The store is updated before a handler is called for a change.
///  [I2] A handler is called one change at a time, in order. A slow handler delays neither the
///    store nor other handlers, as long as a thread of Runtime::handlers is free.
///  [I3] A handler that is added late first gets an add for every object in the store.
///  [I4] has_synced() is not true before a complete list was applied, or a saved state that the
///       server resumes from; that of a handler, not before it was delivered to it.
///  [I5] No lock is held while user code runs.
///  [I6] After a relist, handlers get an on_update() for each object that still exists, even when
///    the object is unchanged (then both are the same cell), as client-go does. With a resync
///    period, handlers without resync do not get those.
///  [I7] User code that throws (source, transform, index function, handler, any callback, logger,
///       metrics) does not stop the informer; the documentation of each says what follows.
/// @par Bounds   The limits for each informer, whatever the server does. Requests: 20 in a burst
///   and 30 a minute on average, in addition to backoff; a page that is at least half full costs
///   nothing. Retry-After: two minutes. One list, with all its pages: an hour, and
///   InformerOptions::max_list_bytes. A watch: 30 s more than the time in its request, which is 5
///   to 10 minutes. An object: 64 MiB; only a larger object itself is refused.
/// @par Thread safety   All functions may be called from any thread, handlers included.
/// @par Threads   None of its own: work runs on the client's executor, handlers run on
///   Runtime::handlers, and bytes are split on the transport's I/O thread.
/// @par Stopping   stop() requests it. After stop_and_wait() returns, no handler call starts;
///   pending notifications are dropped. The destructor calls stop_and_wait(), which does not wait
///   inside a handler (or another callback of the informer). An informer can't be started again.
template <Object T>
class SharedInformer {
 public:
  SharedInformer(const RestClient& client,
                 const InformerOptions& options = {}) requires Described<T>
      : SharedInformer(client, meta::resource_of<T>(), options) {}
  SharedInformer(const RestClient& client, const meta::ResourceInfo& resource,
                 const InformerOptions& options = {})
      : storage_(options.storage),
        core_(std::make_shared<cache::InformerCore>(client, resource, options, type())) {}
  /// Uses a source other than an API server.
  SharedInformer(Runtime runtime, std::shared_ptr<cache::ListerWatcher> source,
                 meta::ResourceInfo resource, const InformerOptions& options = {})
      : storage_(options.storage),
        core_(std::make_shared<cache::InformerCore>(std::move(runtime), std::move(source),
                                                    std::move(resource), options, type())) {}
  ~SharedInformer() { core_->stop_and_wait(); }
  SharedInformer(const SharedInformer&) = delete;
  SharedInformer& operator=(const SharedInformer&) = delete;

  /// Adds a handler, before or after start(). The destructor of the registration removes it. The
  /// handler is never called after the informer has stopped.
  [[nodiscard]] HandlerRegistration add_event_handler(ResourceEventHandler<T> handler,
                                                      HandlerOptions options = {});

  /// Adds indexes, before or after start(), all or none, and indexes the objects of the store
  /// before it returns. Index functions get objects that are not decoded, and may decode them.
  /// @par Errors   InvalidArgument: a name is in use ("namespace" always is). Cancelled: the
  ///   informer has stopped.
  Result<void> add_indexers(Indexers<T> indexers) {
    return core_->add_indexes(cache::to_cell_indexes<T>(std::move(indexers)));
  }
  Result<void> add_index(std::string_view name, IndexFunc<T> function) {
    return add_indexers({{std::string(name), std::move(function)}});
  }

  /// Sets the transform of objects before they are stored; an empty function means none.
  /// @par Errors   InvalidArgument: the informer was started.
  Result<void> set_transform(Transform<T> transform) {
    return core_->set_transform(cache::to_cell_transform<T>(std::move(transform), storage_));
  }

  /// Sets the function that is called whenever a list or a watch fails, including when the source
  /// throws; the informer tries again in any case. A watch that breaks off is reopened and reported
  /// in status() and the log, but not here. It is also called when objects were refused (see
  /// Transform): once for a list; for a watch ten times, then once every ten seconds and before the
  /// next request, with the number of objects. status() counts all of them.
  /// @par Errors   InvalidArgument: the informer was started.
  Result<void> set_watch_error_handler(std::function<void(const Error&)> handler) {
    return core_->set_watch_error_handler(std::move(handler));
  }

  /// Sets the function that is called when the InformerCondition changes, with the error unless it
  /// is Healthy: a CRD that is missing, goes or comes back, a permission that is lost or given. The
  /// informer tries again in any case, after a 404 or 403 up to every two minutes. Calls come one
  /// at a time, from the executor of the client, before those of the watch error handler. The log
  /// has a failure once, and again every ten minutes while it lasts.
  /// @par Errors   InvalidArgument: the informer was started.
  Result<void> set_condition_handler(
      std::function<void(InformerCondition condition, const Optional<Error>& error)> handler) {
    return core_->set_condition_handler(std::move(handler));
  }

  /// Starts listing and watching; returns at once.
  /// @par Errors   InvalidArgument: the informer was started or stopped before; there is no source,
  ///   or InformerOptions::drop_fields is invalid: it has then stopped.
  Result<void> start() { return core_->start(); }

  void stop() { core_->stop(); }
  /// @par Blocks   Until the running callbacks have returned, and the state is saved
  ///   (InformerOptions::state_dir); not inside one of them.
  void stop_and_wait() { core_->stop_and_wait(); }

  /// Whether stop() was called; stays true.
  bool is_stopped() const { return core_->is_stopped(); }

  bool has_synced() const { return core_->has_synced(); }
  /// An informer that is not started never syncs: five seconds after its first use (a handler,
  /// lister(), indexer(), has_synced() or a wait), the log and status() warn about it.
  /// @par Blocks   Until the informer has synced (true), or `stop` is requested or the informer
  ///   stops (false). Where it would wait for itself, it returns false at once and the log has an
  ///   error: in a response handler (RestClient::start()), and in this informer's transform, index
  ///   functions and error handlers.
  bool wait_for_sync(std::stop_token stop = {}) const {
    return core_->wait_for_sync(std::move(stop));
  }
  /// Calls `done` once from Runtime::handlers, when the informer has synced; never when it stops
  /// before.
  void on_synced(std::function<void()> done) { core_->on_synced(std::move(done)); }

  /// Whether the cache has reached a resourceVersion, such as that of an object that was written.
  /// Versions are compared as numbers; others only for being the same. That the cache has a version
  /// means that it has every change of its objects up to it, but of objects that it refused
  /// (InformerStatus::processing_errors): of these it has the state before, until it accepts one.
  bool has_version(std::string_view resource_version) const {
    return core_->has_version(resource_version);
  }
  /// Waits for has_version(). The version must be one of this resource; where all resources are in
  /// one etcd, it may be of any, but then it may take until the next bookmark, about a minute.
  /// @par Errors   Timeout, with the version that the cache has. Cancelled: `stop` is requested, or
  ///   the informer stops. InvalidArgument: the version is empty, or the call would wait for
  ///   itself, as wait_for_sync().
  /// @par Blocks   Until has_version() or an error; do not call it in a handler.
  Result<void> wait_for(std::string_view resource_version, Duration timeout,
                        std::stop_token stop = {}) const {
    return core_->wait_for(resource_version, timeout, std::move(stop));
  }
  /// Calls `done` once from Runtime::handlers, when the cache has the version; never when the
  /// informer stops, or `owner` is destroyed, before. A version that this cache never reaches
  /// is waited for until then.
  void on_version(std::string resource_version, std::function<void()> done,
                  const std::shared_ptr<const void>& owner) const {
    core_->on_version(std::move(resource_version), std::move(done), owner);
  }

  /// Has an observer follow the store, before or after start(). It is held weakly.
  void add_store_observer(const std::shared_ptr<cache::StoreObserver>& observer) {
    core_->add_store_observer(observer);
  }
  /// The informer without its type, for code that works on cells. It stops with this object.
  std::shared_ptr<const cache::InformerCore> core() const { return core_; }

  Indexer<T> indexer() const { return Indexer<T>(core_->store()); }
  Lister<T> lister() const { return Lister<T>(core_->store(), core_->freshness()); }
  const meta::ResourceInfo& resource() const { return core_->resource(); }
  /// Returns the resourceVersion that the store has reached, to compare with that of a write.
  std::string last_sync_resource_version() const { return core_->store()->resource_version(); }
  InformerStatus status() const { return core_->status(); }

 private:
  static cache::InformerType type() {
    return {cache::cell_type<T>(), std::same_as<T, Unstructured>, preferred_encoding<T>(),
            response_form<T>()};
  }

  cache::StoragePolicy storage_;
  std::shared_ptr<cache::InformerCore> core_;
};

template <Object T>
HandlerRegistration SharedInformer<T>::add_event_handler(ResourceEventHandler<T> handler,
                                                         HandlerOptions options) {
  auto cells = [handler = std::move(handler)](const cache::Delta& change) {
    if (change.type == DeltaType::Added) {
      if (handler.on_add) handler.on_add(Cached<T>(change.cell), change.is_initial);
    } else if (change.type == DeltaType::Updated) {
      if (handler.on_update) handler.on_update(Cached<T>(change.old), Cached<T>(change.cell));
    } else if (handler.on_delete) {
      const Cached<T> object(change.cell);
      handler.on_delete(DeletedObject<T>{object.object_key(), object, change.final_state_unknown});
    }
  };
  return core_->add_event_handler(std::move(cells), std::move(options));
}

/// Waits for informers and registrations, or anything else with a wait_for_sync(). Those that have
/// synced count even when `stop` is requested.
/// @par Blocks   Until all have synced (true), or `stop` is requested or one of them stops (false).
template <class... Synced>
bool wait_for_cache_sync(std::stop_token stop, const Synced&... synced) {
  bool all = true;
  // Without short-circuit evaluation: synced ones count even after a stop request.
  ((all = synced.wait_for_sync(stop) && all), ...);
  return all;
}
/// The same, until all have synced or one of them stops.
/// @par Blocks   As above.
template <class First, class... Synced>
requires(!std::same_as<First, std::stop_token>) bool wait_for_cache_sync(const First& first,
                                                                         const Synced&... synced) {
  return wait_for_cache_sync(std::stop_token(), first, synced...);
}

}  // namespace kube
