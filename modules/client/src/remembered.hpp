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
    return fetched(era, fetch(), keep);
  }

  /// Returns a value that is newer than `old`, by `fetch` if there is none yet. Until it has one,
  /// other callers get the old one, and keep it when `fetch` fails.
  /// @par Errors   As get().
  /// @par Blocks   As get().
  Result<Pointer> renew(Clock& clock, const std::stop_token& stop, const Pointer& old,
                        const std::function<Result<Pointer>()>& fetch) {
    std::uint64_t era = 0;
    {
      MutexLock lock(mutex_);
      const auto is_newer = [&]() KUBE_REQUIRES(mutex_) { return value_ && value_ != old; };
      if (fetching_ && !is_newer()) {
        if (const auto allowed = transport::may_wait(); !allowed) return allowed.error();
      }
      const auto ready = [&]() KUBE_REQUIRES(mutex_) { return !fetching_ || is_newer(); };
      if (clock.wait_until(lock, changed_, TimePoint::max(), stop, ready) != WaitStatus::Ready) {
        return Error(ErrorCode::Cancelled, "stopped while another caller was asking the server");
      }
      if (is_newer()) return value_;
      fetching_ = true;
      era = era_;
    }
    return fetched(era, fetch(), [](const T&) { return true; });
  }

  /// Returns what is remembered; null without it.
  Pointer known() const {
    const MutexLock lock(mutex_);
    return value_;
  }
  bool is_fetching() const {
    const MutexLock lock(mutex_);
    return fetching_;
  }
  void forget() {
    const MutexLock lock(mutex_);
    value_.reset();
    ++era_;
  }

 private:
  Result<Pointer> fetched(std::uint64_t era, Result<Pointer> value,
                          const std::function<bool(const T&)>& keep) {
    const MutexLock lock(mutex_);
    fetching_ = false;
    // What was forgotten meanwhile may be older than what made the caller forget it.
    if (value && era == era_ && keep(**value)) value_ = *value;
    changed_.notify_all();
    return value;
  }

  mutable Mutex mutex_;
  CondVar changed_;
  Pointer value_ KUBE_GUARDED_BY(mutex_);
  bool fetching_ KUBE_GUARDED_BY(mutex_) = false;
  std::uint64_t era_ KUBE_GUARDED_BY(mutex_) = 0;
};

}  // namespace kube
