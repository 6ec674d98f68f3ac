// SPDX-License-Identifier: Apache-2.0
//
// kube::detail::QueueMetrics: the metrics of a named work queue. Part of no public signature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <kube/base/clock.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/metrics.hpp>
#include <kube/base/runtime.hpp>

namespace kube::detail {

/// The series of client-go's work queues, with its names and the label `name`.
///
/// @par Thread safety   All functions may be called from any thread; none needs the queue's lock,
///   except where it says so.
class QueueMetrics : public std::enable_shared_from_this<QueueMetrics> {
 public:
  /// The ages of the items that are being processed.
  struct Ages {
    Duration sum{};
    Duration longest{};
  };

  /// Returns null without a name or a provider.
  static std::shared_ptr<QueueMetrics> create(const std::string& name, const Runtime& runtime);

  QueueMetrics(const std::string& name, const Runtime& runtime);

  /// Notes the number of dirty items; under the queue's lock, so that the last one wins.
  void note_depth(std::size_t depth) { depth_.note(static_cast<double>(depth)); }

  void added();
  void taken(Duration waited);
  void done(Duration worked);
  void retried();

  /// Starts to report ages() every 500 ms until stop(), if there is an executor.
  void start(std::function<Ages()> ages);
  void stop();

 private:
  void report_ages();
  void schedule();

  const std::shared_ptr<Executor> executor_;
  metrics::LatestGauge depth_;
  metrics::Counter adds_;
  metrics::Histogram queue_duration_;
  metrics::Histogram work_duration_;
  metrics::Gauge unfinished_work_;
  metrics::Gauge longest_running_;
  metrics::Counter retries_;
  Mutex mutex_;
  std::function<Ages()> ages_ KUBE_GUARDED_BY(mutex_);
  bool stopped_ KUBE_GUARDED_BY(mutex_) = false;
  Timer timer_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::detail
