// SPDX-License-Identifier: Apache-2.0
//
// kube::RequestPace: how often one reflector, or one walk over the pages of a list, may ask its
// server, whatever it is answered.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <kube/base/clock.hpp>
#include <kube/base/token_bucket.hpp>

namespace kube {

/// At most kAtOnce requests in a hurry, and kPerMinute in the long run. Backoff is for what failed;
/// this is for what seems to go well and leads nowhere: watches that end after an event, versions
/// that alternate, pages without items. What legitimately comes fast is not held up: a page of a
/// list that is at least half full is for free, and a watch of two seconds has earned the next one.
/// Of full pages of fewer than kSmallPage objects, which a list without end may consist of,
/// kSmallPagesAtOnce are free, and five a second in the long run.
/// @par Thread safety   None: one owner.
class RequestPace {
 public:
  static constexpr std::size_t kAtOnce = 20;
  static constexpr std::size_t kPerMinute = 30;
  static constexpr Duration kInterval = Duration(std::chrono::minutes(1)) / kPerMinute;

  static constexpr std::size_t kSmallPage = 50;
  static constexpr int kSmallPagesAtOnce = 200;

  explicit RequestPace(const std::shared_ptr<Clock>& clock)
      : tokens_(static_cast<double>(kPerMinute) / 60, static_cast<int>(kAtOnce), clock),
        small_pages_(5, kSmallPagesAtOnce, clock) {}

  /// How long the next request has to wait.
  Duration next() { return tokens_.reserve(); }

  /// A page has come. `limit` is what was asked for, 0 when nothing was.
  void page_came(std::size_t items, std::int64_t limit) {
    const std::int64_t full = limit > 0 ? std::min(limit, kFullPage) : kFullPage;
    if (items * 2 < static_cast<std::size_t>(full)) return;
    if (items >= kSmallPage || small_pages_.try_accept()) tokens_.give_back(1);
  }

 private:
  static constexpr std::int64_t kFullPage = 500;
  TokenBucket tokens_;
  TokenBucket small_pages_;
};

}  // namespace kube
