// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include <kube/base/mutex.hpp>
#include <kube/base/worker_thread.hpp>

namespace kube {
namespace {

struct Orphan {
  std::thread thread;
  std::shared_ptr<std::atomic<bool>> through;
};

/// Threads that wait for somebody to join them. Never destroyed: one that calls exit() stays in it.
class Orphans {
 public:
  static Orphans& instance() {
    static Orphans& orphans = *[] {
      std::atexit(&WorkerThread::join_orphans);
      return new Orphans;
    }();
    return orphans;
  }
  void adopt(Orphan orphan) KUBE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    threads_.push_back(std::move(orphan));
  }
  void begin_turn() { turns_.fetch_add(1, std::memory_order_relaxed); }
  void end_turn() {
    turns_.fetch_sub(1);
    if (waiting_.load()) {
      const MutexLock lock(mutex_);
      turn_over_.notify_all();
    }
  }
  void wait_for_turns(int own) KUBE_EXCLUDES(mutex_) {
    constexpr auto patience = std::chrono::seconds(3);
    waiting_.store(true);
    MutexLock lock(mutex_);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (turns_.load() > own &&
           turn_over_.wait_until(lock, deadline) != std::cv_status::timeout) {
    }
  }
  /// Joins those that `which` picks, without the lock.
  template <class Which>
  void join(Which which) KUBE_EXCLUDES(mutex_) {
    std::vector<Orphan> picked;
    {
      const MutexLock lock(mutex_);
      const auto first = std::partition(threads_.begin(), threads_.end(),
                                        [&](const Orphan& orphan) { return !which(orphan); });
      std::move(first, threads_.end(), std::back_inserter(picked));
      threads_.erase(first, threads_.end());
    }
    for (Orphan& orphan : picked) orphan.thread.join();
  }

 private:
  Mutex mutex_;
  CondVar turn_over_;
  std::vector<Orphan> threads_ KUBE_GUARDED_BY(mutex_);
  std::atomic<int> turns_{0};
  std::atomic<bool> waiting_{false};
};

// An exit() in a turn does not wait for its own: a thread is in one at most.
thread_local bool is_worker = false;

}  // namespace

WorkerThread::WorkerThread(const std::string& name, std::function<void()> body)
    : through_(std::make_shared<std::atomic<bool>>(false)) {
  Orphans::instance().join([](const Orphan& orphan) { return orphan.through->load(); });
  thread_ = std::thread(
      [name = name.substr(0, 15), body = std::move(body), through = through_]() mutable {
        pthread_setname_np(pthread_self(), name.c_str());
        is_worker = true;
        body();
        body = nullptr;  // what it holds may take long to go
        through->store(true);
      });
}

WorkerThread& WorkerThread::operator=(WorkerThread&& other) noexcept {
  if (this != &other) {
    join();
    thread_ = std::move(other.thread_);
    through_ = std::move(other.through_);
  }
  return *this;
}

void WorkerThread::join() {
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    join_later();
  } else {
    thread_.join();
  }
}

void WorkerThread::join_later() {
  if (!thread_.joinable()) return;
  Orphans::instance().adopt({std::exchange(thread_, std::thread()), through_});
}

WorkerThread::Turn::Turn() {
  Orphans::instance().begin_turn();
}

WorkerThread::Turn::~Turn() {
  Orphans::instance().end_turn();
}

void WorkerThread::join_orphans() {
  Orphans::instance().wait_for_turns(is_worker ? 1 : 0);
  Orphans::instance().join([self = std::this_thread::get_id()](const Orphan& orphan) {
    return orphan.thread.get_id() != self;
  });
}

}  // namespace kube
