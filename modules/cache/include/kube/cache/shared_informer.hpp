// SPDX-License-Identifier: Apache-2.0
//
// kube::SharedInformer<T>: a live, indexed copy of a resource, and its changes for any number of
// handlers (reference: informers-and-queues.md ch. 12-17).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include <kube/base/result.hpp>
#include <kube/cache/event_handler.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/cache/informer_core.hpp>
#include <kube/cache/lister.hpp>
#include <kube/client/rest_client.hpp>

namespace kube {

/// What to hold, and how.
struct InformerOptions {
  std::string namespace_{};  ///< Empty: all.
  std::string label_selector{};
  std::string field_selector{};
  std::chrono::milliseconds resync_period{0};  ///< Default of its handlers; 0: never.
  cache::StoragePolicy storage = cache::StoragePolicy::Wire;
  std::int64_t page_size =
      0;  ///< Objects a page of the list; 0: let the server's cache answer whole.
  std::chrono::milliseconds watch_idle_timeout{90'000};  ///< A silent watch is reopened; 0: never.
};

/// @par Promises
///  [I1] The store is updated before a handler hears of a change.
///  [I2] Calls to one handler come one at a time, in order; handlers do not wait for each other.
///  [I3] A handler added late first hears an add for everything in the store.
///  [I4] has_synced() is never true before a whole list was applied; a handler's, not before it was
///       delivered to it.
///  [I5] No lock is held while user code runs.
/// @par Thread safety   All functions may be called from any thread.
/// @par Stopping   stop() asks; no handler call starts after stop_and_wait() returned. The
///   destructor does stop_and_wait(), except from inside a handler, where it does not wait.
template <Object T>
class SharedInformer {
 public:
  SharedInformer(const RestClient& client, InformerOptions options = {}) requires Described<T>
      : SharedInformer(client, meta::resource_of<T>(), std::move(options)) {}
  SharedInformer(const RestClient& client, meta::ResourceInfo resource,
                 InformerOptions options = {});
  ~SharedInformer();
  SharedInformer(const SharedInformer&) = delete;
  SharedInformer& operator=(const SharedInformer&) = delete;

  /// Adds a handler, before or after start(). The registration's destructor removes it.
  [[nodiscard]] HandlerRegistration add_event_handler(ResourceEventHandler<T> handler,
                                                      HandlerOptions options = {});
  /// Index functions see undecoded objects and may decode them. InvalidArgument for a name in use.
  Result<void> add_index(std::string name, IndexFunc<T> function);
  /// Changes objects before they are stored; before start() only.
  Result<void> set_transform(Transform<T> transform);
  Result<void> set_watch_error_handler(std::function<void(const Error&)> handler);

  Result<void> start();  ///< Returns at once; InvalidArgument when started before.
  void stop();
  void stop_and_wait();

  bool has_synced() const;
  /// @par Blocks   Until synced (true), or stop was requested or the informer stopped (false).
  bool wait_for_sync(std::stop_token stop) const;
  /// Calls `done` once, when synced, from the executor.
  void on_synced(std::function<void()> done);

  Indexer<T> indexer() const;
  Lister<T> lister() const;
  /// The version the store has reached: compare with that of an own write.
  std::string last_sync_resource_version() const;
  InformerStatus status() const;

 private:
  std::shared_ptr<cache::InformerCore> core_;
};

}  // namespace kube
