// SPDX-License-Identifier: Apache-2.0
//
// The functions of SharedInformer<T> that do not depend on T.
#include <kube/cache/detail/informer_core.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <kube/base/log.hpp>
#include <kube/cache/event_handler.hpp>

#include "informer_impl.hpp"
#include "may_wait.hpp"

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

std::string_view to_string(InformerCondition condition) {
  switch (condition) {
    case InformerCondition::Unknown:
      return "Unknown";
    case InformerCondition::Healthy:
      return "Healthy";
    case InformerCondition::Missing:
      return "Missing";
    case InformerCondition::Forbidden:
      return "Forbidden";
    case InformerCondition::Unauthorized:
      return "Unauthorized";
    case InformerCondition::Unreachable:
      return "Unreachable";
    case InformerCondition::Failing:
      return "Failing";
  }
  return "Unknown";
}

std::string_view to_string(DeletionEvidence evidence) {
  switch (evidence) {
    case DeletionEvidence::Observed:
      return "Observed";
    case DeletionEvidence::Inferred:
      return "Inferred";
    case DeletionEvidence::Filtered:
      return "Filtered";
  }
  return "Unknown";
}

bool inconsistency_detector_enabled(const rest::Environment& environment) {
  const std::string text =
      environment("KUBE_WATCHLIST_INCONSISTENCY_DETECTOR").value_or(std::string());
  for (const std::string_view yes : {"1", "t", "T", "true", "True", "TRUE"})  // as Go's ParseBool
    if (text == yes) return true;
  return false;
}

namespace cache {

InformerCore::InformerCore(Runtime runtime, std::shared_ptr<ListerWatcher> source,
                           meta::ResourceInfo resource, const InformerOptions& options,
                           InformerType type)
    : impl_(std::make_shared<Impl>(std::move(runtime), std::move(source), std::move(resource),
                                   options, type)) {}

InformerCore::InformerCore(const RestClient& client, const meta::ResourceInfo& resource,
                           const InformerOptions& options, InformerType type)
    : InformerCore(
          client.runtime(),
          rest_lister_watcher(client, resource, options.namespace_, options.label_selector,
                              options.field_selector,
                              options.protobuf ? type.preferred : Encoding::Json, type.form),
          resource, options, type) {
  if (!options.state_dir.empty()) impl_->state_file.set_server(client.config());
}

InformerCore::~InformerCore() {
  stop_and_wait();
}

HandlerRegistration InformerCore::add_event_handler(CellHandler handler, HandlerOptions options) {
  impl_->used();
  const std::uint64_t number = impl_->handler_count.fetch_add(1, std::memory_order_relaxed);
  if (options.name.empty()) options.name = "handler-" + std::to_string(number);
  if (options.overflow == HandlerOverflow::Unregister &&
      (options.max_pending == 0 || options.delivery == HandlerDelivery::LatestState)) {
    KUBE_LOG(impl_->runtime.logger, LogLevel::Warning, "informer",
             "handler never overflows: expected max_pending, and every event",
             {"handler", options.name});
  }
  auto listener = std::make_shared<Listener>(impl_->runtime, impl_->calls, std::move(handler),
                                             options, impl_->handler_labels);
  impl_->processor.expect(listener);
  std::optional<Duration> period;
  if (options.resync_period) period = *options.resync_period;
  impl_->post([listener, period](Impl& impl) {
    std::vector<Delta> first;
    for (CellRef& cell : impl.all_cells()) {
      first.push_back({.type = DeltaType::Added, .is_initial = true, .cell = std::move(cell)});
    }
    // Posted after all objects of the initial state.
    if (impl.synced.load(std::memory_order_relaxed))
      first.push_back({.type = DeltaType::Bookmark, .is_initial = true});
    impl.processor.add(listener, period, first);
  });
  return HandlerRegistration(impl_, listener);
}

Result<void> InformerCore::add_indexes(std::map<std::string, CellIndexFunc> functions) {
  if (impl_->calls->closed()) return stopped_error();
  // The indexes are in the store, which may outlive the informer; user code must not be called
  // after that.
  const std::weak_ptr<Impl> weak = impl_;
  for (auto& [name, function] : functions) {
    const auto* by_label = function.target<LabelIndexFunc>();
    const std::string label = by_label == nullptr ? std::string() : by_label->label;
    CellIndexFunc guarded = [calls = impl_->calls, function = std::move(function)](
                                const CellRef& cell) -> Result<std::vector<std::string>> {
      const auto inside = calls->enter();
      if (!inside) return stopped_error();
      return function(cell);
    };
    if (!label.empty()) guarded = LabelIndexFunc{label, std::move(guarded)};
    function = std::move(guarded);
  }
  return impl_->store->add_indexes(
      std::move(functions), [weak](std::string_view index, const Cell& cell, const Error& error) {
        const auto impl = weak.lock();
        if (!impl) return;
        impl->refused(error.with_context("index \"" + std::string(index) + "\" of " +
                                         std::string(cell.key())));
      });
}

Result<void> InformerCore::set_transform(CellTransform transform) {
  return impl_->set("a transform", impl_->transform, std::move(transform));
}

Result<void> InformerCore::set_watch_error_handler(std::function<void(const Error&)> handler) {
  return impl_->set("a watch error handler", impl_->watch_error_handler, std::move(handler));
}

Result<void> InformerCore::set_condition_handler(
    std::function<void(InformerCondition, const Optional<Error>&)> handler) {
  return impl_->set("a condition handler", impl_->condition_handler, std::move(handler));
}

Result<void> InformerCore::start() {
  return impl_->start();
}

void InformerCore::Impl::used() {
  if (start_on_first_use) {
    // Test before starting: a caller that polls must not take the lock each time.
    if (started_at.load(std::memory_order_relaxed) == TimePoint::min()) {
      const Result<void> begun = start();  // it may run already, or have stopped
      const Result<void> checked = check_options();
      if (begun || checked || bad_options_logged.exchange(true)) return;
      KUBE_LOG(runtime.logger, LogLevel::Error, "informer", "does not start",
               {"resource", resource.group_resource().to_string()},
               {"error", checked.error().to_string()});
    }
  } else {
    start_reminder->used();
  }
}

void InformerCore::Impl::starting() {
  processor.start();
  if (runtime.metrics) report();
}

void InformerCore::stop() {
  impl_->stop();
}

void InformerCore::Impl::stopping() {
  freshness->stop();
  processor.stop(false);
}

void InformerCore::Impl::stopped_on_strand() {
  report_timer.cancel();
  refused_timer.cancel();
  save_timer.cancel();
  metrics.staleness.set(0);
  metrics.healthy.set(0);
  fifo.clear();
}

void InformerCore::stop_and_wait() {
  stop();
  const bool waited = impl_->calls->close_and_wait();
  if (waited) impl_->save_at_end();
  impl_->processor.stop(waited);
}

bool InformerCore::is_stopped() const {
  return impl_->is_stopped();
}

// A program may poll instead of waiting.
bool InformerCore::has_synced() const {
  if (impl_->synced.load(std::memory_order_acquire)) return true;
  impl_->used();
  return false;
}

bool InformerCore::wait_for_sync(std::stop_token stop) const {
  return impl_->wait_for_sync(std::move(stop));
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
    impl_->used();
  }
}

