// SPDX-License-Identifier: Apache-2.0
//
// kube::KeyedBackoff: a growing delay for each of many ids (client-go's flowcontrol.Backoff).
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include <kube/base/backoff.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>

namespace kube {

/// Delays double from `initial` to `max`. An id whose last failure is long ago starts over.
///
/// @par Thread safety   All functions may be called from any thread.
class KeyedBackoff {
 public:
  struct Options {
    Duration initial = std::chrono::seconds(1);
    Duration max = std::chrono::minutes(1);
    double jitter =
        0;  ///< Each new delay grows by up to jitter * the delay before; never above max.
    /// An id is forgotten when its last failure is longer ago. 0: 2 * max.
    Duration expire_after{};
  };
  KeyedBackoff(Options options, std::shared_ptr<Clock> clock,
               RandomSource random = default_random());

  /// A failure of `id` at `event`: the next delay, counted from now.
  void next(const std::string& id, TimePoint event);
  /// The current delay; 0 for an unknown id.
  Duration get(const std::string& id) const;
  /// Whether less than the delay has passed from `event` until now.
  bool is_in_backoff_since(const std::string& id, TimePoint event) const;
  /// Whether less than the delay has passed from the last failure until `event`.
  bool is_in_backoff_since_update(const std::string& id, TimePoint event) const;
  void reset(const std::string& id);
  /// Forgets the ids that have expired by now. To be called from time to time.
  void collect_garbage();

 private:
  struct Entry {
    Duration delay;
    TimePoint last_update;
  };
  bool expired(const Entry& entry, TimePoint event) const;

  const Options options_;
  const Duration expire_after_;
  const std::shared_ptr<Clock> clock_;
  const RandomSource random_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, Entry> entries_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube
