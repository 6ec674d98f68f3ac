// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::ReflectorProgress: what a reflector says of itself to other threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <kube/base/clock.hpp>
#include <kube/base/error.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/optional.hpp>
#include <kube/cache/informer_status.hpp>

namespace kube::cache {

/// @par Thread safety   All functions may be called from any thread.
class ReflectorProgress {
 public:
  struct Values {
    InformerState state = InformerState::NotStarted;
    InformerCondition condition = InformerCondition::Unknown;
    Optional<Error> last_error{};
    Optional<Error> refusal{};  ///< Why the target lacks an object, since the last complete list.
    std::optional<Duration> resumed{};  ///< The age of the saved state, if it began with one.
    std::uint64_t lists = 0;
    std::uint64_t watches = 0;
    std::uint64_t events = 0;
    std::size_t received = 0;  ///< Of the initial state that is under way.
    std::optional<std::size_t> expected{};
    std::string version{};             ///< last_sync_resource_version()
    bool version_unavailable = false;  ///< The server does not have it, or does not accept it.
    bool in_doubt = false;             ///< Versions::in_doubt
  };
  Values read() const {
    const MutexLock lock(mutex_);
    return values_;
  }
  /// Returns what `change(values)` does, which runs with the lock.
  template <class F>
  auto write(F&& change) {
    const MutexLock lock(mutex_);
    return change(values_);
  }
  void failed(const Error& error) {
    const MutexLock lock(mutex_);
    values_.last_error = error;
  }
  void refused(const Error& error) {
    const MutexLock lock(mutex_);
    values_.refusal = error;
  }

 private:
  mutable Mutex mutex_;
  Values values_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::cache
