// SPDX-License-Identifier: Apache-2.0
//
// Delivers deltas to one handler, one at a time.
#include "listener.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include <kube/base/call_user_code.hpp>

namespace kube::cache {
namespace {

// After so many calls, or so much time in them, a handler yields its thread.
constexpr std::size_t kBurst = 64;
constexpr Duration kBurstTime = std::chrono::milliseconds(2);
// An executor that did not accept a task is asked again after this time.
constexpr Duration kRetry = std::chrono::seconds(1);
// A handler that is too slow for its events overflows again and again.
constexpr double kOverflowsPerSecond = 1.0 / 60;

metrics::Labels with_handler(metrics::Labels labels, const std::string& name) {
  labels.emplace_back("handler", name);
  return labels;
}

}  // namespace

Listener::Listener(Runtime runtime, std::shared_ptr<CallbackGate> informer, CellHandler handler,
                   const HandlerOptions& options, metrics::Labels labels)
    : runtime_(std::move(runtime)),
      informer_(std::move(informer)),
      record_(std::make_shared<HandlerRecord>(runtime_.clock(), options.name)),
      labels_(with_handler(std::move(labels), options.name)),
      backlog_(runtime_.metrics, "informer_handler_pending_notifications", labels_),
      lag_(runtime_.metrics, "informer_handler_lag_seconds", labels_),
      exceptions_(runtime_.metrics, "informer_handler_exceptions_total", labels_),
      overflows_(runtime_.metrics, "informer_handler_overflows_total", labels_),
      merged_(runtime_.metrics, "informer_handler_merged_total", labels_),
      overflow_(options.overflow),
      on_fell_behind_(options.on_fell_behind),
      overflow_lines_(kOverflowsPerSecond, 1, runtime_.clock()),
      handler_(std::move(handler)),
      queue_(options) {}

// Also needed when the executor stopped before the listener was closed.
Listener::~Listener() {
  record_->note_end();
}

void Listener::push(std::span<const Delta> deltas) {
  if (deltas.empty() || record_->calls().closed() || informer_->closed()) return;
  const TimePoint now = runtime_.clock()->now();
  std::vector<Delta> released;  // destroyed without the lock
  bool was_running = false;
  bool overflowed = false;
  std::size_t pending = 0;
  std::uint64_t merged = 0;
  {
    const MutexLock lock(mutex_);
    merged = queue_.merged();
    overflowed = queue_.push(deltas, now, released);
    merged = queue_.merged() - merged;
    pending = queue_.size();
    note_backlog();
    was_running = running_;
    running_ = running_ || pending > 0;
  }
  backlog_.publish();
  if (merged > 0) merged_.add(static_cast<double>(merged));
  if (overflowed && overflow_ == HandlerOverflow::Unregister) {
    end(pending);
    return;
  }
  if (overflowed) report_overflow(pending);
  if (pending == 0) return;  // everything has cancelled out
  if (was_running || submit_run()) return;
  {
    const MutexLock lock(mutex_);
    running_ = false;  // the next notification tries again
  }
  retry_later();
}

// The last change of a quiet object has no next notification.
void Listener::retry_later() {
  Timer timer;
  const Result<void> armed = call_user_code("the executor", [&] {
    timer = runtime_.handler_executor()->submit_after(kRetry, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->retry();
    });
  });
  if (!armed) return;  // as unable as it was for the task, which is logged
  const MutexLock lock(mutex_);
  std::swap(timer, retry_);  // the former one is cancelled without the lock
}

void Listener::retry() {
  {
    const MutexLock lock(mutex_);
    if (running_ || queue_.empty()) return;
    running_ = true;
  }
  run();
}

bool Listener::submit_run() {
  const Result<void> submitted = call_user_code("the executor", [&] {
    runtime_.handler_executor()->submit([self = shared_from_this()] { self->run(); });
  });
  if (submitted) return true;
  KUBE_LOG(runtime_.logger, LogLevel::Error, "informer",
           "could not start the event handler on an executor", {"handler", record_->name()},
           {"error", submitted.error().to_string()});
  return false;
}

// At most one task runs this: running_ is true from the push() that submits the first one until the
// queue was found empty.
void Listener::run() {
  while (deliver_burst()) {
    if (submit_run()) return;
  }
}

