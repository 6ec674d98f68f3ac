// SPDX-License-Identifier: Apache-2.0
//
// What the server does on its own, one key at a time: the shape of its controllers.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include <kube/base/executor.hpp>
#include <kube/base/mutex.hpp>

#include "names/serving_names.hpp"

namespace kube::apiserver {

/// Calls a function with keys on an executor. A key that is added while it waits is called once, at
/// the earlier time; a key that is added while the function works on it is called again.
///
/// @par Thread safety   All functions may be called from any thread. The function runs as the
///   executor runs its tasks; waiting calls end with the executor.
class Reconciler {
 public:
  Reconciler(Executor& executor, std::function<void(const std::string& key)> reconcile)
      : executor_(executor), reconcile_(std::move(reconcile)) {}

  void add(const std::string& key, Duration delay = {});
  void forget(const std::string& key);

 private:
  struct Pending {
    TimePoint due;
    Timer timer;
  };

  Executor& executor_;
  const std::function<void(const std::string& key)> reconcile_;
  Mutex mutex_;
  std::map<std::string, Pending> pending_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::apiserver
