// SPDX-License-Identifier: Apache-2.0
//
// Strand: runs its tasks one at a time and in order, on any executor.
#include <deque>
#include <exception>
#include <thread>

#include <kube/base/caught.hpp>
#include <kube/base/executor.hpp>

namespace kube {
namespace {

constexpr int kBatch = 16;  // tasks before the strand gives its thread back

thread_local const void* current_strand = nullptr;

class CurrentStrand {
 public:
  explicit CurrentStrand(const void* strand) : outer_(std::exchange(current_strand, strand)) {}
  ~CurrentStrand() { current_strand = outer_; }
  CurrentStrand(const CurrentStrand&) = delete;
  CurrentStrand& operator=(const CurrentStrand&) = delete;

 private:
  const void* const outer_;
};

/// The task of a timer, shared by the thread that fires it and the one that cancels it.
class DelayedTask {
 public:
  explicit DelayedTask(Task task) : task_(std::move(task)) {}
  Task take() {
    MutexLock lock(mutex_);
    return std::exchange(task_, nullptr);
  }

  std::shared_ptr<DelayedTask> next;  ///< Guarded by the strand's mutex.

 private:
  Mutex mutex_;
  Task task_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace

struct Strand::Impl : std::enable_shared_from_this<Impl> {
  explicit Impl(std::shared_ptr<Executor> given) : executor(std::move(given)) {}

  void submit(Task task);
  /// Submits the task of a timer that has fired. Called by the executor; needs no memory.
  void submit_due(const std::shared_ptr<DelayedTask>& delayed);
  /// Throws when there is no memory for a batch; nothing has changed then.
  void schedule();
  void run_batch();
  /// Runs up to kBatch tasks, or up to one that throws. Returns whether there are more; otherwise
  /// the strand is not scheduled any longer.
  bool run_some(std::exception_ptr& failure);
  /// Returns false when there is none.
  bool take(Task& task) KUBE_REQUIRES(mutex);
  void abandon();

  const std::shared_ptr<Executor> executor;
  Mutex mutex;
  std::deque<Task> queue KUBE_GUARDED_BY(mutex);
  /// A list of those for which the queue had no memory. They run when it is empty.
  std::shared_ptr<DelayedTask> overdue KUBE_GUARDED_BY(mutex);
  /// A batch is queued or running, or about to be queued. Otherwise there is no task.
  bool scheduled KUBE_GUARDED_BY(mutex) = false;
};

namespace {

/// The strand's task on the executor. When the executor drops it, the strand's queue is destroyed:
/// tasks that will not run must not keep their owners, which may own the strand, alive.
template <class Impl>
class Batch {
 public:
  explicit Batch(std::shared_ptr<Impl> strand) : strand_(std::move(strand)) {}
  ~Batch() {
    if (strand_) strand_->abandon();
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  void take() {
    const std::shared_ptr<Impl> strand = std::exchange(strand_, nullptr);
    strand->run_batch();
  }
  /// For one that the executor has not accepted.
  void forget() { strand_ = nullptr; }

 private:
  std::shared_ptr<Impl> strand_;
};

class StrandTimer final : public Timer::State {
 public:
  StrandTimer(const std::shared_ptr<DelayedTask>& task, Timer timer)
      : task_(task), timer_(std::move(timer)) {}
  void cancel() override {
    if (const std::shared_ptr<DelayedTask> delayed = task_.lock()) {
      const Task cancelled = delayed->take();
    }
    timer_.cancel();
  }

 private:
  // Weak: when the executor drops the timer, the task is destroyed although the handle exists.
  const std::weak_ptr<DelayedTask> task_;
  Timer timer_;
};

}  // namespace

void Strand::Impl::submit(Task task) {
  {
    MutexLock lock(mutex);
    queue.push_back(std::move(task));
    if (std::exchange(scheduled, true)) return;
  }
  while (const std::exception_ptr failure = caught([this] { schedule(); })) {
    {
      Task refused;  // destroyed without the lock
      const MutexLock lock(mutex);
      if (queue.size() == 1 && !overdue) {
        refused = std::move(queue.front());
        queue.pop_front();
        scheduled = false;
        std::rethrow_exception(failure);
      }
    }
    // Other threads have queued tasks meanwhile, and rely on this one.
    std::this_thread::yield();
  }
}

void Strand::Impl::submit_due(const std::shared_ptr<DelayedTask>& delayed) {
  const auto submit_it = [&] {
    submit([delayed] {
      if (const Task due = delayed->take()) due();
    });
  };
  if (!caught(submit_it)) return;
  // The executor has given this thread, which runs what it can't queue.
  {
    const MutexLock lock(mutex);
    std::shared_ptr<DelayedTask>* last = &overdue;
    while (*last) last = &(*last)->next;
    *last = delayed;
    if (std::exchange(scheduled, true)) return;
  }
  run_batch();
}

void Strand::Impl::schedule() {
  const auto batch = std::make_shared<Batch<Impl>>(shared_from_this());
  const auto failure = caught([&] { executor->submit([batch] { batch->take(); }); });
  if (!failure) return;
  batch->forget();
  std::rethrow_exception(failure);
}

// What has been queued must not be lost: without memory for another batch, this one goes on.
void Strand::Impl::run_batch() {
  std::exception_ptr failure;
  while (run_some(failure) && caught([this] { schedule(); })) {
  }
  if (failure) std::rethrow_exception(failure);
}

bool Strand::Impl::run_some(std::exception_ptr& failure) {
  const CurrentStrand inside(this);
  for (int i = 0; i < kBatch; ++i) {
    Task task;
    {
      const MutexLock lock(mutex);
      if (!take(task)) return scheduled = false;
    }
    if (const std::exception_ptr thrown = caught(task)) {
      failure = thrown;
      break;
    }
  }
  const MutexLock lock(mutex);
  return scheduled = !queue.empty() || overdue;
}

bool Strand::Impl::take(Task& task) {
  if (!queue.empty()) {
    task = std::move(queue.front());
    queue.pop_front();
    return true;
  }
  while (overdue && !task) {
    task = overdue->take();  // empty when it was cancelled
    overdue = std::exchange(overdue->next, nullptr);
  }
  return task != nullptr;
}

void Strand::Impl::abandon() {
  std::deque<Task> dropped;  // destroyed without the lock
  std::shared_ptr<DelayedTask> dropped_timers;
  MutexLock lock(mutex);
  dropped.swap(queue);
  dropped_timers.swap(overdue);
  scheduled = false;
}

Strand::Strand(std::shared_ptr<Executor> executor)
    : impl_(std::make_shared<Impl>(std::move(executor))) {}

void Strand::submit(Task task) {
  impl_->submit(std::move(task));
}

Timer Strand::submit_at(TimePoint when, Task task) {
  auto delayed = std::make_shared<DelayedTask>(std::move(task));
  Timer timer =
      impl_->executor->submit_at(when, [strand = impl_, delayed] { strand->submit_due(delayed); });
  return Timer(std::make_shared<StrandTimer>(delayed, std::move(timer)));
}

const std::shared_ptr<Clock>& Strand::clock() const {
  return impl_->executor->clock();
}

bool Strand::running_in_this_thread() const {
  return current_strand == impl_.get();
}

}  // namespace kube
