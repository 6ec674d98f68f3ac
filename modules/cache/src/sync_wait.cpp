// SPDX-License-Identifier: Apache-2.0
//
// Waits for caches by name.
#include <kube/cache/sync_wait.hpp>

#include <algorithm>
#include <utility>

#include <kube/base/log.hpp>
#include <kube/transport/no_waiting.hpp>

namespace kube {
namespace {

constexpr Duration kSyncPoll = std::chrono::milliseconds(100);

void log_progress(const Runtime& runtime, LogLevel level, std::string_view who,
                  const std::string& what, const std::string& caches) {
  if (who.empty()) return;
  KUBE_LOG(runtime.logger, level, "informer", "waiting for caches to sync",
           {"waiting", std::string(who)}, {"state", what}, {"caches", caches});
}

}  // namespace

SyncResult wait_for_named_cache_sync(const Runtime& runtime, std::string_view who, Duration timeout,
                                     const std::vector<SyncCheck>& checks, std::stop_token stop) {
  SyncResult result;
  for (const SyncCheck& check : checks) result.synced.emplace_back(check.name, false);
  const auto ask = [&] {
    bool all = true;
    for (std::size_t i = 0; i < checks.size(); ++i) {
      auto& [name, synced] = result.synced[i];
      if (!synced && checks[i].has_synced()) {
        synced = true;
        log_progress(runtime, LogLevel::Info, who, "synced", name);
      }
      all = all && synced;
    }
    return all;
  };
  log_progress(runtime, LogLevel::Info, who, "begins", result.unsynced());
  const std::shared_ptr<Clock> clock = runtime.clock();
  const TimePoint deadline = deadline_after(clock->now(), timeout);
  const Result<void> allowed = transport::may_wait();
  while (!ask()) {
    if (!allowed) {
      log_progress(runtime, LogLevel::Error, who, allowed.error().to_string(), result.unsynced());
      break;
    }
    const bool is_late = clock->now() >= deadline;
    if (is_late || stop.stop_requested()) {
      result.timed_out = is_late;
      log_progress(runtime, LogLevel::Warning, who, is_late ? "timed out" : "stopped",
                   result.unsynced());
      break;
    }
    clock->sleep_until(std::min(deadline, clock->now() + kSyncPoll), stop);
  }
  return result;
}

}  // namespace kube
