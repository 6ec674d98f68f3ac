// SPDX-License-Identifier: Apache-2.0
//
// Who runs where:
//   the strand   reflector, queue, store writes, transform, index functions of arriving objects,
//                adding and removing handlers; so a late handler sees the store between two changes
//   the executor handlers, each one task at a time; on_synced callbacks
//   the caller   everything that is asked: store queries, status, add_index of what is there
#include <kube/cache/informer_core.hpp>

#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "delta_fifo.hpp"
#include "listener.hpp"
#include "processor.hpp"
#include "reflector.hpp"
#include "store_writer.hpp"
#include "user_calls.hpp"

#include <kube/base/executor.hpp>
#include <kube/base/metrics.hpp>
#include <kube/base/mutex.hpp>
#include <kube/cache/lister_watcher.hpp>

namespace kube {

std::string_view to_string(InformerState state) {
  switch (state) {
    case InformerState::NotStarted:
      return "NotStarted";
    case InformerState::Listing:
      return "Listing";
    case InformerState::Watching:
      return "Watching";
    case InformerState::BackingOff:
      return "BackingOff";
    case InformerState::Stopped:
      return "Stopped";
  }
  return "Unknown";
}

namespace cache {
namespace {

using Type = Notification::Type;

// Notifications are made and handed out so many at a time.
constexpr std::size_t kAtOnce = 1024;

Error stopped_error() {
  return Error(ErrorCode::Cancelled, "the informer has stopped");
}

/// Runs user code; an exception becomes an Error.
template <class F>
auto guarded(const char* what, F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::exception& e) {
    return Error(ErrorCode::Internal, std::string(what) + " threw: " + e.what());
  } catch (...) {
    return Error(ErrorCode::Internal, std::string(what) + " threw");
  }
}

struct Metrics {
  Metrics(const std::shared_ptr<metrics::Provider>& provider, const meta::ResourceInfo& resource)
      : queued_items(provider, "informer_queued_items", labels(resource)),
        processing_latency(provider, "informer_processing_latency_seconds", labels(resource)),
        store_version(provider, "informer_store_resource_version", labels(resource)) {}
  static metrics::Labels labels(const meta::ResourceInfo& resource) {
    return {
        {"group", resource.group}, {"version", resource.version}, {"resource", resource.plural}};
  }
  metrics::Gauge queued_items;
  metrics::Histogram processing_latency;
  metrics::Gauge store_version;
};

/// The last 15 digits, which a double holds exactly. Nullopt when it is not a number.
std::optional<double> version_as_number(std::string_view version) {
  if (version.size() > 15) version.remove_prefix(version.size() - 15);
  double number = 0;
  for (const char c : version) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

}  // namespace

struct InformerCore::Impl : ReflectorTarget, std::enable_shared_from_this<Impl> {
  Impl(Runtime runtime_in, std::shared_ptr<ListerWatcher> source, meta::ResourceInfo resource_in,
       const InformerOptions& options, const InformerType& type)
      : runtime(std::move(runtime_in)),
        resource(std::move(resource_in)),
        strand(runtime.executor),
        metrics(runtime.metrics, resource),
        store(std::make_shared<Store>(resource.group_resource())),
        read_only_store(store),
        writer(store),
        processor(options.resync_period, runtime.clock(), runtime.logger),
        reflector(runtime, strand, std::move(source), type.cell_type,
                  reflector_options(options, type), *this) {}

  Reflector::Options reflector_options(const InformerOptions& options,
                                       const InformerType& type) const {
    Reflector::Options result;
    result.storage = options.storage;
    if (type.self_describing) {
      result.defaults = ObjectDefaults{resource.api_version(), resource.kind};
    }
    result.page_size = options.page_size;
    result.watch_idle_timeout = options.watch_idle_timeout;
    result.watch_list = options.watch_list;
    return result;
  }

  // ---- ReflectorTarget, on the strand

