// SPDX-License-Identifier: Apache-2.0
//
// Invariants, all under Impl::mutex:
//   1. A waiting thread is either in `idle` or is `timer_waiter`, the one that waits for the
//      earliest timer; it is taken out before it is woken, so that each wake-up reaches another
//      thread.
//   2. While there are timers and a thread waits, there is a timer_waiter.
// The threads need no memory of their own: nobody would catch what they throw.
#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <new>
#include <optional>

#include <kube/base/caught.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/log.hpp>
#include <kube/base/worker_thread.hpp>

#include "timer_queue.hpp"

namespace kube {
namespace {

/// The pool and the worker of the calling thread.
struct CurrentWorker {
  const void* pool = nullptr;
  void* worker = nullptr;
};
thread_local CurrentWorker current;

// The kernel keeps 15 bytes, which must include the number.
std::string thread_name(const std::string& pool, std::size_t index) {
  const std::string suffix = "-" + std::to_string(index);
  return pool.substr(0, 15 - std::min<std::size_t>(15, suffix.size())) + suffix;
}

}  // namespace

struct ThreadPool::Impl : std::enable_shared_from_this<Impl> {
  struct Worker {  // guarded by Impl::mutex, except `thread`
    CondVar wake;
    bool signalled = false;
    bool exited = false;
    bool inside_stop = false;
    std::optional<WorkerThread::Turn> turn{std::in_place};  // none while it waits
    std::vector<Worker*> woken;                             // used by the worker; has room for all
    WorkerThread thread;  // set before any other thread knows the pool; then see `joining`
  };

  explicit Impl(Options given)
      : options(std::move(given)), clock(options.clock ? options.clock : real_clock()) {}

  void start();
  void run(Worker& self);
  void run_task(const Task& task) noexcept;
  void wait(Worker& self, MutexLock& lock) KUBE_REQUIRES(mutex);
  std::size_t promote_due_timers() KUBE_REQUIRES(mutex);
  Worker* pick_waiting() KUBE_REQUIRES(mutex);
  void signal(Worker& worker) KUBE_REQUIRES(mutex);
  void cancel(detail::TimerEntry& entry) KUBE_EXCLUDES(mutex);
  void stop() KUBE_EXCLUDES(mutex);
  bool others_left(const Worker* self) const KUBE_REQUIRES(mutex);
  void release_threads();

  const Options options;
  const std::shared_ptr<Clock> clock;
  std::vector<std::unique_ptr<Worker>> workers;  // fixed after start()
  std::atomic<std::uint64_t> failed{0};

