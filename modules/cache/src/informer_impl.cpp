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

using NotificationType = Notification::Type;

// The number of notifications that are made and distributed at a time.
constexpr std::size_t kNotificationsAtOnce = 1024;

/// Returns the approximate memory of the objects that a list replaced.
std::size_t bytes_replaced(const std::vector<StoreReplacement>& replaced) {
  std::size_t bytes = 0;
  for (const StoreReplacement& r : replaced) {
    if (r.old && r.old != r.now) bytes += r.old->memory() + r.old->type().object_size;
  }
  return bytes;
}

// The state of the store decides between add and update, not the type of the delta.
Notification put(CellRef old, CellRef now, bool is_initial) {
  if (old) return {NotificationType::Update, std::move(now), std::move(old)};
  return {is_initial ? NotificationType::InitialAdd : NotificationType::Add, std::move(now), {}};
}

metrics::Counter deletions(const std::shared_ptr<metrics::Provider>& provider,
                           metrics::Labels labels, std::string evidence) {
  labels.emplace_back("evidence", std::move(evidence));
  return {provider, "informer_deletions_total", labels};
}

template <class T, class F>
void distribute_each(Processor& processor, std::vector<T>& items, F&& to_notification) {
  std::vector<Notification> notifications;
  for (std::size_t i = 0; i < items.size();) {
    notifications.clear();
    for (; i < items.size() && notifications.size() < kNotificationsAtOnce; ++i) {
      notifications.push_back(to_notification(items[i]));
    }
    processor.distribute(notifications);
  }
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

bool InformerCore::Impl::is_known(const Cell& known, const Cell& arrived, Origin origin) const {
  if (known.resource_version() != arrived.resource_version() ||
      arrived.resource_version().empty() || known.uid() != arrived.uid()) {
    return false;
  }
  // A transformed or decoded object can't be compared: then a list is judged by the version, and an
  // event is always applied.
  if (transform || !can_be_compared(known, arrived)) return origin == Origin::List;
  return have_same_content(known, arrived);
}

Result<Accepted> InformerCore::Impl::accept(CellRef arrived, Origin origin) {
  const auto take = [&](CellRef cell) -> Accepted {
    refused_objects.gone(cell->key(), origin);
    return {std::move(cell)};
  };
  CellRef known = writer.find(arrived->key());
  if (known && is_known(*known, *arrived, origin)) return take(std::move(known));
  if (!transform) return take(std::move(arrived));
  const auto refuse = [&](const Error& error) -> Accepted {
    return {std::move(known), error.with_context("transform " + std::string(arrived->key()))};
  };
  const auto inside = calls->enter();
  if (!inside) return stopped_error();
  const CellUser original(arrived);  // decoded once, for this function and for the transform
  if (const auto decoded = original.decoded(); !decoded) return refuse(decoded.error());
  std::optional<Result<CellRef>> changed;
  const Result<void> called =
      call_user_code("the transform", [&] { changed.emplace(transform(arrived)); });
  if (!called) return refuse(called.error());
  if (!*changed) return changed->error().with_context("transform " + std::string(arrived->key()));
  CellRef cell = **std::move(changed);
  // "a" and "b/c" have the key of "a/b" and "c".
  if (cell->key() != arrived->key() || cell->namespace_() != arrived->namespace_()) {
    return refuse(
        Error(ErrorCode::InvalidArgument, "a transform must not change the key, which became \"" +
                                              std::string(cell->key()) + "\" in namespace \"" +
                                              std::string(cell->namespace_()) + "\""));
  }
  return take(std::move(cell));
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
    const DeltaFifo::Batch batch = fifo.pop_batch();
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

void InformerCore::Impl::process(const DeltaFifo::Batch& batch) {
  const Delta& first = batch.deltas.front();
  switch (first.type) {
    case DeltaType::Replaced:
      process_replaced(*first.list, batch.is_initial);
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

void InformerCore::Impl::process_changes(const DeltaFifo::Batch& batch) {
  std::vector<StoreChange> changes;
  changes.reserve(batch.deltas.size());
  for (const Delta& delta : batch.deltas) {
    changes.push_back({delta.cell, delta.type == DeltaType::Deleted, {}});
  }
  if (!writer.apply(changes)) return;  // stopped
  for_each_observer([&](StoreObserver& each) {
    for (const StoreChange& change : changes) {
      change.remove ? each.on_removed(change.cell) : each.on_stored(change.cell);
    }
  });
  std::vector<Notification> notifications;
  notifications.reserve(changes.size());
  for (StoreChange& change : changes) {
    if (change.remove) {
      metrics.observed_deletions.add();
      notifications.push_back({NotificationType::Delete, std::move(change.cell), {}});
    } else {
      // An event that came twice in one chunk was not known yet when it was accepted.
      if (changes.size() > 1 && change.old && is_known(*change.old, *change.cell, Origin::Watch)) {
        change.old = change.cell;
      }
      notifications.push_back(put(std::move(change.old), std::move(change.cell), batch.is_initial));
    }
  }
  processor.distribute(notifications);
}

void InformerCore::Impl::process_replaced(Delta::List& list, bool is_initial) {
  auto replaced = writer.replace(std::move(list.items), list.resource_version);
  if (!replaced) return;  // stopped
  for_each_observer([&](StoreObserver& each) {
    const bool same =
        std::ranges::all_of(*replaced, [](const StoreReplacement& r) { return r.old == r.now; });
    each.on_replaced(all_cells(), list.resource_version, !same);
  });
  freed(bytes_replaced(*replaced));
  distribute_each(processor, *replaced, [&](StoreReplacement& r) -> Notification {
    if (!r.now) {
      metrics.inferred_deletions.add();
      return {NotificationType::DeleteUnknown, std::move(r.old), {}};
    }
    return put(std::move(r.old), std::move(r.now), is_initial);
  });
}

void InformerCore::Impl::process_sync() {
  std::vector<CellRef> cells = all_cells();
  distribute_each(processor, cells, [](CellRef& cell) -> Notification {
    return {NotificationType::Update, cell, cell};
  });
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
  const Notification mark{NotificationType::Synced, {}, {}};
  processor.distribute({&mark, 1});
  for (auto& callback : callbacks) call_soon(std::move(callback));
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
