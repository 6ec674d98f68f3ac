// SPDX-License-Identifier: Apache-2.0
//
// The functions of SharedInformer<T> that do not depend on T.
#include <kube/cache/detail/informer_core.hpp>

#include <optional>
#include <utility>
#include <vector>

#include "informer_impl.hpp"

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

InformerCore::InformerCore(Runtime runtime, std::shared_ptr<ListerWatcher> source,
                           meta::ResourceInfo resource, const InformerOptions& options,
                           InformerType type)
    : impl_(std::make_shared<Impl>(std::move(runtime), std::move(source), std::move(resource),
                                   options, type)) {}

InformerCore::InformerCore(const RestClient& client, const meta::ResourceInfo& resource,
                           const InformerOptions& options, InformerType type)
    : InformerCore(client.runtime(),
                   rest_lister_watcher(client, resource, options.namespace_, options.label_selector,
                                       options.field_selector,
                                       options.protobuf ? type.preferred : Encoding::Json),
                   resource, options, type) {}

InformerCore::~InformerCore() {
  stop_and_wait();
}

HandlerRegistration InformerCore::add_event_handler(CellHandler handler, HandlerOptions options) {
  impl_->start_reminder->used();
  const std::uint64_t number = impl_->handler_count.fetch_add(1, std::memory_order_relaxed);
  std::string name =
      options.name.empty() ? "handler-" + std::to_string(number) : std::move(options.name);
  auto listener =
      std::make_shared<Listener>(impl_->runtime, impl_->calls, std::move(handler), std::move(name),
                                 InformerMetrics::labels(impl_->resource));
  impl_->processor.expect(listener);
  std::optional<Duration> period;
  if (options.resync_period) period = *options.resync_period;
  impl_->post([listener, period](Impl& impl) {
    std::vector<Notification> first;
    for (CellRef& cell : impl.all_cells()) {
      first.push_back({Notification::Type::InitialAdd, std::move(cell), {}});
    }
    // Posted after all objects of the initial state.
    if (impl.synced.load(std::memory_order_relaxed))
      first.push_back({Notification::Type::Synced, {}, {}});
    impl.processor.add(listener, period, first);
  });
  return HandlerRegistration(impl_, listener);
}

Result<void> InformerCore::add_index(std::string name, CellIndexFunc function) {
  if (impl_->calls->closed()) return stopped_error();
  // The index is in the store, which may outlive the informer; user code must not be called after
  // that.
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
  impl_->transform.swap(transform);  // the old one is destroyed with the parameter, after the lock
  return {};
}

Result<void> InformerCore::set_watch_error_handler(std::function<void(const Error&)> handler) {
  const MutexLock lock(impl_->mutex);
  if (impl_->started) {
    return Error(ErrorCode::InvalidArgument, "a watch error handler can't be set after start()");
  }
  impl_->watch_error_handler.swap(handler);
  return {};
}

Result<void> InformerCore::start() {
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->stopped) return Error(ErrorCode::InvalidArgument, "the informer has been stopped");
    if (impl_->started) return Error(ErrorCode::InvalidArgument, "the informer is already started");
    impl_->started = true;
  }
  impl_->start_reminder->over();
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
  impl_->start_reminder->over();
  impl_->calls->close();
  impl_->processor.stop(false);
  impl_->stop_source.request_stop();
  impl_->post([](Impl& impl) {
    impl.reflector.stop();
    impl.memory_return.stop();
    impl.fifo.clear();
  });
}

void InformerCore::stop_and_wait() {
  stop();
  impl_->processor.stop(impl_->calls->close_and_wait());
}

bool InformerCore::is_stopped() const {
  const MutexLock lock(impl_->mutex);
  return impl_->stopped;
}

// A program may poll instead of waiting.
bool InformerCore::has_synced() const {
  if (impl_->synced.load(std::memory_order_acquire)) return true;
  impl_->start_reminder->used();
  return false;
}

bool InformerCore::wait_for_sync(std::stop_token stop) const {
  Impl& impl = *impl_;
  impl.start_reminder->used();
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
      done = nullptr;
    }
  }
  if (done) {
    impl_->call_soon(std::move(done));
  } else {
    impl_->start_reminder->used();
  }
}

const std::shared_ptr<const Store>& InformerCore::store() const {
  impl_->start_reminder->used();
  return impl_->read_only_store;
}

const meta::ResourceInfo& InformerCore::resource() const {
  return impl_->resource;
}

InformerStatus InformerCore::status() const {
  const Reflector::Progress progress = impl_->reflector.progress();
  InformerStatus status;
  status.state = progress.state;
  if (is_stopped()) status.state = InformerState::Stopped;
  status.synced = impl_->synced.load(std::memory_order_acquire);
  status.objects = impl_->store->size();
  status.bytes = impl_->store->bytes();
  status.last_sync_resource_version = impl_->store->resource_version();
  status.last_error = progress.last_error ? progress.last_error : progress.refusal;
  if (!status.last_error) status.last_error = impl_->start_reminder->problem();
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
}  // namespace kube