  Result<CellRef> admit(CellRef arrived) override {
    const CellRef known = writer.find(arrived->key());
    if (known && !arrived->resource_version().empty() && known->uid() == arrived->uid() &&
        known->resource_version() == arrived->resource_version()) {
      return known;
    }
    if (!transform) return arrived;
    const auto inside = calls->enter();
    if (!inside) return stopped_error();
    auto changed = guarded("the transform", [&] { return transform(arrived); });
    if (!changed) return changed.error().with_context("transform " + std::string(arrived->key()));
    if ((*changed)->key() != arrived->key()) {
      return Error(ErrorCode::InvalidArgument, "a transform must not change the key: \"" +
                                                   std::string(arrived->key()) + "\" became \"" +
                                                   std::string((*changed)->key()) + "\"");
    }
    return changed;
  }
  void add(CellRef object) override { fifo.add(std::move(object)); }
  void update(CellRef object) override { fifo.update(std::move(object)); }
  void remove(CellRef object) override { fifo.remove(std::move(object)); }
  Result<void> replace(std::vector<CellRef> items, std::string resource_version) override {
    fifo.replace(std::move(items), std::move(resource_version));
    return {};
  }
  void bookmark(CellRef metadata) override { fifo.bookmark(std::move(metadata)); }
  Duration resync_period() const override { return processor.check_period(); }
  void resync() override {
    if (!processor.should_resync()) return;
    fifo.resync();
    flush();
  }
  void watch_error(const Error& error) override {
    KUBE_LOG(runtime.logger, LogLevel::Warning, "reflector", "list or watch failed",
             {"resource", resource.group_resource().to_string()}, {"error", error.to_string()});
    if (!watch_error_handler) return;
    const auto inside = calls->enter();
    if (!inside) return;
    const Result<void> called = guarded("the watch error handler", [&]() -> Result<void> {
      watch_error_handler(error);
      return {};
    });
    if (!called) refused(called.error());
  }
  void refused(const Error& error) override {
    processing_errors.fetch_add(1, std::memory_order_relaxed);
    KUBE_LOG(runtime.logger, LogLevel::Error, "informer", "object dropped or not indexed",
             {"resource", resource.group_resource().to_string()}, {"error", error.to_string()});
  }
  void flush() override {
    for (;;) {
      metrics.queued_items.set(static_cast<double>(fifo.size()));
      const DeltaFifo::Batch batch = fifo.pop_batch();
      if (batch.deltas.empty() || calls->closed()) break;
      const TimePoint begin = metrics.processing_latency ? runtime.clock()->now() : TimePoint();
      process(batch);
      if (calls->closed()) break;  // it may not have been done to the end
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

  // ---- processing, on the strand

  void process(const DeltaFifo::Batch& batch) {
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

  // What the store had decides between add and update, not what the delta says.
  void process_changes(const DeltaFifo::Batch& batch) {
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
        notifications.push_back({Type::Delete, std::move(change.cell), {}});
      } else {
        notifications.push_back(
            put(std::move(change.old), std::move(change.cell), batch.is_initial));
      }
    }
    processor.distribute(notifications);
  }

  void process_replaced(Delta::List& list, bool is_initial) {
    auto replaced = writer.replace(std::move(list.items), std::move(list.resource_version));
    if (!replaced) return;  // stopped
    distribute_each(*replaced, [&](StoreReplacement& r) -> Notification {
      if (!r.now) return {Type::DeleteUnknown, std::move(r.old), {}};
      return put(std::move(r.old), std::move(r.now), is_initial);
    });
  }

  void process_sync() {
    std::vector<CellRef> cells = all_cells();
    distribute_each(cells, [](CellRef& cell) -> Notification {
      return {Type::Update, cell, cell};
    });
  }

  static Notification put(CellRef old, CellRef now, bool is_initial) {
    if (old) return {Type::Update, std::move(now), std::move(old)};
    return {is_initial ? Type::InitialAdd : Type::Add, std::move(now), {}};
  }

  template <class T, class F>
  void distribute_each(std::vector<T>& items, F&& to_notification) {
    std::vector<Notification> notifications;
    for (std::size_t i = 0; i < items.size();) {
      notifications.clear();
      for (; i < items.size() && notifications.size() < kAtOnce; ++i) {
        notifications.push_back(to_notification(items[i]));
      }
      processor.distribute(notifications);
    }
  }

  std::vector<CellRef> all_cells() const {
    struct Sink final : CellSink {
      std::vector<CellRef> cells;
      void reserve(std::size_t count) override { cells.reserve(count); }
      void add(const Cell& cell) override { cells.push_back(CellUser(cell).ref()); }
    } sink;
    store->list(sink);
    return std::move(sink.cells);
  }

  void become_synced() {
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
    const Notification mark{Type::Synced, {}, {}};
    processor.distribute({&mark, 1});
    for (auto& callback : callbacks) call_soon(std::move(callback));
  }

  void call_soon(std::function<void()> callback) {
    runtime.executor->submit([self = shared_from_this(), callback = std::move(callback)] {
      const auto inside = self->calls->enter();
      if (!inside) return;
      const Result<void> called = guarded("the sync callback", [&]() -> Result<void> {
        callback();
        return {};
      });
      if (!called) self->refused(called.error());
    });
  }

  /// Runs a member's work on the strand, unless stopped.
  template <class F>
  void post(F&& work) {
    strand.submit([self = shared_from_this(), work = std::forward<F>(work)] { work(*self); });
  }

  // ---- fixed
  const Runtime runtime;
  const meta::ResourceInfo resource;
  const std::shared_ptr<UserCalls> calls = std::make_shared<UserCalls>();
  Strand strand;
  const Metrics metrics;
  const std::shared_ptr<Store> store;
  const std::shared_ptr<const Store> read_only_store;
  std::stop_source stop_source;

  // ---- set before start(), read on the strand after it
  CellTransform transform;
  std::function<void(const Error&)> watch_error_handler;

  // ---- the strand's; what processor and reflector share with others they guard themselves
  StoreWriter writer;
  DeltaFifo fifo;
  Processor processor;
  Reflector reflector;

  // ---- anybody's
  std::atomic<bool> synced{false};
  std::atomic<std::uint64_t> processing_errors{0};
  std::atomic<std::uint64_t> handler_count{0};
  mutable Mutex mutex;
  mutable CondVar state_changed;
  bool started KUBE_GUARDED_BY(mutex) = false;
  bool stopped KUBE_GUARDED_BY(mutex) = false;
  std::vector<std::function<void()>> when_synced KUBE_GUARDED_BY(mutex);
};

InformerCore::InformerCore(Runtime runtime, std::shared_ptr<ListerWatcher> source,
                           meta::ResourceInfo resource, InformerOptions options, InformerType type)
    : impl_(std::make_shared<Impl>(std::move(runtime), std::move(source), std::move(resource),
                                   options, type)) {}

InformerCore::InformerCore(const RestClient& client, meta::ResourceInfo resource,
                           InformerOptions options, InformerType type)
    : InformerCore(client.runtime(),
                   rest_lister_watcher(client, resource, options.namespace_, options.label_selector,
                                       options.field_selector),
                   resource, options, type) {}

InformerCore::~InformerCore() {
  stop_and_wait();
}

HandlerRegistration InformerCore::add_event_handler(CellHandler handler, HandlerOptions options) {
  const std::uint64_t number = impl_->handler_count.fetch_add(1, std::memory_order_relaxed);
  std::string name =
      options.name.empty() ? "handler-" + std::to_string(number) : std::move(options.name);
  auto listener = std::make_shared<Listener>(impl_->runtime, impl_->calls, std::move(handler),
                                             std::move(name), Metrics::labels(impl_->resource));
  if (impl_->calls->closed()) listener->close();
  std::optional<Duration> period;
  if (options.resync_period) period = *options.resync_period;
  impl_->post([listener, period](Impl& impl) {
    std::vector<Notification> first;
    for (CellRef& cell : impl.all_cells()) {
      first.push_back({Type::InitialAdd, std::move(cell), {}});
    }
    // Behind everything that makes up its initial state.
    if (impl.synced.load(std::memory_order_relaxed)) first.push_back({Type::Synced, {}, {}});
    impl.processor.add(listener, period, first);
  });
  return HandlerRegistration(impl_, std::move(listener));
}

Result<void> InformerCore::add_index(std::string name, CellIndexFunc function) {
  if (impl_->calls->closed()) return stopped_error();
  // The index lives in the store, which may outlive the informer; user code must not be called
  // then.
  const std::weak_ptr<Impl> weak = impl_;
  return impl_->store->add_index(
      std::move(name),
      [calls = impl_->calls,
       function = std::move(function)](const CellRef& cell) -> Result<std::vector<std::string>> {
        const auto inside = calls->enter();
        if (!inside) return stopped_error();
        return function(cell);
      },
      [weak](std::string_view index, const Cell& cell, const Error& error) {
        const auto impl = weak.lock();
        if (!impl) return;
        impl->refused(error.with_context("index \"" + std::string(index) + "\" of " +
                                         std::string(cell.key())));
      });
}

Result<void> InformerCore::set_transform(CellTransform transform) {
  const MutexLock lock(impl_->mutex);
  if (impl_->started) {
    return Error(ErrorCode::InvalidArgument, "a transform can't be set after start()");
  }
  impl_->transform = std::move(transform);
  return {};
}

Result<void> InformerCore::set_watch_error_handler(std::function<void(const Error&)> handler) {
  const MutexLock lock(impl_->mutex);
  if (impl_->started) {
    return Error(ErrorCode::InvalidArgument, "a watch error handler can't be set after start()");
  }
  impl_->watch_error_handler = std::move(handler);
  return {};
}

Result<void> InformerCore::start() {
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->stopped) return Error(ErrorCode::InvalidArgument, "the informer has been stopped");
    if (impl_->started) return Error(ErrorCode::InvalidArgument, "the informer is already started");
    impl_->started = true;
  }
  impl_->post([](Impl& impl) {
    if (impl.calls->closed()) return;
    impl.processor.start();
    impl.reflector.start({impl.shared_from_this(), &impl.reflector}, impl.stop_source.get_token());
  });
  return {};
}

void InformerCore::stop() {
  {
    const MutexLock lock(impl_->mutex);
    if (std::exchange(impl_->stopped, true)) return;
    impl_->state_changed.notify_all();
  }
  impl_->calls->close();
  impl_->processor.stop(false);
  impl_->stop_source.request_stop();
  impl_->post([](Impl& impl) {
    impl.reflector.stop();
    impl.fifo.clear();
  });
}

void InformerCore::stop_and_wait() {
  stop();
  impl_->processor.stop(impl_->calls->close_and_wait());
}

bool InformerCore::has_synced() const {
  return impl_->synced.load(std::memory_order_acquire);
}

bool InformerCore::wait_for_sync(std::stop_token stop) const {
  Impl& impl = *impl_;
  MutexLock lock(impl.mutex);
  impl.runtime.clock()->wait_until(
      lock, impl.state_changed, TimePoint::max(), std::move(stop),
      [&]() KUBE_REQUIRES(impl.mutex) { return impl.synced.load() || impl.stopped; });
  return impl.synced.load();
}

void InformerCore::on_synced(std::function<void()> done) {
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->stopped) return;
    if (!impl_->synced.load()) {
      impl_->when_synced.push_back(std::move(done));
      return;
    }
  }
  impl_->call_soon(std::move(done));
}

