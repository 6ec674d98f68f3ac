// SPDX-License-Identifier: Apache-2.0
//
// The pages of a long list, one after the other, as client-go's pager gets them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/client/request_pace.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/options.hpp>
#include <kube/transport/no_waiting.hpp>

namespace kube {

/// What the pages of one list have in common.
struct PagesOfList {
  ListOptions options{};
  std::string doing{};  ///< The context of errors: "list pods in namespace \"web\"".
  std::shared_ptr<Clock> clock{};
  std::function<void()> restart{};        ///< Before the whole list is requested; null: never.
  TimePoint deadline = TimePoint::max();  ///< Of `fetch`, beyond which no pause goes.
};

/// Calls `fetch` (ListOptions) -> Result<Page> and `visit` (Page&&) -> Result<void> for each page.
/// `items` (Page) returns the number of its items, `continue_of` (Page) its token.
/// @par Errors   Those of `fetch` and `visit`; Decode for a continue token that comes again;
///   Cancelled; InvalidArgument where nothing may wait.
/// @par Blocks   While `fetch` does, and for the pauses of RequestPace.
template <class Fetch, class Items, class ContinueOf, class Visit>
Result<void> visit_pages(const PagesOfList& list, const Fetch& fetch, const Items& items,
                         const ContinueOf& continue_of, const Visit& visit,
                         const std::stop_token& stop) {
  if (const auto allowed = transport::may_wait(); !allowed) {
    return allowed.error().with_context(list.doing);
  }
  constexpr std::int64_t kDefaultPageSize = 500;
  ListOptions page = list.options;
  if (page.limit == 0) page.limit = kDefaultPageSize;
  ContinueTokens tokens;
  if (!page.continue_.empty()) static_cast<void>(tokens.add(page.continue_));
  RequestPace pace(list.clock);
  for (bool first = true;; first = false) {
    const Duration wait = pace.next();
    if (wait > Duration::zero() &&
        list.clock->sleep_until(std::min(list.clock->now() + wait, list.deadline), stop) ==
            WaitStatus::Stopped) {
      return Error(ErrorCode::Cancelled, "stopped while waiting for the next page")
          .with_context(list.doing);
    }
    auto fetched = fetch(page);
    if (!fetched) {
      if (first || !list.restart || !is_resource_expired(fetched.error())) return fetched.error();
      // Pages of different versions are useless; request one complete list instead.
      list.restart();
      ListOptions full = list.options;
      full.limit = 0;
      full.continue_.clear();
      auto everything = fetch(full);
      if (!everything) return everything.error();
      return visit(*std::move(everything));
    }
    pace.page_came(items(*fetched), page.limit);
    page.continue_ = continue_of(*fetched);
    if (auto visited = visit(*std::move(fetched)); !visited) return visited;
    if (page.continue_.empty()) return {};
    if (auto added = tokens.add(page.continue_); !added)
      return added.error().with_context(list.doing);
    page.resource_version.clear();
    page.resource_version_match.clear();
  }
}

}  // namespace kube
