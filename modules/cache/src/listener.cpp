// SPDX-License-Identifier: Apache-2.0
//
// Delivers notifications to one handler, one at a time.
#include "listener.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <kube/base/call_user_code.hpp>

namespace kube::cache {
namespace {

// After so many calls, or so much time in them, a handler yields its thread.
constexpr std::size_t kBurst = 64;
constexpr Duration kBurstTime = std::chrono::milliseconds(2);

metrics::Labels with_handler(metrics::Labels labels, const std::string& name) {
  labels.emplace_back("handler", name);
  return labels;
}

}  // namespace

Listener::Listener(Runtime runtime, std::shared_ptr<CallbackGate> informer, CellHandler handler,
                   std::string name, metrics::Labels labels)
    : runtime_(std::move(runtime)),
      informer_(std::move(informer)),
      record_(std::make_shared<HandlerRecord>(runtime_.clock(), std::move(name))),
      backlog_(runtime_.metrics, "informer_handler_pending_notifications",
               with_handler(labels, record_->name())),
      exceptions_(runtime_.metrics, "informer_handler_exceptions_total",
                  with_handler(std::move(labels), record_->name())),
      handler_(std::move(handler)) {}

// Also needed when the executor stopped before the listener was closed.
Listener::~Listener() {
  record_->note_end();
}

void Listener::push(std::span<const Notification> notifications) {
  if (notifications.empty() || record_->calls().closed() || informer_->closed()) return;
  bool was_running = false;
  {
    const MutexLock lock(mutex_);
    queue_.insert(queue_.end(), notifications.begin(), notifications.end());
    note_backlog();
    was_running = std::exchange(running_, true);
  }
  backlog_.publish();
  if (was_running || submit_run()) return;
  const MutexLock lock(mutex_);
  running_ = false;  // the next notification tries again
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
  std::vector<Notification> burst;
  take(burst);
  const TimePoint end = deadline_after(runtime_.clock()->now(), kBurstTime);
  for (std::size_t i = 0; i < burst.size(); ++i) {
    if (record_->calls().closed() || informer_->closed()) {
      record_->note_in_burst(0);
      drop_queue();
      return false;
    }
    {
      const Notification one = std::move(burst[i]);  // released after the call
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

void Listener::take(std::vector<Notification>& burst) {
  const MutexLock lock(mutex_);
  const auto count = static_cast<std::ptrdiff_t>(std::min(kBurst, queue_.size()));
  burst.assign(std::move_iterator(queue_.begin()), std::move_iterator(queue_.begin() + count));
  queue_.erase(queue_.begin(), queue_.begin() + count);
  record_->note_in_burst(burst.size());
  record_->note_queued(queue_.size());
}

void Listener::put_back(std::span<Notification> burst) {
  const MutexLock lock(mutex_);
  queue_.insert(queue_.begin(), std::move_iterator(burst.begin()), std::move_iterator(burst.end()));
  record_->note_in_burst(0);
  record_->note_queued(queue_.size());
}

void Listener::deliver(const Notification& notification) {
  using Type = Notification::Type;
  if (notification.type == Type::Synced) {
    record_->note_synced();
    return;
  }
  record_->note_delivered();
  const Result<void> called = call_user_code("the handler", [&] {
    switch (notification.type) {
      case Type::Add:
      case Type::InitialAdd:
        if (handler_.on_add) {
          handler_.on_add(notification.object, notification.type == Type::InitialAdd);
        }
        break;
      case Type::Update:
        if (handler_.on_update) handler_.on_update(notification.old, notification.object);
        break;
      case Type::Delete:
      case Type::DeleteUnknown:
        if (handler_.on_delete) {
          handler_.on_delete(notification.object, notification.type == Type::DeleteUnknown);
        }
        break;
      case Type::Synced:
        break;
    }
  });
  if (called) return;
  record_->note_failure();
  exceptions_.add();
  KUBE_LOG(runtime_.logger, LogLevel::Error, "informer", "event handler threw",
           {"handler", record_->name()}, {"key", std::string(notification.object->key())},
           {"error", called.error().message()});
}

void Listener::drop_queue() {
  std::deque<Notification> dropped;  // destroyed without the lock
  {
    const MutexLock lock(mutex_);
    dropped.swap(queue_);
    running_ = false;
    note_backlog();
  }
  backlog_.publish();
}

void Listener::close() {
  record_->calls().close();
  drop_queue();
  record_->note_end();
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
