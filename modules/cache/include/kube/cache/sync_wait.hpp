// SPDX-License-Identifier: Apache-2.0
//
// kube::wait_for_named_cache_sync(): waits for caches by name, with a timeout, and logs which have
// synced (client-go's WaitFor).
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/shared_informer_factory.hpp>

namespace kube {

/// What is waited for.
struct SyncCheck {
  std::string name{};
  std::function<bool()> has_synced{};
};

/// Returns the check of an informer, under the name of its resource. The informer must outlive it.
template <Object T>
SyncCheck sync_check(const SharedInformer<T>& informer) {
  return {informer.resource().group_resource().to_string(),
          [&informer] { return informer.has_synced(); }};
}

/// Waits until all have synced, `timeout` has passed or `stop` is requested. Those that have synced
/// count even after the last two. With a name `who`, the log has a line at the start, one for each
/// that syncs, in that order, and one with the sorted names of those that have not synced.
/// @par Blocks   The calling thread, until then; asks each one every 100 ms. Once in a
///   response handler, where nothing may wait (RestClient::send()).
/// @par Thread safety   May be called from any thread.
SyncResult wait_for_named_cache_sync(const Runtime& runtime, std::string_view who, Duration timeout,
                                     const std::vector<SyncCheck>& checks,
                                     std::stop_token stop = {});

}  // namespace kube
