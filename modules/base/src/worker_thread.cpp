// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigfillset is POSIX
#include <unistd.h>

#include <algorithm>
#include <array>
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

/// The threads that must be joined. Never destroyed: a thread that calls exit() remains in it.
class Orphans {
 public:
  static Orphans& instance() {
    static Orphans& orphans = *[] {
      std::atexit(&WorkerThread::join_orphans);
      return new Orphans;
    }();
    return orphans;
  }
  /// False in a forked child, which has none of the threads and where locks may be held for ever.
  bool here() const { return process_ == ::getpid(); }
  void adopt(Orphan orphan) KUBE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    threads_.push_back(std::move(orphan));
  }
  unsigned begin_turn() {
    const unsigned epoch = epoch_.load(std::memory_order_relaxed);
    turns_[epoch % 2].fetch_add(1, std::memory_order_relaxed);
    return epoch;
  }
  void end_turn(unsigned epoch) {
    turns_[epoch % 2].fetch_sub(1);
    if (waiting_.load()) {
      const MutexLock lock(mutex_);
      turn_over_.notify_all();
    }
  }
  bool is_over(unsigned epoch) const { return epoch_.load(std::memory_order_relaxed) != epoch; }
  /// Waits until only the caller's `own` turns are left, at most a second. The last owner of a
  /// pool is often in a task that is still queued, so the turns that follow count too, within
  /// limits: tasks that submit themselves again for ever must not delay the end.
  void wait_for_turns(int own) KUBE_EXCLUDES(mutex_) {
    constexpr auto kPatience = std::chrono::seconds(1);
    constexpr int kRounds = 64;
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    waiting_.store(true);
    MutexLock lock(mutex_);
    for (int round = 0; round < kRounds; ++round) {
      const std::atomic<int>& turns = turns_[epoch_.fetch_add(1) % 2];
      while (turns.load() > own) {
        if (turn_over_.wait_until(lock, deadline) == std::cv_status::timeout) return;
      }
      if (turns_[0].load() + turns_[1].load() <= own) return;
    }
  }
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
  // One counter for even and one for odd epochs: each round of a wait begins one.
  std::array<std::atomic<int>, 2> turns_{};
  std::atomic<unsigned> epoch_{0};
  std::atomic<bool> waiting_{false};
  const pid_t process_ = ::getpid();
};

// An exit() in a turn does not wait for that turn; a thread is in at most one.
thread_local bool is_worker = false;

// While it exists, the calling thread blocks the signals that WorkerThread names. A thread inherits
// the mask of the one that starts it, so that no signal reaches it before it could block them.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int of_the_thread :
         {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGTTIN, SIGTTOU, SIGPROF}) {
      sigdelset(&blocked, of_the_thread);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

WorkerThread::WorkerThread(const std::string& name, std::function<void()> body)
    : through_(std::make_shared<std::atomic<bool>>(false)), process_(::getpid()) {
  if (Orphans::instance().here()) {
    Orphans::instance().join([](const Orphan& orphan) { return orphan.through->load(); });
  }
  const BlockedSignals blocked;
  thread_ = std::thread(
      [name = name.substr(0, 15), body = std::move(body), through = through_]() mutable {
        pthread_setname_np(pthread_self(), name.c_str());
        is_worker = true;
        body();
        body = nullptr;  // destroying its captures may take long
        through->store(true);
      });
}

WorkerThread& WorkerThread::operator=(WorkerThread&& other) noexcept {
  if (this != &other) {
    join();
    thread_ = std::move(other.thread_);
    through_ = std::move(other.through_);
    process_ = other.process_;
  }
  return *this;
}

bool WorkerThread::in_this_process() const {
  return process_ == 0 || process_ == ::getpid();
}

void WorkerThread::join() {
  if (!thread_.joinable()) return;
  if (!in_this_process()) {
    // The handle is invalid here and must not be passed to the system, so it is leaked.
    static auto& left = *new std::vector<std::thread>;
    left.push_back(std::move(thread_));
  } else if (thread_.get_id() == std::this_thread::get_id()) {
    join_later();
  } else {
    thread_.join();
  }
}

void WorkerThread::join_later() {
  if (!thread_.joinable()) return;
  if (!in_this_process()) return join();
  if (!Orphans::instance().here()) return thread_.detach();
  Orphans::instance().adopt({std::exchange(thread_, std::thread()), through_});
}

WorkerThread::Turn::Turn() : epoch_(Orphans::instance().begin_turn()) {}

WorkerThread::Turn::~Turn() {
  Orphans::instance().end_turn(epoch_);
}

void WorkerThread::Turn::renew() {
  Orphans& orphans = Orphans::instance();
  if (!orphans.is_over(epoch_)) return;
  const unsigned next = orphans.begin_turn();  // before the other ends: there is always one
  orphans.end_turn(std::exchange(epoch_, next));
}

void WorkerThread::join_orphans() {
  if (!Orphans::instance().here()) return;
  Orphans::instance().wait_for_turns(is_worker ? 1 : 0);
  Orphans::instance().join([self = std::this_thread::get_id()](const Orphan& orphan) {
    return orphan.thread.get_id() != self;
  });
}

}  // namespace kube
