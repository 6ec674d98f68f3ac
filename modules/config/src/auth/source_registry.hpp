// SPDX-License-Identifier: Apache-2.0
//
// The credential sources of the process: equal configurations share one, and so its credentials.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>

#include "credentials.hpp"

namespace kube::rest {

/// Sources live until the end of the program, so that a program which makes a client for each call
/// runs a plugin once. When there are many, those that no client uses are forgotten.
/// @par Thread safety   All functions may be called from any thread.
template <class Key>
class SourceRegistry {
 public:
  SourceRegistry() = default;
  SourceRegistry(const SourceRegistry&) = delete;
  SourceRegistry& operator=(const SourceRegistry&) = delete;
  /// Ends what still runs, such as a plugin that waits for its user.
  ~SourceRegistry() {
    std::vector<Entry> entries;
    {
      const MutexLock lock(mutex_);
      entries.swap(entries_);
    }
    for (const Entry& entry : entries) entry.source->stop_and_wait();
  }

  /// Returns the source of an equal key, or that of make(), which must not block. Programs have one
  /// clock; tests have several, whose sources are apart.
  template <class Make>
  std::shared_ptr<CredentialSource> find_or_make(const Key& key,
                                                 const std::shared_ptr<Clock>& clock,
                                                 const Make& make) KUBE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    for (const Entry& entry : entries_) {
      if (entry.key == key && entry.clock.lock() == clock) return entry.source;
    }
    if (entries_.size() >= kMaxUnused) {
      std::erase_if(entries_, [](const Entry& entry) { return entry.source.use_count() == 1; });
    }
    entries_.push_back({key, clock, make()});
    return entries_.back().source;
  }

 private:
  static constexpr std::size_t kMaxUnused = 256;
  struct Entry {
    Key key;
    std::weak_ptr<Clock> clock;
    std::shared_ptr<CredentialSource> source;
  };
  Mutex mutex_;
  std::vector<Entry> entries_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::rest
