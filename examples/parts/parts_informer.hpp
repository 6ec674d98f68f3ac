// SPDX-License-Identifier: Apache-2.0
//
// An informer of the library's parts, as client-go's users make one of NewIndexer, NewDeltaFIFO and
// NewReflector. kube::SharedInformer does more: any number of handlers, which delay neither one
// another nor the store, no thread of its own, resyncs, transforms, status, a log and metrics.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <kube/cache/delta_fifo.hpp>
#include <kube/cache/event_handler.hpp>
#include <kube/cache/reflector.hpp>
#include <kube/cache/store.hpp>
#include <kube/client/client.hpp>

// [parts_informer]
/// A cache of one type's objects in a namespace ("": all), and one handler of their changes.
template <kube::Described T>
class PartsInformer {
 public:
  PartsInformer(const kube::Client& client, std::string namespace_,
                kube::ResourceEventHandler<T> handler)
      : handler_(std::move(handler)),
        reflector_(client.runtime(),
                   kube::cache::rest_lister_watcher(client.rest(), kube::meta::resource_of<T>(),
                                                    std::move(namespace_), "", ""),
                   queue_) {}

  kube::Result<void> start() {
    if (auto started = reflector_.start(); !started) return started;
    consumer_ = std::jthread([this](std::stop_token stop) {
      const auto process = [this](const kube::Delta<T>& delta, bool is_in_initial_list) {
        return apply_safely(delta, is_in_initial_list);
      };
      while (!stop.stop_requested() && (!queue_->is_closed() || queue_->size() > 0)) {
        static_cast<void>(queue_->pop(process, stop));
      }
    });
    return {};
  }
  /// Ends waits; what is queued is still applied.
  void stop() {
    reflector_.stop_and_wait();
    queue_->close();
  }
  /// Returns false when `stop` is requested or the informer stops before.
  bool wait_for_sync(std::stop_token stop = {}) const { return queue_->wait_for_sync(stop); }
  const kube::Indexer<T>& indexer() const { return store_; }
  /// The number of changes that the store refused, or for which the handler threw.
  int failures() const { return failures_; }

 private:
  /// Nobody would catch on the consumer's thread what a handler throws.
  kube::Result<void> apply_safely(const kube::Delta<T>& delta, bool is_in_initial_list) noexcept {
    try {
      auto applied = apply(delta, is_in_initial_list);
      if (!applied) ++failures_;
      return applied;
    } catch (...) {
      ++failures_;
      return {};
    }
  }
  /// The store decides what a delta is: a list brings objects that are known, and new ones.
  kube::Result<void> apply(const kube::Delta<T>& delta, bool is_in_initial_list) {
    const kube::Cached<T> old = store_.get_by_key(delta.object.key());
    if (delta.type == kube::DeltaType::Deleted) {
      const kube::DeletedObject<T> deleted{delta.object.object_key(), delta.object,
                                           delta.final_state_unknown};
      if (auto removed = store_.remove(deleted); !removed) return removed;
      if (handler_.on_delete) handler_.on_delete(deleted);
      return {};
    }
    if (auto stored = store_.update(delta.object); !stored) return stored;
    if (old && handler_.on_update) handler_.on_update(old, delta.object);
    if (!old && handler_.on_add) handler_.on_add(delta.object, is_in_initial_list);
    return {};
  }

  const kube::ResourceEventHandler<T> handler_;
  kube::Store<T> store_;
  const std::shared_ptr<kube::DeltaFifo<T>> queue_ = std::make_shared<kube::DeltaFifo<T>>(
      kube::DeltaFifoOptions<T>{.known_objects = store_.indexer()});
  kube::Reflector<T> reflector_;
  std::atomic<int> failures_{0};
  std::jthread consumer_;  // stops first
};
// [parts_informer]
