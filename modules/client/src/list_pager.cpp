// SPDX-License-Identifier: Apache-2.0
#include <kube/client/list_pager.hpp>

#include <deque>
#include <exception>
#include <optional>

#include <kube/base/mutex.hpp>
#include <kube/base/stop.hpp>
#include <kube/base/worker_thread.hpp>
#include <kube/transport/no_waiting.hpp>

namespace kube {
namespace {

// Pages between the thread that requests them and the visitor.
class PageQueue {
 public:
  explicit PageQueue(std::size_t pages) : pages_(pages) {}

  // Waits until at most pages_ are left. Returns false when no more are taken.
  bool put(RawList&& page) {
    MutexLock lock(mutex_);
    waiting_.push_back(std::move(page));
    changed_.notify_all();
    while (waiting_.size() > pages_ && !closed_) changed_.wait(lock);
    return !closed_;
  }
  // Returns nothing after close(), once all pages are taken.
  std::optional<RawList> take() {
    MutexLock lock(mutex_);
    while (waiting_.empty() && !closed_) changed_.wait(lock);
    if (waiting_.empty()) return std::nullopt;
    std::optional<RawList> page(std::move(waiting_.front()));
    waiting_.pop_front();
    changed_.notify_all();
    return page;
  }
  void close() {
    const MutexLock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  const std::size_t pages_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<RawList> waiting_ KUBE_GUARDED_BY(mutex_);
  bool closed_ KUBE_GUARDED_BY(mutex_) = false;
};

// Requests the pages in a thread of its own, which the destructor ends.
class PageFetch {
 public:
  PageFetch(const RawApi& api, const ListOptions& options, std::size_t pages,
            const std::stop_token& stop)
      : queue_(pages),
        stop_({stop}),
        thread_("kube-pages", [this, &api, &options] { run(api, options); }) {}
  ~PageFetch() { join(); }
  PageFetch(const PageFetch&) = delete;
  PageFetch& operator=(const PageFetch&) = delete;

  std::optional<RawList> next() { return queue_.take(); }
  /// Returns how the requests ended.
  Result<void> finish() {
    join();
    if (thrown_) std::rethrow_exception(thrown_);
    return result_;
  }

 private:
  void join() {
    stop_.request_stop();
    queue_.close();
    thread_.join();
  }
  void run(const RawApi& api, const ListOptions& options) {
    const auto put = [this](RawList&& page) -> Result<void> {
      if (queue_.put(std::move(page))) return {};
      return Error(ErrorCode::Cancelled, "the pages are no longer visited");
    };
    try {
      result_ = api.for_each_page(options, put, nullptr, stop_.token());
    } catch (...) {
      thrown_ = std::current_exception();
    }
    queue_.close();
  }

  PageQueue queue_;
  StopGroup stop_;
  Result<void> result_;
  std::exception_ptr thrown_;
  WorkerThread thread_;
};

}  // namespace

Result<void> for_each_page_ahead(const RawApi& api, const ListOptions& options,
                                 const std::function<Result<void>(RawList&&)>& visit,
                                 std::size_t pages, std::stop_token stop) {
  // The requests are another thread's, whose responses this one must not wait for.
  if (const auto allowed = transport::may_wait(); !allowed) return allowed.error();
  PageFetch fetch(api, options, pages, stop);
  while (auto page = fetch.next()) {
    if (auto visited = visit(*std::move(page)); !visited) return visited;
    if (stop.stop_requested())
      return Error(ErrorCode::Cancelled, "stopped while visiting the pages of a list");
  }
  return fetch.finish();
}

}  // namespace kube
