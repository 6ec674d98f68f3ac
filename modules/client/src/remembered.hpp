// SPDX-License-Identifier: Apache-2.0
//
// A value that the first caller fetches while the others wait for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>
#include <kube/transport/no_waiting.hpp>

namespace kube {

/// Errors are not remembered: the next caller fetches again.
/// @par Thread safety   All functions may be called from any thread.
template <class T>
class Remembered {
 public:
  using Pointer = std::shared_ptr<T>;

  /// Returns the value, by `fetch` if there is none. `keep` says whether it is remembered.
  /// @par Errors   Those of `fetch`; those of may_wait() when another caller fetches;
  ///   Cancelled when `stop` is requested during the wait for it.
  /// @par Blocks   Until the fetch of this or another caller has ended.
  Result<Pointer> get(
      Clock& clock, const std::stop_token& stop, const std::function<Result<Pointer>()>& fetch,
      const std::function<bool(const T&)>& keep = [](const T&) { return true; }) {
    std::uint64_t era = 0;
    {
      MutexLock lock(mutex_);
      if (fetching_ && !value_) {
        if (const auto allowed = transport::may_wait(); !allowed) return allowed.error();
      }
      const auto ready = [&]() KUBE_REQUIRES(mutex_) { return !fetching_ || value_ != nullptr; };
      if (clock.wait_until(lock, changed_, TimePoint::max(), stop, ready) != WaitStatus::Ready) {
        return Error(ErrorCode::Cancelled, "stopped while another caller was asking the server");
      }
      if (value_) return value_;
      fetching_ = true;
      era = era_;
    }
    Result<Pointer> fetched = fetch();
    const MutexLock lock(mutex_);
    fetching_ = false;
    // What was forgotten meanwhile may be older than what made the caller forget it.
    if (fetched && era == era_ && keep(**fetched)) value_ = *fetched;
    changed_.notify_all();
    return fetched;
  }

  /// Returns what is remembered; null without it.
  Pointer known() const {
    const MutexLock lock(mutex_);
    return value_;
  }
  void forget() {
    const MutexLock lock(mutex_);
    value_.reset();
    ++era_;
  }

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  Pointer value_ KUBE_GUARDED_BY(mutex_);
  bool fetching_ KUBE_GUARDED_BY(mutex_) = false;
  std::uint64_t era_ KUBE_GUARDED_BY(mutex_) = 0;
};

}  // namespace kube
