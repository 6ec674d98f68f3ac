// SPDX-License-Identifier: Apache-2.0
//
// Which failures of a list or a watch are worth a line in the log: a CRD that is not installed must
// not fill it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reflector_bounds.hpp"

#include <kube/base/clock.hpp>
#include <kube/base/error.hpp>
#include <kube/base/token_bucket.hpp>

namespace kube::cache {

/// @par Thread safety   Not thread-safe: used on the strand.
class FailureLines {
 public:
  explicit FailureLines(std::shared_ptr<Clock> clock)
      : due_(kFailuresPerSecond, 1, std::move(clock)) {}

  /// Returns whether to log it: none of its kind was logged in the last ten minutes.
  bool is_due(const Error& error) {
    Kind kind{error.code(), error.http_status(), error.reason()};
    const bool again = due_.try_accept();
    if (again) logged_.clear();
    fails_ = true;
    if (std::ranges::find(logged_, kind) != logged_.end()) return false;
    // Servers that answer with ever new kinds get no more lines than this.
    if (logged_.size() >= kMaxKinds) return false;
    logged_.push_back(std::move(kind));
    return true;
  }
  /// Lists and watches are accepted. Returns whether they were not.
  bool recovered() {
    logged_.clear();
    return std::exchange(fails_, false);
  }

 private:
  static constexpr std::size_t kMaxKinds = 8;

  /// The facts of an error that do not change while its cause lasts.
  struct Kind {
    ErrorCode code;
    int http_status;
    std::string reason;
    bool operator==(const Kind&) const = default;
  };
  TokenBucket due_;
  std::vector<Kind> logged_{};
  bool fails_ = false;
};

}  // namespace kube::cache
