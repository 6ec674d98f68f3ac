// SPDX-License-Identifier: Apache-2.0
//
// Strand: runs its tasks one at a time and in order, on any executor.
#include <deque>
#include <exception>

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

}  // namespace

struct Strand::Impl : std::enable_shared_from_this<Impl> {
  explicit Impl(std::shared_ptr<Executor> given) : executor(std::move(given)) {}

  void submit(Task task);
  void schedule();
  void run_batch();
  void abandon();

  const std::shared_ptr<Executor> executor;
  Mutex mutex;
  std::deque<Task> queue KUBE_GUARDED_BY(mutex);
  bool scheduled KUBE_GUARDED_BY(mutex) = false;  // a batch is queued or running
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

 private:
  std::shared_ptr<Impl> strand_;
};

/// The task of a timer, shared by the thread that fires it and the one that cancels it.
class DelayedTask {
 public:
  explicit DelayedTask(Task task) : task_(std::move(task)) {}
  Task take() {
    MutexLock lock(mutex_);
    return std::exchange(task_, nullptr);
  }

 private:
  Mutex mutex_;
  Task task_ KUBE_GUARDED_BY(mutex_);
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
  schedule();
}

void Strand::Impl::schedule() {
  executor->submit([batch = std::make_shared<Batch<Impl>>(shared_from_this())] { batch->take(); });
}

void Strand::Impl::run_batch() {
  std::exception_ptr failure;
  {
    const CurrentStrand inside(this);
    for (int i = 0; i < kBatch && !failure; ++i) {
      Task task;
      {
        MutexLock lock(mutex);
        if (queue.empty()) {
          scheduled = false;
          return;
        }
        task = std::move(queue.front());
        queue.pop_front();
      }
      try {
        task();
      } catch (...) {
        failure = std::current_exception();
      }
    }
  }
  bool more = false;
  {
    MutexLock lock(mutex);
    more = scheduled = !queue.empty();
  }
  if (more) schedule();
  if (failure) std::rethrow_exception(failure);
}

void Strand::Impl::abandon() {
  std::deque<Task> dropped;  // destroyed without the lock
  MutexLock lock(mutex);
  dropped.swap(queue);
  scheduled = false;
}

Strand::Strand(std::shared_ptr<Executor> executor)
    : impl_(std::make_shared<Impl>(std::move(executor))) {}

void Strand::submit(Task task) {
  impl_->submit(std::move(task));
}

Timer Strand::submit_at(TimePoint when, Task task) {
  auto delayed = std::make_shared<DelayedTask>(std::move(task));
  Timer timer = impl_->executor->submit_at(when, [strand = impl_, delayed] {
    strand->submit([delayed] {
      if (const Task due = delayed->take()) due();
    });
  });
  return Timer(std::make_shared<StrandTimer>(delayed, std::move(timer)));
}

const std::shared_ptr<Clock>& Strand::clock() const {
  return impl_->executor->clock();
}

bool Strand::running_in_this_thread() const {
  return current_strand == impl_.get();
}

}  // namespace kube