const std::shared_ptr<const Store>& InformerCore::store() const {
  return impl_->read_only_store;
}

const meta::ResourceInfo& InformerCore::resource() const {
  return impl_->resource;
}

InformerStatus InformerCore::status() const {
  const Reflector::Progress progress = impl_->reflector.progress();
  InformerStatus status;
  status.state = progress.state;
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->stopped) status.state = InformerState::Stopped;
  }
  status.synced = has_synced();
  status.objects = impl_->store->size();
  status.bytes = impl_->store->bytes();
  status.last_sync_resource_version = impl_->store->resource_version();
  status.last_error = progress.last_error;
  const TimePoint heard = impl_->reflector.last_proof_of_life();
  if (heard != TimePoint::min()) status.since_proof_of_life = impl_->runtime.clock()->now() - heard;
  status.lists = progress.lists;
  status.watches = progress.watches;
  status.events = progress.events;
  status.processing_errors = impl_->processing_errors.load(std::memory_order_relaxed);
  status.handlers = impl_->processor.status();
  return status;
}

}  // namespace cache

// ---- HandlerRegistration, which is a member of both

HandlerRegistration::HandlerRegistration(std::weak_ptr<void> informer,
                                         std::shared_ptr<cache::Listener> listener)
    : informer_(std::move(informer)), listener_(std::move(listener)) {}

HandlerRegistration& HandlerRegistration::operator=(HandlerRegistration&& other) noexcept {
  if (this == &other) return *this;
  unregister();
  informer_ = std::move(other.informer_);
  listener_ = std::move(other.listener_);
  return *this;
}

void HandlerRegistration::unregister() {
  if (!listener_) return;
  listener_->close();
  const auto informer =
      std::static_pointer_cast<cache::InformerCore::Impl>(std::exchange(informer_, {}).lock());
  if (!informer) return;
  informer->post(
      [listener = listener_](cache::InformerCore::Impl& impl) { impl.processor.remove(listener); });
}

void HandlerRegistration::unregister_and_wait() {
  unregister();
  if (listener_) listener_->close_and_wait();
}

bool HandlerRegistration::has_synced() const {
  return listener_ && listener_->has_synced();
}

bool HandlerRegistration::wait_for_sync(std::stop_token stop) const {
  return listener_ && listener_->wait_for_sync(std::move(stop));
}

HandlerStatus HandlerRegistration::status() const {
  return listener_ ? listener_->status() : HandlerStatus{};
}

}  // namespace kube
