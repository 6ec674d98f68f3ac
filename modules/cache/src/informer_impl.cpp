// SPDX-License-Identifier: Apache-2.0
//
// Applies an informer's changes to the store and reports them to its handlers.
#include "informer_impl.hpp"

#include "all_cells.hpp"
#include "informer_name.hpp"
#include "option_fields.hpp"
#include "same_content.hpp"

#include <chrono>
#include <optional>

#include <kube/base/call_user_code.hpp>

namespace kube::cache {
namespace {

// The number of changes that are distributed at a time: a handler's queue is locked for them.
constexpr std::size_t kDistributedAtOnce = 1024;

/// Returns the approximate memory of the objects that a list replaced.
std::size_t bytes_replaced(const std::vector<Delta>& replaced) {
  std::size_t bytes = 0;
  for (const Delta& change : replaced) {
    const CellRef& gone = change.type == DeltaType::Deleted ? change.cell : change.old;
    if (gone && !change.changes_nothing()) bytes += gone->memory() + gone->type().object_size;
  }
  return bytes;
}

metrics::Counter deletions(const std::shared_ptr<metrics::Provider>& provider,
                           metrics::Labels labels, std::string evidence) {
  labels.emplace_back("evidence", std::move(evidence));
  return {provider, "informer_deletions_total", labels};
}

}  // namespace

InformerMetrics::InformerMetrics(const std::shared_ptr<metrics::Provider>& provider,
                                 const meta::ResourceInfo& resource, const InformerOptions& options)
    : queued_items(provider, "informer_queued_items", labels(resource)),
      processing_latency(provider, "informer_processing_latency_seconds", labels(resource)),
      store_version(provider, "informer_store_resource_version", labels(resource)),
      staleness(provider, "informer_staleness_seconds", labels(resource, options)),
      received_objects(provider, "informer_list_received_objects", labels(resource, options)),
      expected_objects(provider, "informer_list_expected_objects", labels(resource, options)),
      objects(provider, "informer_objects", labels(resource, options)),
      bytes(provider, "informer_bytes", labels(resource, options)),
      refused_objects(provider, "informer_refused_objects", labels(resource, options)),
      healthy(provider, "informer_healthy", labels(resource, options)),
      observed_deletions(deletions(provider, labels(resource, options), "observed")),
      inferred_deletions(deletions(provider, labels(resource, options), "inferred")),
      processing_errors(provider, "informer_processing_errors_total", labels(resource, options)) {}

metrics::Labels InformerMetrics::labels(const meta::ResourceInfo& resource) {
  return {{"group", resource.group}, {"version", resource.version}, {"resource", resource.plural}};
}

metrics::Labels InformerMetrics::labels(const meta::ResourceInfo& resource,
                                        const InformerOptions& options) {
  metrics::Labels all = labels(resource);
  all.emplace_back("namespace", options.namespace_);
  all.emplace_back("label_selector", options.label_selector);
  all.emplace_back("field_selector", options.field_selector);
  return all;
}

InformerCore::Impl::Impl(Runtime runtime_in, std::shared_ptr<ListerWatcher> source_in,
                         meta::ResourceInfo resource_in, const InformerOptions& options,
                         const InformerType& type)
    : ReflectorOwner(std::move(runtime_in), std::move(source_in), type, resource_in,
                     reflector_options(options),
                     {"informer", "resource",
                      informer_name(resource_in, options.namespace_, options.label_selector,
                                    options.field_selector),
                      "used, but not started: call start()"}),
      resource(std::move(resource_in)),
      scope(options.namespace_),
      start_on_first_use(options.start_on_first_use),
      cell_type(type.cell_type),
      stores_decoded(options.storage == StoragePolicy::Decoded),
      save_period(options.state_save_period),
      state_file(StateFile::of(options, resource, type)),
      metrics(runtime.metrics, resource, options),
      handler_labels(InformerMetrics::labels(resource, options)),
      store(std::make_shared<Store>(resource.group_resource())),
      read_only_store(store),
      freshness(std::make_shared<Freshness>(store, runtime.clock(), called())),
      writer(store),
      processor(options.resync_period, runtime.clock(), runtime.logger) {
  errors_metric = metrics.processing_errors;
}

// ---- called by the reflector

bool InformerCore::Impl::is_known(const Cell& known, const Delta& arrived) const {
  const Cell& cell = *arrived.cell;
  if (known.resource_version() != cell.resource_version() || cell.resource_version().empty() ||
      known.uid() != cell.uid()) {
    return false;
  }
  // A transformed or decoded object can't be compared: then a list is judged by the version, and an
  // event is always applied.
  if (transform || !can_be_compared(known, cell)) return arrived.type == DeltaType::Replaced;
  return have_same_content(known, cell);
}

Result<void> InformerCore::Impl::accept(Arrived& arrived) {
  CellRef& cell = arrived.delta.cell;
  CellRef known = writer.find(cell->key());
  if (known && is_known(*known, arrived.delta)) {
    cell = std::move(known);
  } else if (transform) {
    const Result<void> done = transform_arrived(arrived);
    if (!done || arrived.refused) return done;
  }
  refused_objects.gone(cell->key(), arrived.delta.type);
  return {};
}

Result<void> InformerCore::Impl::transform_arrived(Arrived& arrived) {
  CellRef& cell = arrived.delta.cell;
  const auto named = [&](const Error& error) {
    return error.with_context("transform " + std::string(cell->key()));
  };
  const auto refuse = [&](const Error& error) -> Result<void> {
    arrived.refused = Refusal{named(error)};
    return {};
  };
  const auto inside = calls->enter();
  if (!inside) return stopped_error();
  const CellUser original(cell);  // decoded once, for this function and for the transform
  if (const auto decoded = original.decoded(); !decoded) return refuse(decoded.error());
  std::optional<Result<CellRef>> changed;
  const Result<void> called =
      call_user_code("the transform", [&] { changed.emplace(transform(cell)); });
  if (!called) return refuse(called.error());
  if (!*changed) return named(changed->error());
  CellRef& made = **changed;
  // "a" and "b/c" have the key of "a/b" and "c".
  if (made->key() != cell->key() || made->namespace_() != cell->namespace_()) {
    return refuse(
        Error(ErrorCode::InvalidArgument, "a transform must not change the key, which became \"" +
                                              std::string(made->key()) + "\" in namespace \"" +
                                              std::string(made->namespace_()) + "\""));
  }
  cell = std::move(made);
  return {};
}

Result<void> InformerCore::Impl::replace(std::vector<CellRef> items, std::string resource_version) {
  fifo.replace(std::move(items), std::move(resource_version));
  refused_objects.list_completed();
  return {};
}

Result<void> InformerCore::Impl::resync() {
  if (!processor.should_resync()) return {};
  fifo.resync();
  flush();
  return {};
}

// When processing throws, the queue is lost, and the reflector lists again.
void InformerCore::Impl::flush() {
  try {
    process_queue();
  } catch (...) {
    fifo.clear();
    throw;
  }
  log_refused_objects();
}

void InformerCore::Impl::process_queue() {
  for (;;) {
    metrics.queued_items.set(static_cast<double>(fifo.size()));
    DeltaFifo::Batch batch = fifo.pop_batch();
    if (batch.deltas.empty() || calls->closed()) return;
    const TimePoint begin = metrics.processing_latency ? runtime.clock()->now() : TimePoint();
    process(batch);
    if (calls->closed()) return;  // the batch may be incomplete
    fifo.finished(batch);
    for (auto& due : freshness->moved()) call_soon(std::move(due));
    if (metrics.processing_latency) {
      metrics.processing_latency.observe(
          std::chrono::duration<double>(runtime.clock()->now() - begin).count());
    }
    if (runtime.metrics) {
      if (const auto number = version_as_number(store->resource_version())) {
        metrics.store_version.set(*number);
      }
    }
    if (fifo.has_synced() && !synced.load(std::memory_order_relaxed)) become_synced();
  }
}

// ---- processing

void InformerCore::Impl::process(DeltaFifo::Batch& batch) {
  const Delta& first = batch.deltas.front();
  switch (first.type) {
    case DeltaType::Replaced:
      process_replaced(batch);
      break;
    case DeltaType::Sync:
      process_sync();
      break;
    case DeltaType::Bookmark:
      writer.set_resource_version(first.cell->resource_version());
      for_each_observer(
          [&](StoreObserver& each) { each.on_progress(first.cell->resource_version()); });
      break;
    case DeltaType::Added:
    case DeltaType::Updated:
    case DeltaType::Deleted:
      process_changes(batch);
      break;
  }
}

void InformerCore::Impl::process_changes(DeltaFifo::Batch& batch) {
  std::vector<Delta>& changes = batch.deltas;
  if (!writer.apply(changes)) return;  // stopped
  for_each_observer([&](StoreObserver& each) {
    for (const Delta& change : changes) {
      change.type == DeltaType::Deleted ? each.on_removed(change.cell, change.final_state_unknown)
                                        : each.on_stored(change.cell);
    }
  });
  for (Delta& change : changes) {
    if (change.type == DeltaType::Deleted) {
      (change.final_state_unknown ? metrics.inferred_deletions : metrics.observed_deletions).add();
      change.old = {};  // no handler asks for it, and some wait long
    } else if (changes.size() > 1 && change.old && is_known(*change.old, change)) {
      // An event that came twice in one chunk was not known yet when it was accepted.
      change.old = change.cell;
    }
  }
  notify(changes, batch.is_initial);
}

void InformerCore::Impl::process_replaced(DeltaFifo::Batch& batch) {
  const std::string version = std::move(batch.list->resource_version);
  auto replaced = writer.replace(std::move(batch.list->items), version);
  if (!replaced) return;  // stopped
  for_each_observer([&](StoreObserver& each) {
    const bool same = std::ranges::all_of(*replaced, &Delta::changes_nothing);
    each.on_replaced(all_cells(), version, !same);
  });
  freed(bytes_replaced(*replaced));
  for (const Delta& change : *replaced) {
    if (change.type == DeltaType::Deleted) metrics.inferred_deletions.add();
  }
  notify(*replaced, batch.is_initial);
}

void InformerCore::Impl::process_sync() {
  std::vector<Delta> repeated;
  repeated.reserve(store->size());
  for (CellRef& cell : all_cells()) {
    repeated.push_back({.type = DeltaType::Updated, .cell = cell, .old = std::move(cell)});
  }
  notify(repeated, false);
}

void InformerCore::Impl::notify(std::span<Delta> changes, bool is_initial) {
  for (Delta& change : changes) change.is_initial = is_initial;
  for (std::size_t begin = 0; begin < changes.size(); begin += kDistributedAtOnce) {
    const std::size_t count = std::min(kDistributedAtOnce, changes.size() - begin);
    processor.distribute(changes.subspan(begin, count));
  }
}

template <class F>
void InformerCore::Impl::for_each_observer(const F& call) {
  if (observers.empty()) return;
  std::erase_if(observers, [&](const std::weak_ptr<StoreObserver>& weak) {
    const auto observer = weak.lock();
    if (observer) call(*observer);
    return !observer;
  });
}

void InformerCore::Impl::condition_changed(InformerCondition condition,
                                           const Optional<Error>& error) {
  ReflectorOwner::condition_changed(condition, error);
  for_each_observer([&](StoreObserver& each) { each.on_condition(condition); });
}

std::vector<CellRef> InformerCore::Impl::all_cells() const {
  return all_cells_of(*store);
}

void InformerCore::Impl::become_synced() {
  std::vector<std::function<void()>> callbacks;
  {
    const MutexLock lock(mutex);
    synced.store(true, std::memory_order_release);
    callbacks.swap(when_synced);
    state_changed.notify_all();
  }
  KUBE_LOG(runtime.logger, LogLevel::Info, "informer", "synced",
           {"resource", resource.group_resource().to_string()},
           {"objects", std::to_string(store->size())},
           {"resource_version", store->resource_version()});
  const Delta end{.type = DeltaType::Bookmark, .is_initial = true};
  processor.distribute({&end, 1});
  for (auto& callback : callbacks) call_soon(std::move(callback));
  save_later();
}

void InformerCore::Impl::call_soon(std::function<void()> callback) {
  auto task = [self = self(), callback = std::move(callback)] {
    const auto inside = self->calls->enter();
    if (!inside) return;
    const Result<void> called = call_user_code("the sync callback", [&] { callback(); });
    if (!called) self->refused(called.error());
  };
  const Result<void> submitted =
      call_user_code("the executor", [&] { runtime.handler_executor()->submit(std::move(task)); });
  if (!submitted) refused(submitted.error());
}

}  // namespace kube::cache
