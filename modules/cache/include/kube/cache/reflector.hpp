// SPDX-License-Identifier: Apache-2.0
//
// kube::Reflector<T>: keeps a store of the program in step with a resource, without an informer:
// list, watch, watch again, list again (docs/reference/informers-and-queues.md ch. 12). Informers
// are made of the same.
//
//   const auto names = std::make_shared<PodNames>();  // a ReflectorStore<Pod>
//   auto web = cache::rest_lister_watcher(client.rest(), meta::resource_of<Pod>(), "web", "", "");
//   Reflector<Pod> reflector(client.runtime(), std::move(web), names);
//   if (auto started = reflector.start(); !started) return started.error();
//   if (!reflector.wait_for_sync(stop)) return Error(ErrorCode::Cancelled, "stopped");
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/detail/reflector_core.hpp>
#include <kube/cache/detail/typed_cell.hpp>
#include <kube/cache/lister_watcher.hpp>
#include <kube/cache/reflector_store.hpp>
#include <kube/names/object_key.hpp>

namespace kube {

namespace cache {

/// A ReflectorStore<T> as a CellReceiver.
/// @par Thread safety   As the store.
template <Object T>
class TypedReceiver final : public CellReceiver {
 public:
  explicit TypedReceiver(std::shared_ptr<ReflectorStore<T>> store) : store_(std::move(store)) {}
  /// @par Errors   Those of the store.
  Result<void> apply(const Delta& change) override {
    if (change.type == DeltaType::Bookmark) {
      return store_->bookmark(change.cell->resource_version());
    }
    const Cached<T> object(change.cell);
    if (change.final_state_unknown) return store_->remove_last_known(object);
    if (change.type == DeltaType::Deleted) return store_->remove(object);
    return change.type == DeltaType::Added ? store_->add(object) : store_->update(object);
  }
  Result<void> replace(std::vector<CellRef> objects, std::string_view version) override {
    std::vector<Cached<T>> typed;
    typed.reserve(objects.size());
    for (CellRef& object : objects) typed.emplace_back(std::exchange(object, {}));
    return store_->replace(std::move(typed), version);
  }
  Result<void> resync() override { return store_->resync(); }
  CellRef known(const ObjectKey& names) const override { return store_->known(names).ref(); }

 private:
  const std::shared_ptr<ReflectorStore<T>> store_;
};

}  // namespace cache

/// @par Promises
///  [R1] The store is called one call at a time, in the order of the server's events, with no lock
///    held.
///  [R2] The first call is replace(), with a complete list or streamed initial state. A later list
///    is a replace() too.
///  [R3] An Error or an exception of add(), update(), remove() or bookmark() is logged, counted in
///    status().processing_errors and reported to the watch error handler (the first ten, then one
///    every ten seconds); the watch goes on. One of replace() fails the list, which is tried again;
///    one of resync() ends the watch, and a list follows. Objects that replace() has left out, by
///    its transaction_error(), are counted and logged one by one and reported once, with their
///    number; the store is in step.
///  [R4] An object that no cache can store (a name that can't be in a path, metadata that can't be
///    read, more than 64 MiB) is left out and reported in the same way. The state that the store
///    has of it, ReflectorStore::known(), stays; a deletion removes it, by remove_last_known(),
///    also when remove() fails for an object that can't be decoded.
/// @par Bounds   Those of SharedInformer.
/// @par Thread safety   All functions may be called from any thread, the store's own included.
/// @par Threads   None of its own: work runs on the runtime's executor, bytes are split on the
///   transport's I/O thread.
/// @par Stopping   stop() requests it. After stop_and_wait() returns, no call of the store starts.
///   The destructor calls stop_and_wait(), which does not wait inside a call of the store. A
///   reflector can't be started again.
template <Object T>
class Reflector {
 public:
  Reflector(Runtime runtime, std::shared_ptr<cache::ListerWatcher> source,
            std::shared_ptr<ReflectorStore<T>> store,
            const ReflectorOptions& options = {}) requires Described<T>
      : Reflector(std::move(runtime), std::move(source), meta::resource_of<T>(), std::move(store),
                  options) {}
  Reflector(Runtime runtime, std::shared_ptr<cache::ListerWatcher> source,
            const meta::ResourceInfo& resource, std::shared_ptr<ReflectorStore<T>> store,
            const ReflectorOptions& options = {})
      : core_(std::move(runtime), std::move(source), resource, options,
              cache::InformerType{cache::cell_type<T>(), std::same_as<T, Unstructured>,
                                  preferred_encoding<T>(), response_form<T>()},
              store ? std::make_unique<cache::TypedReceiver<T>>(std::move(store)) : nullptr) {}
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  /// Sets the function that is called whenever a list or a watch fails, or an object or a call of
  /// the store; the reflector tries again in any case.
  /// @par Errors   InvalidArgument: the reflector was started.
  Result<void> set_watch_error_handler(std::function<void(const Error&)> handler) {
    return core_.set_watch_error_handler(std::move(handler));
  }

  /// Sets the function that is called when InformerStatus::condition changes, as that of an
  /// informer: SharedInformer::set_condition_handler().
  /// @par Errors   InvalidArgument: the reflector was started.
  Result<void> set_condition_handler(
      std::function<void(InformerCondition, const Optional<Error>&)> handler) {
    return core_.set_condition_handler(std::move(handler));
  }

  /// Starts listing and watching; returns at once.
  /// @par Errors   InvalidArgument: the reflector was started or stopped before; there is no source
  ///   or no store, or ReflectorOptions::drop_fields is invalid: it has then stopped.
  Result<void> start() { return core_.start(); }
  void stop() { core_.stop(); }
  /// @par Blocks   Until the running call of the store or of the handler has returned; not inside
  ///   one of them.
  void stop_and_wait() { core_.stop_and_wait(); }

  /// Whether the store has taken a whole initial state. Stays true.
  bool has_synced() const { return core_.has_synced(); }
  /// A reflector that was not started five seconds later is named in the log, and by status().
  /// @par Blocks   Until has_synced() (true), or `stop` is requested or the reflector stops
  /// (false);
  ///   false at once where SharedInformer::wait_for_sync() is.
  bool wait_for_sync(std::stop_token stop = {}) const {
    return core_.wait_for_sync(std::move(stop));
  }
  /// Returns ReflectorOptions::name, or what the source lists and watches.
  std::string name() const { return core_.name(); }

  /// Returns the version of the last list, event or bookmark; "" before the first list.
  std::string last_sync_resource_version() const { return core_.last_sync_resource_version(); }
  /// Whether the server no longer has that version, does not have it yet or does not accept it; the
  /// next list then requests the newest.
  bool is_last_sync_resource_version_unavailable() const {
    return core_.is_last_sync_resource_version_unavailable();
  }
  /// Returns the state; objects, bytes and handlers, which only an informer has, are empty.
  InformerStatus status() const { return core_.status(); }

 private:
  cache::ReflectorCore core_;
};

}  // namespace kube
