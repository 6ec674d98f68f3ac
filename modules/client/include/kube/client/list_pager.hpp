// SPDX-License-Identifier: Apache-2.0
//
// Visits a long list while its next pages are on their way (client-go's pager.EachListItem).
//
//   const auto print = [](const Pod& pod) -> Result<void> {
//     std::cout << pod.metadata.name << "\n";
//     return {};
//   };
//   auto visited = for_each_ahead(pods, {.limit = 1000}, print);
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/client/api.hpp>

namespace kube {

/// The number of pages that wait for the visitor at most, as in client-go.
inline constexpr std::size_t kPagesAhead = 10;

/// As RawApi::for_each_page() without `restart`, but a thread of this call requests the next pages
/// meanwhile: at most `pages` of them wait, and one more is on its way or has come. `visit` is
/// called on the calling thread.
/// @par Errors   As RawApi::for_each_page(). When a page fails, the pages before it are visited
///   first. A stop is noticed after the page that is being visited.
/// @par Blocks   Until the last page was visited, and the thread has ended.
/// @par Thread safety   Any thread may call it; it fails in a response handler, as
///   RestClient::send() does.
Result<void> for_each_page_ahead(const RawApi& api, const ListOptions& options,
                                 const std::function<Result<void>(RawList&&)>& visit,
                                 std::size_t pages = kPagesAhead, std::stop_token stop = {});

/// Calls `visit` (T) -> Result<void> for each object; as for_each_page_ahead().
/// @par Errors   As Api::for_each().
/// @par Blocks   As for_each_page_ahead().
/// @par Thread safety   As for_each_page_ahead().
template <ApiObject T, class Visit>
Result<void> for_each_ahead(const Api<T>& api, const ListOptions& options, Visit&& visit,
                            std::size_t pages = kPagesAhead, std::stop_token stop = {}) {
  return for_each_page_ahead(
      api.raw(), options,
      [&](RawList&& page) {
        return detail::visit_items<T>(page, visit, {api.raw(), "list"});
      },
      pages, std::move(stop));
}

}  // namespace kube
