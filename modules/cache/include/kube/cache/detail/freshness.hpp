// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Freshness: the resourceVersion that a store has reached, and waiting for one.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/detail/store.hpp>

namespace kube::cache {

/// Shared by an informer and its listers, which may outlive it. SharedInformer<T> documents what is
/// waited for.
///
/// @par Thread safety   All functions may be called from any thread.
class Freshness {
 public:
  using Callback = std::function<void()>;

  /// `subject` names the informer in errors.
  Freshness(std::shared_ptr<const Store> store, std::shared_ptr<Clock> clock, std::string subject)
      : store_(std::move(store)), clock_(std::move(clock)), subject_(std::move(subject)) {}

  /// Whether the store has reached a version: both are numbers and the store's is not smaller, or
  /// they are the same text.
  bool has(std::string_view version) const;
  /// @par Errors   As SharedInformer::wait_for().
  Result<void> wait_for(std::string_view version, Duration timeout, std::stop_token stop) const;
  /// Keeps `done` for the moved() that reaches the version, as long as `owner` lives. Returns
  /// false, and keeps nothing, when the store has it already.
  bool when(std::string version, Callback& done, const std::shared_ptr<const void>& owner);

  /// Called after the store's version has changed; returns the functions to call.
  std::vector<Callback> moved();
  /// The store's version does not change any more.
  void stop();

 private:
  struct Waiting {
    std::string version;
    Callback done;
    std::weak_ptr<const void> owner;
  };
  Error too_old(std::string_view wanted) const;

  const std::shared_ptr<const Store> store_;
  const std::shared_ptr<Clock> clock_;
  const std::string subject_;
  mutable Mutex mutex_;
  mutable CondVar changed_;
  bool stopped_ KUBE_GUARDED_BY(mutex_) = false;
  std::vector<Waiting> waiting_ KUBE_GUARDED_BY(mutex_);
  std::size_t sweep_at_ KUBE_GUARDED_BY(mutex_) = 64;  // waiting ones, when the dead are dropped
};

}  // namespace kube::cache
