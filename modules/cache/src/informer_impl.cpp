// SPDX-License-Identifier: Apache-2.0
//
// Applies an informer's changes to the store and reports them to its handlers.
#include "informer_impl.hpp"

#include "same_content.hpp"

#include <chrono>
#include <optional>

#include <kube/base/ascii.hpp>
#include <kube/base/call_user_code.hpp>

namespace kube::cache {
namespace {

using NotificationType = Notification::Type;

// The number of notifications that are made and distributed at a time.
constexpr std::size_t kNotificationsAtOnce = 1024;

/// Returns the last 15 digits, which a double holds exactly; nullopt if it is not a number.
std::optional<double> version_as_number(std::string_view version) {
  if (version.size() > 15) version.remove_prefix(version.size() - 15);
  double number = 0;
  for (const char c : version) {
    if (!ascii::is_digit(c)) return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

/// Returns the approximate memory of the objects that a list replaced.
std::size_t bytes_replaced(const std::vector<StoreReplacement>& replaced) {
  std::size_t bytes = 0;
  for (const StoreReplacement& r : replaced) {
    if (r.old && r.old != r.now) bytes += r.old->memory() + r.old->type().object_size;
  }
  return bytes;
}

/// Does not call the source, which may be user code, after the informer has stopped. The reflector
/// then waits for no exchange, so none is made.
class StoppableSource final : public ListerWatcher {
 public:
  StoppableSource(std::shared_ptr<ListerWatcher> source, std::shared_ptr<CallbackGate> calls)
      : source_(std::move(source)), calls_(std::move(calls)) {}

  std::shared_ptr<transport::Exchange> list(const ListOptions& options,
                                            std::chrono::milliseconds idle_timeout,
                                            std::shared_ptr<transport::ResponseHandler> handler,
                                            std::stop_token stop) override {
    const auto inside = calls_->enter();
    if (!inside) return nullptr;
    return source_->list(options, idle_timeout, std::move(handler), std::move(stop));
  }
  std::shared_ptr<transport::Exchange> watch(const ListOptions& options,
                                             std::chrono::milliseconds idle_timeout,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override {
    const auto inside = calls_->enter();
    if (!inside) return nullptr;
    return source_->watch(options, idle_timeout, std::move(handler), std::move(stop));
  }
  bool note_response(const Error& refusal) override {
    const auto inside = calls_->enter();
    return inside && source_->note_response(refusal);
  }
  std::string to_string() const override { return source_->to_string(); }

 private:
  const std::shared_ptr<ListerWatcher> source_;
  const std::shared_ptr<CallbackGate> calls_;
};

Reflector::Options reflector_options(const meta::ResourceInfo& resource,
                                     const InformerOptions& options, const InformerType& type) {
  Reflector::Options result;
  result.storage = options.storage;
  if (type.self_describing) {
    result.defaults = ObjectDefaults{resource.api_version(), resource.kind};
  }
  result.page_size = options.page_size;
  result.max_list_bytes = options.max_list_bytes;
  result.watch_idle_timeout = options.watch_idle_timeout;
  result.watch_list = options.watch_list;
  return result;
}

// The state of the store decides between add and update, not the type of the delta.
Notification put(CellRef old, CellRef now, bool is_initial) {
  if (old) return {NotificationType::Update, std::move(now), std::move(old)};
  return {is_initial ? NotificationType::InitialAdd : NotificationType::Add, std::move(now), {}};
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
                                 const meta::ResourceInfo& resource)
    : queued_items(provider, "informer_queued_items", labels(resource)),
      processing_latency(provider, "informer_processing_latency_seconds", labels(resource)),
      store_version(provider, "informer_store_resource_version", labels(resource)) {}

metrics::Labels InformerMetrics::labels(const meta::ResourceInfo& resource) {
  return {{"group", resource.group}, {"version", resource.version}, {"resource", resource.plural}};
}

InformerCore::Impl::Impl(Runtime runtime_in, std::shared_ptr<ListerWatcher> source,
                         meta::ResourceInfo resource_in, const InformerOptions& options,
                         const InformerType& type)
    : runtime(std::move(runtime_in)),
      resource(std::move(resource_in)),
      strand(runtime.executor),
      metrics(runtime.metrics, resource),
      store(std::make_shared<Store>(resource.group_resource())),
      read_only_store(store),
      start_reminder(std::make_shared<StartReminder>(
          strand, runtime.logger,
          StartReminder::Subject{"informer", "resource", resource.group_resource().to_string(),
                                 "used, but not started: call start()"})),
      writer(store),
      processor(options.resync_period, runtime.clock(), runtime.logger),
      memory_return(strand),
      reflector(runtime, strand, std::make_shared<StoppableSource>(std::move(source), calls),
                type.cell_type, reflector_options(resource, options, type), *this) {}

// ---- called by the reflector

bool InformerCore::Impl::is_known(const Cell& known, const Cell& arrived, Origin origin) const {
  if (arrived.resource_version().empty() || known.uid() != arrived.uid() ||
      known.resource_version() != arrived.resource_version()) {
    return false;
  }
  // A transformed or decoded object can't be compared: then a list is judged by the version, and an
  // event is always applied.
  if (transform || !can_be_compared(known, arrived)) return origin == Origin::List;
  return have_same_content(known, arrived);
}

Result<Accepted> InformerCore::Impl::accept(CellRef arrived, Origin origin) {
  CellRef known = writer.find(arrived->key());
  if (known && is_known(*known, *arrived, origin)) return Accepted{std::move(known)};
  if (!transform) return Accepted{std::move(arrived)};
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
  return Accepted{std::move(cell)};
}

Result<void> InformerCore::Impl::replace(std::vector<CellRef> items, std::string resource_version) {
  fifo.replace(std::move(items), std::move(resource_version));
  return {};
}

void InformerCore::Impl::resync() {
  if (!processor.should_resync()) return;
  fifo.resync();
  flush();
}

void InformerCore::Impl::watch_error(const Error& error) {
  KUBE_LOG(runtime.logger, LogLevel::Warning, "reflector", "list or watch failed",
           {"resource", resource.group_resource().to_string()}, {"error", error.to_string()});
  call_watch_error_handler(error);
}

void InformerCore::Impl::call_watch_error_handler(const Error& error) {
  if (!watch_error_handler) return;
  const auto inside = calls->enter();
  if (!inside) return;
  const Result<void> called =
      call_user_code("the watch error handler", [&] { watch_error_handler(error); });
  if (!called) refused(called.error());
}

void InformerCore::Impl::refused(const Error& error) {
  processing_errors.fetch_add(1, std::memory_order_relaxed);
  if (!refusal_lines.try_accept()) return;
  KUBE_LOG(runtime.logger, LogLevel::Error, "informer", "object dropped or not indexed",
           {"resource", resource.group_resource().to_string()}, {"error", error.to_string()});
}

// refused() has logged the objects.
void InformerCore::Impl::incomplete(const Error& error) {
  call_watch_error_handler(error);
}

// When processing throws, the queue is lost, and the reflector lists again.
void InformerCore::Impl::flush() {
  try {
    process_queue();
  } catch (...) {
    fifo.clear();
    throw;
  }
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
  std::vector<Notification> notifications;
  notifications.reserve(changes.size());
  for (StoreChange& change : changes) {
    if (change.remove) {
      notifications.push_back({NotificationType::Delete, std::move(change.cell), {}});
    } else {
      notifications.push_back(put(std::move(change.old), std::move(change.cell), batch.is_initial));
    }
  }
  processor.distribute(notifications);
}

void InformerCore::Impl::process_replaced(Delta::List& list, bool is_initial) {
  auto replaced = writer.replace(std::move(list.items), list.resource_version);
  if (!replaced) return;  // stopped
  freed(bytes_replaced(*replaced));
  distribute_each(processor, *replaced, [&](StoreReplacement& r) -> Notification {
    if (!r.now) return {NotificationType::DeleteUnknown, std::move(r.old), {}};
    return put(std::move(r.old), std::move(r.now), is_initial);
  });
}

void InformerCore::Impl::process_sync() {
  std::vector<CellRef> cells = all_cells();
  distribute_each(processor, cells, [](CellRef& cell) -> Notification {
    return {NotificationType::Update, cell, cell};
  });
}

std::vector<CellRef> InformerCore::Impl::all_cells() const {
  struct Sink final : CellSink {
    std::vector<CellRef> cells;
    void reserve(std::size_t count) override { cells.reserve(count); }
    void add(const Cell& cell) override { cells.push_back(CellUser(cell).ref()); }
  } sink;
  store->list(sink);
  return std::move(sink.cells);
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
  auto task = [self = shared_from_this(), callback = std::move(callback)] {
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
