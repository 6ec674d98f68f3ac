// SPDX-License-Identifier: Apache-2.0
//
// kube::SharedInformer<T>: a live, indexed copy of a resource, and its changes for any number of
// handlers (docs/reference/informers-and-queues.md ch. 12-17).
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/cache/event_handler.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/cache/informer_core.hpp>
#include <kube/cache/lister.hpp>
#include <kube/cache/transform.hpp>
#include <kube/client/rest_client.hpp>

namespace kube {

/// @par Promises
///  [I1] The store is updated before a handler hears of a change.
///  [I2] Calls to one handler come one at a time, in order. Neither the store nor other handlers
///       wait for a slow one, as long as a thread of Runtime::handlers is free.
///  [I3] A handler added late first hears an add for everything in the store.
///  [I4] has_synced() is never true before a whole list was applied; a handler's, not before it was
///       delivered to it.
///  [I5] No lock is held while user code runs.
///  [I6] A relist tells handlers of each object that is still there by on_update(), also when the
///       object is the same as before (then both are the same cell), as client-go does. With a
///       resync period, handlers that want no resync are spared those.
///  [I7] User code that throws (source, transform, index function, handler, any callback, logger,
///       metrics) stops nothing: each says what becomes of it, and the informer goes on.
/// @par Bounds   What a server says is taken within these, for each informer. Requests: 20 at once
///   and 30 a minute in the long run, backoff apart; a page of a list that is at least half full is
///   for free. Retry-After: two minutes. One list, with all its pages: an hour, and
///   InformerOptions::max_list_bytes. A watch: 30 s more than it was asked to take, which is 5 to
///   10 minutes. An object: 64 MiB (16 MiB in a watch in protobuf); a larger one is refused alone.
/// @par Thread safety   All functions may be called from any thread, handlers included.
/// @par Threads   None of its own: work runs on the client's executor, handlers on
///   Runtime::handlers, bytes are split on the transport's I/O thread.
/// @par Stopping   stop() asks; no handler call starts after stop_and_wait() returned, and what
///   waited for handlers is dropped. The destructor does stop_and_wait(), except from inside a
///   handler (or another callback of the informer), where it does not wait. Not restartable.
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
  /// With another source than a server.
  SharedInformer(Runtime runtime, std::shared_ptr<cache::ListerWatcher> source,
                 meta::ResourceInfo resource, const InformerOptions& options = {})
      : storage_(options.storage),
        core_(std::make_shared<cache::InformerCore>(std::move(runtime), std::move(source),
                                                    std::move(resource), options, type())) {}
  ~SharedInformer() { core_->stop_and_wait(); }
  SharedInformer(const SharedInformer&) = delete;
  SharedInformer& operator=(const SharedInformer&) = delete;

  /// Adds a handler, before or after start(). The registration's destructor removes it. After the
  /// informer has stopped the handler is never called.
  [[nodiscard]] HandlerRegistration add_event_handler(ResourceEventHandler<T> handler,
                                                      HandlerOptions options = {});

  /// Adds an index, before or after start(); what is in the store is indexed before it returns.
  /// Index functions see undecoded objects and may decode them. InvalidArgument for a name in use
  /// ("namespace" always is).
  Result<void> add_index(std::string_view name, IndexFunc<T> function);

  /// Changes objects before they are stored; an empty function does not. InvalidArgument after
  /// start().
  Result<void> set_transform(Transform<T> transform) {
    return core_->set_transform(cache::to_cell_transform<T>(std::move(transform), storage_));
  }

  /// Hears of every list or watch that could not be had, be it that the source threw; the informer
  /// tries again whatever it does. A watch that breaks off is reopened and not reported here, but
  /// in status() and the log. Also when objects were refused (see Transform): once a list, and of a
  /// watch ten times and then once in ten seconds, and before the next request, with the number of
  /// those that were left out. status() counts all.
  /// InvalidArgument after start().
  Result<void> set_watch_error_handler(std::function<void(const Error&)> handler) {
    return core_->set_watch_error_handler(std::move(handler));
  }

  Result<void> start() {
    return core_->start();
  }  ///< Returns at once; InvalidArgument when started before.
  void stop() { core_->stop(); }
  void stop_and_wait() { core_->stop_and_wait(); }

  /// Was asked to stop, once and for all.
  bool is_stopped() const { return core_->is_stopped(); }

  bool has_synced() const { return core_->has_synced(); }
  /// @par Blocks   Until synced (true), or stop was requested or the informer stopped (false). One
  ///   that is never started never syncs: five seconds after its first use (a handler, lister() or
  ///   indexer(), has_synced(), a wait) a warning in the log and status() say that it was not.
  bool wait_for_sync(std::stop_token stop) const { return core_->wait_for_sync(std::move(stop)); }
  /// Calls `done` once, when synced, from Runtime::handlers; never if it stops before.
  void on_synced(std::function<void()> done) { core_->on_synced(std::move(done)); }

  Indexer<T> indexer() const { return Indexer<T>(core_->store()); }
  Lister<T> lister() const { return Lister<T>(core_->store()); }
  const meta::ResourceInfo& resource() const { return core_->resource(); }
  /// The version the store has reached: compare with that of an own write.
  std::string last_sync_resource_version() const { return core_->store()->resource_version(); }
  InformerStatus status() const { return core_->status(); }

 private:
  static cache::InformerType type() {
    return {cache::cell_type<T>(), std::same_as<T, Unstructured>, preferred_encoding<T>()};
  }

  cache::StoragePolicy storage_;
  std::shared_ptr<cache::InformerCore> core_;
};

template <Object T>
HandlerRegistration SharedInformer<T>::add_event_handler(ResourceEventHandler<T> handler,
                                                         HandlerOptions options) {
  cache::CellHandler cells;
  if (handler.on_add) {
    cells.on_add = [on_add = std::move(handler.on_add)](const cache::CellRef& object,
                                                        bool initial) {
      on_add(Cached<T>(object), initial);
    };
  }
  if (handler.on_update) {
    cells.on_update = [on_update = std::move(handler.on_update)](const cache::CellRef& old_object,
                                                                 const cache::CellRef& new_object) {
      on_update(Cached<T>(old_object), Cached<T>(new_object));
    };
  }
  if (handler.on_delete) {
    cells.on_delete = [on_delete = std::move(handler.on_delete)](const cache::CellRef& last_known,
                                                                 bool final_state_unknown) {
      const Cached<T> object(last_known);
      on_delete(DeletedObject<T>{object.object_key(), object, final_state_unknown});
    };
  }
  return core_->add_event_handler(std::move(cells), std::move(options));
}

template <Object T>
Result<void> SharedInformer<T>::add_index(std::string_view name, IndexFunc<T> function) {
  return core_->add_index(std::string(name),
                          [function = std::move(function)](
                              const cache::CellRef& cell) -> Result<std::vector<std::string>> {
                            return function(Cached<T>(cell));
                          });
}

/// Waits for informers and registrations, whatever has a wait_for_sync(). What has synced already
/// counts even if stop was requested.
/// @par Blocks   Until all have synced (true), or stop was requested or one of them ended (false).
template <class... Synced>
bool wait_for_cache_sync(std::stop_token stop, const Synced&... synced) {
  bool all = true;
  // No short cut: each gets to say that it is done.
  ((all = synced.wait_for_sync(stop) && all), ...);
  return all;
}

}  // namespace kube
