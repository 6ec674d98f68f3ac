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
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "listener.hpp"
#include "processor.hpp"
#include "reflector_owner.hpp"
#include "refused_objects.hpp"
#include "state_file.hpp"
#include "store_writer.hpp"

#include <kube/base/executor.hpp>
#include <kube/base/metrics.hpp>
#include <kube/base/mutex.hpp>
#include <kube/cache/detail/delta_fifo.hpp>
#include <kube/cache/detail/freshness.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/lister_watcher.hpp>
#include <kube/cache/store_observer.hpp>

namespace kube::cache {

inline Error stopped_error() {
  return Error(ErrorCode::Cancelled, "the informer has stopped");
}

struct InformerMetrics {
  InformerMetrics(const std::shared_ptr<metrics::Provider>& provider,
                  const meta::ResourceInfo& resource, const InformerOptions& options);
  /// As client-go's.
  static metrics::Labels labels(const meta::ResourceInfo& resource);
  /// One series for each informer: the dead one of a namespace is not hidden by a live one.
  static metrics::Labels labels(const meta::ResourceInfo& resource, const InformerOptions& options);
  metrics::Gauge queued_items;
  metrics::Histogram processing_latency;
  metrics::Gauge store_version;
  metrics::Gauge staleness;
  metrics::Gauge received_objects;
  metrics::Gauge expected_objects;
  metrics::Gauge objects;
  metrics::Gauge bytes;
  metrics::Gauge refused_objects;
  metrics::Gauge healthy;
  metrics::Counter observed_deletions;
  metrics::Counter inferred_deletions;
  metrics::Counter processing_errors;
};

/// What tells one state of an informer from another: after a list the same version may be that of
/// another server.
struct StateMark {
  std::uint64_t lists = 0;
  std::string version{};
  bool operator==(const StateMark&) const = default;
};
struct UnsavedState {
  SavedState state{};
  StateMark mark{};
};

struct InformerCore::Impl final : ReflectorOwner {
  Impl(Runtime runtime, std::shared_ptr<ListerWatcher> source, meta::ResourceInfo resource,
       const InformerOptions& options, const InformerType& type);

  // ---- ReflectorTarget, on the strand
  /// Puts the transformed cell into it, or why the object is refused.
  Result<void> transform_arrived(Arrived& arrived);
  /// Whether the store already has this state of the object.
  bool is_known(const Cell& known, const Delta& arrived) const;
  CellRef known(std::string_view key) const override { return writer.find(key); }
  Result<void> accept(Arrived& arrived) override;
  void apply(Delta change) override { fifo.push(std::move(change)); }
  Result<void> replace(std::vector<CellRef> items, std::string resource_version) override;
  void flush() override;
  bool transforms() const override { return transform != nullptr; }
  Duration resync_period() const override { return processor.check_period(); }
  Result<void> resync() override;
  void condition_changed(InformerCondition condition, const Optional<Error>& error) override;
  using ReflectorOwner::refused;
  void refused(const Error& error, const Delta& object) override;
  void initial_begins() override { refused_objects.list_begins(); }
  void initial_lacks(std::string_view key) override {
    refused_objects.gone(key, DeltaType::Replaced);
  }

  // ---- ReflectorOwner
  std::string called() const override { return resource.group_resource().to_string(); }
  std::string_view refused_line() const override { return "object dropped or not indexed"; }
  /// Starts it, or reminds of the start.
  void used() override;
  Result<void> check_options() const override;
  void starting() override;
  std::optional<SavedState> saved_state() override;
  void stopping() override;
  void stopped_on_strand() override;

  // ---- processing, on the strand
  void process_queue();
  void process(DeltaFifo::Batch& batch);
  void process_changes(DeltaFifo::Batch& batch);
  void process_replaced(DeltaFifo::Batch& batch);
  void process_sync();
  /// Passes what the store has applied to the handlers.
  void notify(std::span<Delta> changes, bool is_initial);
  void become_synced();
  /// Logs the refused objects that were not logged yet, now or when the next line is due.
  void log_refused_objects();
  /// Sets the gauges that change while nothing happens, now and every second.
  void report();
  std::vector<CellRef> all_cells() const;

  // ---- the state for the next run (informer_saving.cpp)
  /// Saves when the period has passed, again and again. On the strand.
  void save_later();
  void save_now();
  /// Returns the state that the file should have, if it does not have it. Between two changes, on
  /// the strand, it is of one moment; otherwise some objects may be newer than its version.
  std::optional<UnsavedState> unsaved_state() const;
  void save(const UnsavedState& unsaved);
  /// The last time; once.
  void save_at_end();
  template <class F>
  void for_each_observer(const F& call);

  /// Calls user code where handlers run, unless stopped.
  void call_soon(std::function<void()> callback);
  /// Runs work(*this) on the strand.
  template <class F>
  void post(F&& work) {
    strand.submit([self = self(), work = std::forward<F>(work)] { work(*self); });
  }
  std::shared_ptr<Impl> self() { return std::static_pointer_cast<Impl>(shared_from_this()); }

  // ---- fixed
  const meta::ResourceInfo resource;
  const std::string scope;
  const bool start_on_first_use;
  const CellType& cell_type;
  const bool stores_decoded;
  const Duration save_period;
  StateFile state_file;  ///< Changed by the constructors alone.
  const InformerMetrics metrics;
  const metrics::Labels handler_labels;
  const std::shared_ptr<Store> store;
  const std::shared_ptr<const Store> read_only_store;
  const std::shared_ptr<Freshness> freshness;

  // ---- set before start(), read on the strand after it
  CellTransform transform;

  // ---- used on the strand; processor and reflector guard what they share with other threads
  StoreWriter writer;
  DeltaFifo fifo;
  Processor processor;
  Timer report_timer;
  Timer save_timer;
  Timer refused_timer;
  bool refused_line_waits = false;
  std::vector<std::weak_ptr<StoreObserver>> observers;

  // ---- used by any thread
  RefusedObjects refused_objects{metrics.refused_objects};
  std::atomic<bool> bad_options_logged{false};
  TokenBucket refused_lines{kRefusalsPerSecond, kRefusalsAtOnce, runtime.clock()};
  std::atomic<std::uint64_t> handler_count{0};
  std::atomic<bool> saved_at_end{false};
  StateMark saved KUBE_GUARDED_BY(mutex);  ///< Of the file.
  std::vector<std::function<void()>> when_synced KUBE_GUARDED_BY(mutex);
};

}  // namespace kube::cache
