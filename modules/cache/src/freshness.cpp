// SPDX-License-Identifier: Apache-2.0
//
// Waits until a store has reached a resourceVersion.
#include <kube/cache/detail/freshness.hpp>

#include <algorithm>
#include <iterator>

#include <kube/names/resource_version.hpp>
#include <kube/transport/no_waiting.hpp>

namespace kube::cache {
namespace {

bool reaches(std::string_view have, std::string_view wanted) {
  if (have == wanted) return true;
  const auto order = meta::compare_resource_versions(have, wanted);
  return order && *order != std::strong_ordering::less;
}

}  // namespace

bool Freshness::has(std::string_view version) const {
  return reaches(store_->resource_version(), version);
}

Error Freshness::too_old(std::string_view wanted) const {
  const std::string have = store_->resource_version();
  return Error(ErrorCode::Timeout, "expected at least resourceVersion " + std::string(wanted) +
                                       ", found " + (have.empty() ? "none" : have))
      .with_context("cache of " + subject_);
}

Result<void> Freshness::wait_for(std::string_view version, Duration timeout,
                                 std::stop_token stop) const {
  if (version.empty()) {
    return Error(ErrorCode::InvalidArgument, "expected a resourceVersion to wait for, found none")
        .with_context("cache of " + subject_);
  }
  if (has(version)) return {};
  if (const auto allowed = transport::may_wait(); !allowed) {
    return allowed.error().with_context("cache of " + subject_);
  }
  bool stopped = false;
  WaitStatus status = WaitStatus::Ready;
  {
    MutexLock lock(mutex_);
    status =
        clock_->wait_until(lock, changed_, deadline_after(clock_->now(), timeout), std::move(stop),
                           [&]() KUBE_REQUIRES(mutex_) { return stopped_ || has(version); });
    stopped = stopped_;
  }
  if (has(version)) return {};
  if (status == WaitStatus::TimedOut) return too_old(version);
  return Error(ErrorCode::Cancelled,
               stopped ? "the informer has stopped" : "stopped while waiting for a resourceVersion")
      .with_context("cache of " + subject_);
}

bool Freshness::when(std::string version, Callback& done,
                     const std::shared_ptr<const void>& owner) {
  std::vector<Waiting> dead;  // destroyed without the lock
  const MutexLock lock(mutex_);
  if (has(version)) return false;
  if (stopped_) return true;
  waiting_.push_back({std::move(version), std::move(done), owner});
  if (waiting_.size() < sweep_at_) return true;
  const auto alive = std::stable_partition(
      waiting_.begin(), waiting_.end(), [](const Waiting& each) { return !each.owner.expired(); });
  dead.assign(std::move_iterator(alive), std::move_iterator(waiting_.end()));
  waiting_.erase(alive, waiting_.end());
  sweep_at_ = std::max<std::size_t>(64, 2 * waiting_.size());
  return true;
}

// Under the lock, so that no thread that has checked before waits after it.
std::vector<Freshness::Callback> Freshness::moved() {
  std::vector<Callback> due;
  const MutexLock lock(mutex_);
  changed_.notify_all();
  if (waiting_.empty()) return due;
  const std::string have = store_->resource_version();
  std::erase_if(waiting_, [&](Waiting& each) {
    const bool is_due = reaches(have, each.version);
    if (is_due && !each.owner.expired()) due.push_back(std::move(each.done));
    return is_due;
  });
  return due;
}

void Freshness::stop() {
  std::vector<Waiting> dropped;  // destroyed without the lock
  const MutexLock lock(mutex_);
  stopped_ = true;
  dropped.swap(waiting_);
  changed_.notify_all();
}

}  // namespace kube::cache
