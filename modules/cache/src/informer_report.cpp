// SPDX-License-Identifier: Apache-2.0
//
// What an informer reports of itself: failures, conditions, refused objects, gauges.
#include <chrono>
#include <utility>

#include <kube/base/call_user_code.hpp>

#include "informer_impl.hpp"

namespace kube::cache {
namespace {

constexpr Duration kReportPeriod = std::chrono::seconds(1);

}  // namespace

// A failure of another kind is logged at once, and one that lasts rarely.
void InformerCore::Impl::watch_error(const Error& error) {
  if (failure_lines.is_due(error)) {
    KUBE_LOG(runtime.logger, LogLevel::Warning, "reflector", "list or watch failed",
             {"resource", resource.group_resource().to_string()}, {"error", error.to_string()});
  }
  call_watch_error_handler(error);
}

void InformerCore::Impl::condition_changed(InformerCondition condition,
                                           const Optional<Error>& error) {
  if (!error && failure_lines.recovered()) {
    KUBE_LOG(runtime.logger, LogLevel::Info, "reflector", "lists and watches are accepted again",
             {"resource", resource.group_resource().to_string()});
  }
  call_condition_handler(condition, error);
}

void InformerCore::Impl::call_condition_handler(InformerCondition condition,
                                                const Optional<Error>& error) {
  if (!condition_handler) return;
  const auto inside = calls->enter();
  if (!inside) return;
  const Result<void> called =
      call_user_code("the condition handler", [&] { condition_handler(condition, error); });
  if (!called) refused(called.error());
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
  metrics.processing_errors.add();
  if (!refusal_lines.try_accept()) return;
  KUBE_LOG(runtime.logger, LogLevel::Error, "informer", "object dropped or not indexed",
           {"resource", resource.group_resource().to_string()}, {"error", error.to_string()});
}

// Those that have a key share a line; the others have one each, up to a bound.
void InformerCore::Impl::refused(const Error& error, std::string_view key, Origin origin) {
  if (key.empty() || calls->closed()) return refused(error);
  processing_errors.fetch_add(1, std::memory_order_relaxed);
  metrics.processing_errors.add();
  if (origin == Origin::Deletion) flush();  // what came before it may be queued
  if (origin == Origin::Deletion && !writer.find(key)) {
    refused_objects.gone(key, origin);
  } else {
    refused_objects.add(key, error, origin);
  }
}

void InformerCore::Impl::log_refused_objects() {
  if (!refused_objects.has_news() || refused_line_waits || calls->closed()) return;
  if (!refused_lines.try_accept()) {
    refused_line_waits = true;
    refused_timer = strand.submit_after(kRefusalsEvery, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      self->refused_line_waits = false;
      self->log_refused_objects();
    });
    return;
  }
  const RefusedObjects::News news = refused_objects.take_news();
  KUBE_LOG(runtime.logger, LogLevel::Error, "informer", "objects refused",
           {"resource", resource.group_resource().to_string()},
           {"count", std::to_string(news.count)}, {"keys", news.keys},
           {"error", news.first ? news.first->to_string() : std::string()});
}

// Logged by flush().
void InformerCore::Impl::incomplete(const Error& error) {
  call_watch_error_handler(error);
}

void InformerCore::Impl::report() {
  processor.report();
  const auto seconds = [](Duration time) { return std::chrono::duration<double>(time).count(); };
  metrics.staleness.set(seconds(since_proof_of_life().value_or(Duration::zero())));
  const Reflector::Progress progress = reflector.progress();
  metrics.received_objects.set(static_cast<double>(progress.received));
  metrics.expected_objects.set(static_cast<double>(progress.expected.value_or(0)));
  metrics.objects.set(static_cast<double>(store->size()));
  metrics.bytes.set(static_cast<double>(store->bytes()));
  metrics.healthy.set(progress.condition == InformerCondition::Healthy ? 1 : 0);
  report_timer = strand.submit_after(kReportPeriod, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && !self->calls->closed()) self->report();
  });
}

std::stop_token InformerCore::stop_token() const {
  return impl_->stop_source.get_token();
}

}  // namespace kube::cache