  Mutex mutex;
  std::deque<detail::ReadyTask> ready KUBE_GUARDED_BY(mutex);
  detail::TimerQueue timers KUBE_GUARDED_BY(mutex);
  std::vector<Worker*> idle KUBE_GUARDED_BY(mutex);
  Worker* timer_waiter KUBE_GUARDED_BY(mutex) = nullptr;
  bool stopping KUBE_GUARDED_BY(mutex) = false;
  bool joining KUBE_GUARDED_BY(mutex) = false;  // a thread joins, or has joined, the workers
  bool joined KUBE_GUARDED_BY(mutex) = false;
  CondVar stopped;  // a worker exited or entered stop(), or the threads were joined
};

void ThreadPool::Impl::start() {
  const std::size_t count = std::max<std::size_t>(options.threads, 1);
  for (std::size_t i = 0; i < count; ++i) {
    workers.push_back(std::make_unique<Worker>());
    workers.back()->woken.reserve(count);
  }
  {
    const MutexLock lock(mutex);
    idle.reserve(count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    Worker& worker = *workers[i];
    try {
      worker.thread = WorkerThread(thread_name(options.name, i),
                                   [impl = shared_from_this(), &worker] { impl->run(worker); });
    } catch (...) {
      {
        MutexLock lock(mutex);
        for (std::size_t j = i; j < count; ++j) workers[j]->exited = true;
      }
      stop();
      throw;
    }
  }
}

void ThreadPool::Impl::run(Worker& self) {
  current = {this, &self};
  MutexLock lock(mutex);
  while (!stopping) {
    const std::size_t promoted = promote_due_timers();
    Task task;
    if (!ready.empty()) {
      task = ready.front().take();
      ready.pop_front();
    } else if (const auto due = timers.pop_due(clock->now())) {
      task = std::exchange(due->task, nullptr);  // there was no memory to make it ready
    } else {
      wait(self, lock);
      continue;
    }
    // Several due timers need more threads; the remaining ones need one that waits for them.
    std::vector<Worker*>& woken = self.woken;
    woken.clear();
    const std::size_t wanted = promoted > 1 ? promoted - 1 : 0;
    while (woken.size() < wanted && !idle.empty()) woken.push_back(pick_waiting());
    if (!timers.empty() && timer_waiter == nullptr && !idle.empty()) {
      woken.push_back(pick_waiting());
    }
    lock.unlock();
    for (Worker* worker : woken) worker->wake.notify_one();
    if (task) {
      run_task(task);
      task = nullptr;  // destroyed without the lock, and perhaps the pool with it
    }
    lock.lock();
    if (self.turn) self.turn->renew();
  }
  self.turn.reset();
  self.exited = true;
  stopped.notify_all();
}

void ThreadPool::Impl::run_task(const Task& task) noexcept {
  if (const std::exception_ptr failure = caught(task)) {
    failed.fetch_add(1, std::memory_order_relaxed);
    KUBE_LOG(options.logger, LogLevel::Error, "executor", "task failed",
             {"error", exception_text(failure)});
  }
}

void ThreadPool::Impl::wait(Worker& self, MutexLock& lock) {
  TimePoint deadline = TimePoint::max();
  if (!timers.empty() && timer_waiter == nullptr) {
    timer_waiter = &self;
    deadline = timers.earliest();
  } else {
    idle.push_back(&self);
  }
  self.signalled = false;
  self.turn.reset();
  clock->wait_until(lock, self.wake, deadline, {},
                    [this, &self]() KUBE_REQUIRES(mutex) { return self.signalled || stopping; });
  if (timer_waiter == &self) timer_waiter = nullptr;  // it timed out and was not woken
  if (!self.turn) self.turn.emplace();
}

std::size_t ThreadPool::Impl::promote_due_timers() {
  if (timers.empty()) return 0;
  const TimePoint now = clock->now();
  std::size_t promoted = 0;
  while (!timers.empty() && timers.earliest() <= now) {
    try {
      ready.emplace_back();
    } catch (const std::bad_alloc&) {
      break;  // it stays a timer that is due
    }
    ready.back().timer = timers.pop_due(now);
    ++promoted;
  }
  return promoted;
}

/// Picks a waiting thread, which the caller notifies. Null when all are busy.
ThreadPool::Impl::Worker* ThreadPool::Impl::pick_waiting() {
  Worker* worker = nullptr;
  if (!idle.empty()) {
    worker = idle.back();  // the last one to become idle has the warmest cache
    idle.pop_back();
  } else {
    worker = std::exchange(timer_waiter, nullptr);
  }
  if (worker != nullptr) signal(*worker);
  return worker;
}

void ThreadPool::Impl::signal(Worker& worker) {
  worker.signalled = true;
  worker.turn.emplace();
}

void ThreadPool::Impl::cancel(detail::TimerEntry& entry) {
  Task task;  // destroyed without the lock
  MutexLock lock(mutex);
  task = timers.cancel(entry);
}

bool ThreadPool::Impl::others_left(const Worker* self) const {
  return std::any_of(workers.begin(), workers.end(), [&](const std::unique_ptr<Worker>& worker) {
    const bool yielded = self != nullptr && worker->inside_stop;
    return worker.get() != self && !worker->exited && !yielded;
  });
}

void ThreadPool::Impl::stop() {
  // In a forked child there are no threads to wait for, and the lock may be held for ever.
  if (!workers.empty() && !workers.front()->thread.in_this_process()) return;
  Worker* const self = current.pool == this ? static_cast<Worker*>(current.worker) : nullptr;
  std::deque<detail::ReadyTask> dropped;
  std::vector<Task> dropped_timers;
  {
    MutexLock lock(mutex);
    stopping = true;
    for (detail::ReadyTask& task : ready) dropped_timers.push_back(task.take());
    dropped.swap(ready);
    for (Task& task : timers.clear()) dropped_timers.push_back(std::move(task));
    for (const auto& worker : workers) worker->wake.notify_all();
  }
  dropped_timers.clear();
  dropped.clear();

  MutexLock lock(mutex);
  if (self != nullptr) {
    // Two tasks that stop their pool at the same time must not wait for each other.
    self->inside_stop = true;
    stopped.notify_all();
    while (others_left(self)) stopped.wait(lock);
    self->inside_stop = false;
    return;
  }
  while (others_left(nullptr)) stopped.wait(lock);
  if (!joining) {
    joining = true;
    lock.unlock();
    for (const auto& worker : workers) worker->thread.join();
    lock.lock();
    joined = true;
    stopped.notify_all();
  }
  while (!joined) stopped.wait(lock);
}

/// For a pool that one of its own threads destroys: its threads keep Impl alive.
void ThreadPool::Impl::release_threads() {
  MutexLock lock(mutex);
  if (std::exchange(joining, true)) return;
  for (const auto& worker : workers) worker->thread.join_later();
  joined = true;
}

ThreadPool::ThreadPool() : ThreadPool(Options{}) {}

ThreadPool::ThreadPool(Options options) : impl_(std::make_shared<Impl>(std::move(options))) {
  impl_->start();
}

ThreadPool::~ThreadPool() {
  impl_->stop();
  impl_->release_threads();
}

void ThreadPool::submit(Task task) {
  const std::shared_ptr<Impl> impl = impl_;  // the task may hold the last owner of the pool
  Impl::Worker* worker = nullptr;
  {
    MutexLock lock(impl->mutex);
    if (impl->stopping) return;  // the parameter is destroyed after the lock
    impl->ready.push_back({std::move(task), nullptr});
    worker = impl->pick_waiting();
  }
  if (worker != nullptr) worker->wake.notify_one();
}

Timer ThreadPool::submit_at(TimePoint when, Task task) {
  const std::shared_ptr<Impl> impl = impl_;  // as in submit()
  auto timer = std::make_shared<detail::ExecutorTimer<Impl>>(impl);
  timer->when = when;
  timer->task = std::move(task);
  Impl::Worker* worker = nullptr;
  bool accepted = false;
  {
    MutexLock lock(impl->mutex);
    if (!impl->stopping) {
      accepted = true;
      const bool first = impl->timers.empty() || when < impl->timers.earliest();
      impl->timers.insert(timer);
      if (first) {
        // The thread that waits for timers must wake earlier; without one, another has to wait.
        if (impl->timer_waiter != nullptr) {
          worker = std::exchange(impl->timer_waiter, nullptr);
          impl->signal(*worker);
        } else {
          worker = impl->pick_waiting();
        }
      }
    }
  }
  if (worker != nullptr) worker->wake.notify_one();
  if (!accepted) return Timer();
  return Timer(std::move(timer));
}

const std::shared_ptr<Clock>& ThreadPool::clock() const {
  return impl_->clock;
}

void ThreadPool::stop() {
  impl_->stop();
}

std::uint64_t ThreadPool::failed_tasks() const {
  return impl_->failed.load(std::memory_order_relaxed);
}

}  // namespace kube