bool Listener::deliver_burst() {
  const auto of_informer = informer_->enter();
  const auto own = record_->calls().enter();
  if (!of_informer || !own) {
    drop_queue();
    return false;
  }
  std::vector<Backlog::Item> burst;
  take(burst);
  const TimePoint end = deadline_after(runtime_.clock()->now(), kBurstTime);
  for (std::size_t i = 0; i < burst.size(); ++i) {
    if (record_->calls().closed() || informer_->closed()) {
      record_->note_in_burst(0);
      drop_queue();
      return false;
    }
    {
      record_->note_delivering(burst[i].since);
      const Delta one = std::move(burst[i].delta);  // released after the call
      deliver(one);
    }
    record_->note_in_burst(burst.size() - i - 1);
    if (i + 1 < burst.size() && runtime_.clock()->now() >= end) {
      put_back(std::span(burst).subspan(i + 1));
      break;
    }
  }
  bool goes_on = false;
  {
    const MutexLock lock(mutex_);
    running_ = !queue_.empty();
    goes_on = running_;
    note_backlog();
  }
  backlog_.publish();
  return goes_on;
}

void Listener::take(std::vector<Backlog::Item>& burst) {
  const MutexLock lock(mutex_);
  queue_.take(kBurst, burst);
  record_->note_in_burst(burst.size());
  if (!burst.empty()) record_->note_delivering(burst.front().since);
  note_backlog();
}

void Listener::put_back(std::span<Backlog::Item> burst) {
  const MutexLock lock(mutex_);
  queue_.put_back(burst);
  record_->note_in_burst(0);
  note_backlog();
}

void Listener::note_backlog() {
  record_->note_queued(queue_.size(), queue_.oldest().value_or(TimePoint()));
  record_->note_merges(queue_.merges(), queue_.merged());
  backlog_.note(static_cast<double>(queue_.size()));
}

void Listener::report() const {
  if (lag_) lag_.set(std::chrono::duration<double>(record_->status().lag).count());
}

void Listener::report_overflow(std::size_t pending) {
  record_->note_overflow();
  overflows_.add();
  if (!overflow_lines_.try_accept()) return;
  KUBE_LOG(runtime_.logger, LogLevel::Warning, "informer",
           "handler falls behind: updates are merged until it has caught up",
           {"handler", record_->name()}, {"pending", std::to_string(pending)});
}

void Listener::end(std::size_t pending) {
  record_->note_overflow();
  record_->note_fell_behind();
  overflows_.add();
  KUBE_LOG(runtime_.logger, LogLevel::Error, "informer",
           "handler fell behind and is unregistered: the maximum of pending events is exceeded",
           {"handler", record_->name()}, {"pending", std::to_string(pending)});
  close();
  if (!on_fell_behind_) return;
  const Result<void> called = call_user_code("on_fell_behind", on_fell_behind_);
  if (called) return;
  KUBE_LOG(runtime_.logger, LogLevel::Error, "informer", "on_fell_behind threw",
           {"handler", record_->name()}, {"error", called.error().message()});
}

void Listener::deliver(const Delta& delta) {
  if (delta.type == DeltaType::Bookmark) {
    record_->note_synced();
    return;
  }
  record_->note_delivered();
  const Result<void> called = call_user_code("the handler", [&] { handler_(delta); });
  if (called) return;
  record_->note_failure();
  exceptions_.add();
  KUBE_LOG(runtime_.logger, LogLevel::Error, "informer", "event handler threw",
           {"handler", record_->name()}, {"key", std::string(delta.cell->key())},
           {"error", called.error().message()});
}

void Listener::drop_queue() {
  std::deque<Backlog::Item> dropped;  // destroyed without the lock
  {
    const MutexLock lock(mutex_);
    dropped = queue_.clear();
    running_ = false;
    note_backlog();
  }
  backlog_.publish();
}

void Listener::close() {
  record_->calls().close();
  drop_queue();
  record_->note_end();
  lag_.set(0);
}

void Listener::close_and_wait() {
  close();
  if (!record_->calls().close_and_wait()) return;
  // The caller may destroy next the objects that the handler refers to, so destroy the handler now.
  CellHandler gone;
  const MutexLock lock(mutex_);
  std::swap(gone, handler_);
}

}  // namespace kube::cache
