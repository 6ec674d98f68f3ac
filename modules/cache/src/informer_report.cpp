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

// Those that have a key share a line; the others have one each, up to a bound.
void InformerCore::Impl::refused(const Error& error, const Delta& object) {
  if (!object.cell || calls->closed()) return refused(error);
  count_error();
  const std::string_view key = object.cell->key();
  if (object.type == DeltaType::Deleted) {
    refused_objects.gone(key, object.type);
  } else {
    refused_objects.add(key, error, object.type);
  }
}

void InformerCore::Impl::log_refused_objects() {
  while (refused_objects.has_news() && !refused_line_waits && !calls->closed()) {
    if (!refused_lines.try_accept()) {
      refused_line_waits = true;
      refused_timer = strand.submit_after(kRefusalsEvery, [weak = std::weak_ptr(self())] {
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
  report_timer = strand.submit_after(kReportPeriod, [weak = std::weak_ptr(self())] {
    const auto self = weak.lock();
    if (self && !self->calls->closed()) self->report();
  });
}

std::stop_token InformerCore::stop_token() const {
  return impl_->stop_source.get_token();
}

}  // namespace kube::cache
