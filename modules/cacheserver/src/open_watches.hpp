// SPDX-License-Identifier: Apache-2.0
//
// The watches that are open, each with what it was allowed for, so that it can be ended when it is
// not allowed any more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "http/http_message.hpp"

namespace kube::cacheserver {

/// @par Thread safety   None: the owner's mutex guards it.
template <class For>
class OpenWatches {
 public:
  using Watch = std::shared_ptr<serving::WatchSource>;

  void add(const Watch& watch, For what) {
    if (all_.size() >= look_at_) {
      std::erase_if(all_, [](const Open& each) { return each.watch.expired(); });
      look_at_ = std::max<std::size_t>(64, 2 * all_.size());
    }
    all_.push_back({watch, std::move(what)});
  }
  /// Returns those that `is_allowed` returns false for. They are to be ended without the mutex.
  template <class IsAllowed>
  std::vector<Watch> lost(const IsAllowed& is_allowed) const {
    std::vector<Watch> out;
    for (const Open& each : all_) {
      if (is_allowed(each.what)) continue;
      if (auto watch = each.watch.lock()) out.push_back(std::move(watch));
    }
    return out;
  }

 private:
  struct Open {
    std::weak_ptr<serving::WatchSource> watch;
    For what;
  };
  std::vector<Open> all_;
  std::size_t look_at_ = 64;  ///< Forgets watches that have ended at this size.
};

}  // namespace kube::cacheserver
