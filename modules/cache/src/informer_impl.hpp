// SPDX-License-Identifier: Apache-2.0
//
// The parts of an informer, and where they run:
//   the strand   reflector, queue, store writes, transform, index functions of arriving objects,
//                adding and removing handlers; so a late handler sees the store between two changes
//   handlers     event handlers, each one task at a time; on_synced callbacks
//   the caller   store queries, status, and add_index() for the objects in the store
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "callback_gate.hpp"
#include "delta_fifo.hpp"
#include "listener.hpp"
#include "memory_return.hpp"
#include "processor.hpp"
#include "reflector.hpp"
#include "reflector_bounds.hpp"
#include "store_writer.hpp"

#include <kube/base/executor.hpp>
#include <kube/base/metrics.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/start_reminder.hpp>
#include <kube/base/token_bucket.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/lister_watcher.hpp>

namespace kube::cache {

inline Error stopped_error() {
  return Error(ErrorCode::Cancelled, "the informer has stopped");
}

struct InformerMetrics {
  InformerMetrics(const std::shared_ptr<metrics::Provider>& provider,
                  const meta::ResourceInfo& resource);
  static metrics::Labels labels(const meta::ResourceInfo& resource);
  metrics::Gauge queued_items;
  metrics::Histogram processing_latency;
  metrics::Gauge store_version;
};

struct InformerCore::Impl final : ReflectorTarget, std::enable_shared_from_this<Impl> {
  Impl(Runtime runtime, std::shared_ptr<ListerWatcher> source, meta::ResourceInfo resource,
       const InformerOptions& options, const InformerType& type);

  // ---- ReflectorTarget, on the strand
  /// Whether the store already has this state of the object.
  bool is_known(const Cell& known, const Cell& arrived, Origin origin) const;
  CellRef known(std::string_view key) const override { return writer.find(key); }
  Result<Accepted> accept(CellRef arrived, Origin origin) override;
  void add(CellRef object) override { fifo.add(std::move(object)); }
  void update(CellRef object) override { fifo.update(std::move(object)); }
  void remove(CellRef object) override { fifo.remove(std::move(object)); }
  Result<void> replace(std::vector<CellRef> items, std::string resource_version) override;
  void bookmark(CellRef metadata) override { fifo.bookmark(std::move(metadata)); }
  void flush() override;
  void freed(std::size_t bytes) override { memory_return.freed(bytes); }
  Duration resync_period() const override { return processor.check_period(); }
  void resync() override;
  void watch_error(const Error& error) override;
  void refused(const Error& error) override;
  void incomplete(const Error& error) override;

  // ---- processing, on the strand
  void process_queue();
  void process(const DeltaFifo::Batch& batch);
  void process_changes(const DeltaFifo::Batch& batch);
  void process_replaced(Delta::List& list, bool is_initial);
  void process_sync();
  void become_synced();
  std::vector<CellRef> all_cells() const;

  void call_watch_error_handler(const Error& error);
  /// Calls user code where handlers run, unless stopped.
  void call_soon(std::function<void()> callback);
  /// Runs work(*this) on the strand.
  template <class F>
  void post(F&& work) {
    strand.submit([self = shared_from_this(), work = std::forward<F>(work)] { work(*self); });
  }

  // ---- fixed
  const Runtime runtime;
  const meta::ResourceInfo resource;
  const std::shared_ptr<CallbackGate> calls = std::make_shared<CallbackGate>();
  Strand strand;
  const InformerMetrics metrics;
  const std::shared_ptr<Store> store;
  const std::shared_ptr<const Store> read_only_store;
  std::stop_source stop_source;
  const std::shared_ptr<StartReminder> start_reminder;

  // ---- set before start(), read on the strand after it
  CellTransform transform;
  std::function<void(const Error&)> watch_error_handler;

  // ---- used on the strand; processor and reflector guard what they share with other threads
  StoreWriter writer;
  DeltaFifo fifo;
  Processor processor;
  MemoryReturn memory_return;
  Reflector reflector;

  // ---- used by any thread
  std::atomic<bool> synced{false};
  std::atomic<std::uint64_t> processing_errors{0};
  TokenBucket refusal_lines{kRefusalsPerSecond, kRefusalsAtOnce, runtime.clock()};
  std::atomic<std::uint64_t> handler_count{0};
  mutable Mutex mutex;
  mutable CondVar state_changed;
  bool started KUBE_GUARDED_BY(mutex) = false;
  bool stopped KUBE_GUARDED_BY(mutex) = false;
  std::vector<std::function<void()>> when_synced KUBE_GUARDED_BY(mutex);
};

}  // namespace kube::cache
