// SPDX-License-Identifier: Apache-2.0
//
// Which versions a client can be at, by what it was sent.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>

namespace kube::lying {

/// What was sent before this moment of virtual time has arrived; of what was sent in it, the client
/// may have the first part.
class VersionLedger {
 public:
  /// A whole list: nothing that was sent before counts.
  void restart(std::string version, TimePoint now) {
    settled_.clear();
    recent_.assign(1, std::move(version));
    at_ = now;
  }
  void add(std::string version, TimePoint now) {
    if (recent_.empty() && settled_.empty()) return;
    settle(now);
    recent_.push_back(std::move(version));
  }
  /// Nothing is known any more.
  void clear() { *this = {}; }
  bool empty() const { return settled_.empty() && recent_.empty(); }

  /// Whether a new watch can begin there. What was sent behind it in this moment, to the watch
  /// before, nobody has taken.
  bool resumes_at(const std::string& version, TimePoint now) {
    settle(now);
    const auto at = std::find(recent_.rbegin(), recent_.rend(), version).base();
    if (at == recent_.begin() && version != settled_) return false;
    recent_.erase(at, recent_.end());
    return true;
  }
  std::string to_string() const { return !recent_.empty() ? recent_.back() : settled_; }

 private:
  void settle(TimePoint now) {
    if (now != at_ && !recent_.empty()) {
      settled_ = std::move(recent_.back());
      recent_.clear();
    }
    at_ = now;
  }

  std::string settled_;
  std::vector<std::string> recent_;  // sent at at_
  TimePoint at_{};
};

}  // namespace kube::lying
