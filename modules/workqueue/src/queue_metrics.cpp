// SPDX-License-Identifier: Apache-2.0
#include <kube/workqueue/detail/queue_metrics.hpp>

namespace kube::detail {
namespace {

constexpr Duration kAgesPeriod = std::chrono::milliseconds(500);

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::shared_ptr<QueueMetrics> QueueMetrics::create(const std::string& name,
                                                   const Runtime& runtime) {
  if (name.empty() || !runtime.metrics) return nullptr;
  return std::make_shared<QueueMetrics>(name, runtime);
}

QueueMetrics::QueueMetrics(const std::string& name, const Runtime& runtime)
    : executor_(runtime.executor), depth_(runtime.metrics, "workqueue_depth", {{"name", name}}) {
  const metrics::Labels labels{{"name", name}};
  const auto& provider = runtime.metrics;
  adds_ = {provider, "workqueue_adds_total", labels};
  queue_duration_ = {provider, "workqueue_queue_duration_seconds", labels};
  work_duration_ = {provider, "workqueue_work_duration_seconds", labels};
  unfinished_work_ = {provider, "workqueue_unfinished_work_seconds", labels};
  longest_running_ = {provider, "workqueue_longest_running_processor_seconds", labels};
  retries_ = {provider, "workqueue_retries_total", labels};
}

void QueueMetrics::added() {
  adds_.add();
  depth_.publish();
}

void QueueMetrics::taken(Duration waited) {
  queue_duration_.observe(seconds(waited));
  depth_.publish();
}

void QueueMetrics::done(Duration worked) {
  work_duration_.observe(seconds(worked));
}

void QueueMetrics::retried() {
  retries_.add();
}

void QueueMetrics::start(std::function<Ages()> ages) {
  if (!executor_) return;
  {
    MutexLock lock(mutex_);
    ages_ = std::move(ages);
  }
  schedule();
}

void QueueMetrics::stop() {
  Timer timer;  // cancelled without the lock
  MutexLock lock(mutex_);
  stopped_ = true;
  timer = std::exchange(timer_, Timer());
}

void QueueMetrics::schedule() {
  Timer timer = executor_->submit_after(kAgesPeriod, [weak = weak_from_this()] {
    if (const std::shared_ptr<QueueMetrics> self = weak.lock()) self->report_ages();
  });
  Timer old;  // cancelled without the lock
  MutexLock lock(mutex_);
  if (!stopped_) old = std::exchange(timer_, std::move(timer));
}

void QueueMetrics::report_ages() {
  std::function<Ages()> ages;
  {
    MutexLock lock(mutex_);
    if (stopped_) return;
    ages = ages_;
  }
  const Ages now = ages();
  unfinished_work_.set(seconds(now.sum));
  longest_running_.set(seconds(now.longest));
  schedule();
}

}  // namespace kube::detail