bool InformerCore::has_version(std::string_view resource_version) const {
  return impl_->freshness->has(resource_version);
}

Result<void> InformerCore::wait_for(std::string_view resource_version, Duration timeout,
                                    std::stop_token stop) const {
  impl_->used();
  if (!has_version(resource_version)) {
    if (const auto allowed = may_wait_for(impl_->strand); !allowed) {
      return allowed.error().with_context("cache of " +
                                          impl_->resource.group_resource().to_string());
    }
  }
  return impl_->freshness->wait_for(resource_version, timeout, std::move(stop));
}

void InformerCore::on_version(std::string resource_version, std::function<void()> done,
                              const std::shared_ptr<const void>& owner) const {
  impl_->used();
  if (!impl_->freshness->when(std::move(resource_version), done, owner)) {
    impl_->call_soon(std::move(done));
  }
}

void InformerCore::expect_start() const {
  if (!impl_->start_on_first_use) impl_->start_reminder->used();
}

void InformerCore::add_store_observer(const std::shared_ptr<StoreObserver>& observer) {
  impl_->used();
  impl_->post([weak = std::weak_ptr(observer)](Impl& impl) {
    const auto added = weak.lock();
    if (!added) return;
    impl.observers.push_back(weak);
    if (impl.synced.load(std::memory_order_relaxed)) {
      added->on_replaced(impl.all_cells(), impl.store->resource_version(), true);
    }
    const InformerCondition condition = impl.reflector.progress().condition;
    if (condition != InformerCondition::Unknown) added->on_condition(condition);
  });
}

std::optional<Duration> InformerCore::age() const {
  const TimePoint heard = impl_->reflector.last_proof_of_life();
  if (heard == TimePoint::min()) return std::nullopt;
  return impl_->runtime.clock()->now() - heard;
}

const std::string& InformerCore::scope() const {
  return impl_->scope;
}

const std::shared_ptr<const Store>& InformerCore::store() const {
  impl_->used();
  return impl_->read_only_store;
}

std::shared_ptr<const Freshness> InformerCore::freshness() const {
  return impl_->freshness;
}

const meta::ResourceInfo& InformerCore::resource() const {
  return impl_->resource;
}

InformerStatus InformerCore::status() const {
  InformerStatus status = impl_->status();
  status.awaits_first_use = impl_->start_on_first_use && status.state == InformerState::NotStarted;
  status.objects = impl_->store->size();
  status.bytes = impl_->store->bytes();
  status.last_sync_resource_version = impl_->store->resource_version();
  status.refused = impl_->refused_objects.count();
  status.refused_objects = impl_->refused_objects.named();
  status.handlers = impl_->processor.status();
  return status;
}

}  // namespace cache
}  // namespace kube
