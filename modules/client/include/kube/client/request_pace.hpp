// SPDX-License-Identifier: Apache-2.0
//
// kube::RequestPace: how often one reflector, or one iteration over the pages of a list, may send
// requests, whatever the responses are.
//
// Shared between modules: not promised to users.
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

/// At most kAtOnce requests in a burst, and kPerMinute on average. Backoff limits requests that
/// fail; this limits requests that succeed without progress: watches that end after one event,
/// versions that alternate, pages without items. Legitimate requests are not delayed: a page that
/// is at least half full costs nothing, and a watch of two seconds makes up for the next one. Full
/// pages with fewer than kSmallPage objects, which an endless list may consist of, cost nothing up
/// to kSmallPagesAtOnce of them, and five a second on average.
/// @par Thread safety   Not thread-safe.
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

  /// Returns the delay before the next request.
  Duration next() { return tokens_.reserve(); }

  /// Call for each page that arrived. `limit` is the requested limit, 0 for none.
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
