// SPDX-License-Identifier: Apache-2.0
#include <kube/workqueue/parallelize_until.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include <kube/base/call_user_code.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/thread_turns.hpp>

namespace kube {
namespace {

/// Shared with the tasks on the executor, which may start after the call has returned.
class Job {
 public:
  Job(std::size_t pieces, std::size_t chunk, const std::function<void(std::size_t)>& f,
      std::stop_token stop)
      : pieces_(pieces), chunk_(chunk), f_(f), stop_(std::move(stop)) {}

  void work() {
    if (!enter()) return;
    std::size_t begin = 0;
    std::size_t end = 0;
    while (take(begin, end)) {
      for (std::size_t piece = begin; piece < end && !stop_.stop_requested(); ++piece) {
        if (!run(piece)) break;
      }
    }
    leave();
  }

  Result<void> wait() {
    MutexLock lock(mutex_);
    closed_ = true;
    ThreadTurns* const turns = ThreadTurns::of_this_thread();
    if (turns != nullptr && workers_ != 0) {
      turns->wait(lock, [this]() KUBE_REQUIRES(mutex_) { return workers_ == 0; });
    }
    while (workers_ != 0) all_left_.wait(lock);
    if (failure_) return *failure_;
    if (done_ < pieces_) {
      return Error(ErrorCode::Cancelled, "stopped after " + std::to_string(done_) + " of " +
                                             std::to_string(pieces_) + " pieces");
    }
    return {};
  }

 private:
  bool enter() {
    MutexLock lock(mutex_);
    if (closed_) return false;
    ++workers_;
    return true;
  }

  void leave() {
    MutexLock lock(mutex_);
    if (--workers_ == 0) all_left_.notify_all();
  }

  bool take(std::size_t& begin, std::size_t& end) {
    MutexLock lock(mutex_);
    if (failure_ || stop_.stop_requested() || next_ >= pieces_) return false;
    begin = next_;
    end = begin + std::min(chunk_, pieces_ - begin);
    next_ = end;
    return true;
  }

  bool run(std::size_t piece) {
    const Result<void> called =
        call_user_code("piece " + std::to_string(piece), [&] { f_(piece); });
    MutexLock lock(mutex_);
    if (called) ++done_;
    if (!called && !failure_) failure_ = called.error();
    return !failure_;
  }

  const std::size_t pieces_;
  const std::size_t chunk_;
  const std::function<void(std::size_t)>& f_;  // used only by workers that entered
  const std::stop_token stop_;
  Mutex mutex_;
  CondVar all_left_;
  bool closed_ KUBE_GUARDED_BY(mutex_) = false;
  std::size_t workers_ KUBE_GUARDED_BY(mutex_) = 0;
  std::size_t next_ KUBE_GUARDED_BY(mutex_) = 0;
  std::size_t done_ KUBE_GUARDED_BY(mutex_) = 0;
  std::optional<Error> failure_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace

Result<void> parallelize_until(const std::shared_ptr<Executor>& executor, std::size_t pieces,
                               const std::function<void(std::size_t)>& f,
                               const ParallelizeOptions& options, std::stop_token stop) {
  if (pieces == 0) return {};
  const std::size_t chunk = std::max<std::size_t>(options.chunk_size, 1);
  const std::size_t chunks = (pieces - 1) / chunk + 1;
  const std::size_t workers = std::clamp<std::size_t>(options.workers, 1, chunks);
  const auto job = std::make_shared<Job>(pieces, chunk, f, std::move(stop));
  // An executor that throws has not accepted the task: there are fewer workers. The caller's thread
  // remains, since running workers use `f`.
  static_cast<void>(call_user_code("the executor", [&] {
    for (std::size_t i = 1; i < workers; ++i) executor->submit([job] { job->work(); });
  }));
  job->work();
  return job->wait();
}

}  // namespace kube
