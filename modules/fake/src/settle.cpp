// SPDX-License-Identifier: Apache-2.0
//
// Waits until controllers are at rest. The proof: two looks, with nothing to do and equal, and
// between them every informer has passed what its store had to the controllers' handlers. A look
// reads one thing after the other; what moves between two of them while it is read (a key from the
// queue to a worker, from there to its retry) changes a count, and so the second look.
#include <kube/fake/settle.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <kube/base/executor.hpp>
#include <kube/base/stop.hpp>

namespace kube::fake {
namespace {

constexpr Duration kFirstPause = std::chrono::microseconds(500);
constexpr Duration kLongestPause = std::chrono::milliseconds(20);

std::uint64_t number_of(const std::string& version) {
  std::uint64_t number = 0;
  std::from_chars(version.data(), version.data() + version.size(), number);
  return number;
}

/// The state of the controllers at one moment.
struct Look {
  std::string busy{};   ///< Why they are not at rest; empty when they are.
  bool behind = false;  ///< An informer does not know that it has seen all.
  std::vector<std::uint64_t> counts{};

  void note(const std::string& why) {
    if (busy.empty()) busy = why;
  }
};

void look_at_informer(const WatchedInformer& watched, std::uint64_t version, Look& look) {
  const InformerStatus& informer = watched.informer;
  const std::string name = "informer " + watched.resource;
  const std::string error =
      informer.last_error ? "; last error: " + informer.last_error->to_string() : "";
  if (!informer.synced || informer.state == InformerState::Stopped) {
    look.note(name + " has not synced, or has stopped: " + std::string(to_string(informer.state)) +
              error);
  } else if (number_of(informer.last_sync_resource_version) < version) {
    look.behind = true;
    look.note(name + " is at version " + informer.last_sync_resource_version + ", the server at " +
              std::to_string(version) + error);
  } else if (watched.handler.pending != 0) {
    look.note("the handler " + watched.handler.name + " has " +
              std::to_string(watched.handler.pending) + " notifications of " + watched.resource +
              " before it");
  }
  look.counts.push_back(watched.handler.delivered);
}

Look look_at(const apiserver::ApiServer& server,
             const std::vector<const Controller*>& controllers) {
  Look look;
  const std::uint64_t version = server.resource_version();
  look.counts.push_back(version);
  for (const Controller* controller : controllers) {
    for (const WatchedInformer& watched : controller->watched()) {
      look_at_informer(watched, version, look);
    }
    const ControllerStatus status = controller->status();
    if (status.state != ControllerState::Running) {
      look.note("the controller is " + std::string(to_string(status.state)));
    } else if (status.queued + status.running + status.retrying + status.held != 0) {
      look.note("the controller has " + std::to_string(status.queued) + " keys queued, " +
                std::to_string(status.running) + " in work, " + std::to_string(status.held) +
                " whose writes no cache has yet, and " + std::to_string(status.retrying) +
                " that failed and wait for their retry");
    }
    look.counts.insert(look.counts.end(), {status.reconciled, status.failed});
  }
  return look;
}

}  // namespace

Result<void> settle(apiserver::ApiServer& server, const std::vector<const Controller*>& controllers,
                    const SettleOptions& options, std::stop_token stop) {
  const std::shared_ptr<Clock> clock = real_clock();
  const TimePoint end = deadline_after(clock->now(), options.timeout);
  // Ends the waits for handlers, too.
  std::stop_source late;
  StopGroup ended({stop, late.get_token()});
  ThreadPool timers({.threads = 1, .name = "kube-settle"});
  const Timer timer = timers.submit_at(end, [late]() mutable { late.request_stop(); });

  Duration pause = kFirstPause;
  std::string busy;
  while (!ended.token().stop_requested()) {
    const Look first = look_at(server, controllers);
    busy = first.busy;
    if (busy.empty()) {
      const bool passed = std::all_of(
          controllers.begin(), controllers.end(),
          [&](const Controller* each) { return each->wait_for_handlers(ended.token()); });
      const Look second = look_at(server, controllers);
      if (passed && second.busy.empty() && second.counts == first.counts) return {};
      busy = passed ? second.busy : "an informer has stopped, or does not pass its changes on";
    }
    if (first.behind) server.send_bookmarks();
    clock->sleep_for(pause, ended.token());
    pause = std::min(2 * pause, kLongestPause);
  }
  if (stop.stop_requested()) return Error(ErrorCode::Cancelled, "stopped before it settled");
  return Error(ErrorCode::Timeout,
               "not settled: " + (busy.empty() ? "the controllers do not come to rest" : busy));
}

Result<void> settle(apiserver::ApiServer& server, const Controller& controller,
                    const SettleOptions& options, std::stop_token stop) {
  return settle(server, std::vector<const Controller*>{&controller}, options, std::move(stop));
}

}  // namespace kube::fake
