// SPDX-License-Identifier: Apache-2.0
#include "demo_command.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kube/apiserver/api_server.hpp>
#include <kube/base/stop_signal.hpp>

#include "cache_check.hpp"
#include "command.hpp"
#include "demo_load.hpp"
#include "demo_view.hpp"
#include "flags.hpp"
#include "pod_counter.hpp"
#include "scheduler.hpp"

namespace kubecpp {
namespace {

using kube::core::v1::ConfigMap;
using kube::core::v1::Node;
using kube::core::v1::Pod;
using std::chrono::seconds;

// Returns "" when two states are equal, otherwise the differences.
using Comparison = std::function<kube::Result<std::string>(std::stop_token)>;

// The cache of one informer, with its name in the verdict.
struct CheckedCache {
  std::string name;
  std::function<std::size_t()> size;
  Comparison compare;
};

template <class T>
CheckedCache checked(std::string name, const kube::Client& client,
                     const kube::SharedInformer<T>& informer, std::string field_selector = {}) {
  return {std::move(name), [&informer] { return informer.status().objects; },
          [&client, &informer, field_selector](std::stop_token stop) -> kube::Result<std::string> {
            auto server = versions_on<T>(client, field_selector, std::move(stop));
            if (!server) return server.error();
            return compare_versions(versions_in(informer), *server);
          }};
}

// How long the caches may take to come to what the server has: a busy machine needs its time.
constexpr std::chrono::minutes kPatience{2};

// Compares until the two states are equal, or that time is over.
kube::Result<std::string> settled_difference(const Comparison& compare, kube::Clock& clock,
                                             std::stop_token stop) {
  const kube::TimePoint deadline = clock.now() + kPatience;
  for (;;) {
    auto difference = compare(stop);
    if (!difference || difference->empty() || clock.now() >= deadline) return difference;
    if (clock.sleep_for(std::chrono::milliseconds(50), stop) == kube::WaitStatus::Stopped)
      return difference;
  }
}

class Demo {
 public:
  Demo(const DemoOptions& options, kube::apiserver::ApiServer& server, kube::Client load_client,
       const kube::Client& client, Output& out)
      : options_(options),
        server_(server),
        client_(client),
        out_(out),
        load_(std::move(load_client), {.nodes = options.nodes,
                                       .pods = options.pods,
                                       .namespaces = std::min(10, options.pods),
                                       .lifetime = std::chrono::milliseconds(
                                           std::clamp(options.seconds * 300, 500, 10'000))}),
        scheduler_(client, {.workers = 2,
                            .on_bound = [this](const kube::ObjectKey& pod,
                                               const std::string&) { load_.bound(pod); }}),
        counter_(client),
        caches_{checked("scheduler: nodes", client_, scheduler_.nodes()),
                checked("scheduler: pods that have not finished", client_, scheduler_.pods(),
                        "status.phase!=Succeeded,status.phase!=Failed"),
                checked("pod counter: pods", client_, counter_.pods()),
                checked("pod counter: config maps", client_, counter_.counts(),
                        "metadata.name=pod-count"),
                checked("load: pods", client_, load_.pods())} {}

  int run(std::stop_token stop) {
    std::optional<kube::Timer> late = warn_when_slow(client_, "the embedded API server");
    auto started = load_.start(stop);
    late.reset();
    if (!started) {
      if (!stop.stop_requested()) return report(started.error());
      out_.write("stopped before the nodes were created; nothing to compare\n");
      return out_.exit_status(130);
    }
    if (started = scheduler_.start(); !started) return report(started.error());
    if (started = counter_.start(); !started) return report(started.error());
    watch_it_run(stop);
    // The writers stop first, then, when the caches have caught up, the informers.
    load_.stop();
    return out_.exit_status(verdict());
  }

 private:
  void watch_it_run(const std::stop_token& stop) {
    DemoView view(out_);
    kube::Clock& clock = *client_.rest().runtime().clock();
    std::uint64_t events_before = 0;
    kube::TimePoint before = clock.now();
    for (int second = 1; second <= options_.seconds && out_.good(); ++second) {
      if (clock.sleep_until(before + seconds(1), stop) == kube::WaitStatus::Stopped) return;
      const std::uint64_t events = events_seen();
      const kube::TimePoint now = clock.now();
      DemoFrame frame = measure();
      frame.second = second;
      frame.events_per_second = static_cast<double>(events - events_before) /
                                std::chrono::duration<double>(now - before).count();
      view.show(frame);
      events_before = events;
      before = now;
    }
  }

  std::uint64_t events_seen() const {
    return scheduler_.nodes().status().events + scheduler_.pods().status().events +
           counter_.pods().status().events + counter_.counts().status().events +
           load_.pods().status().events;
  }

  DemoFrame measure() {
    DemoFrame frame;
    frame.seconds = options_.seconds;
    for (const kube::InformerStatus& status :
         {scheduler_.nodes().status(), scheduler_.pods().status(), counter_.pods().status(),
          counter_.counts().status(), load_.pods().status()}) {
      frame.cached_objects += status.objects;
      frame.cached_bytes += status.bytes;
    }
    frame.nodes = scheduler_.nodes().status().objects;
    frame.pods = counter_.pods().status().objects;
    const kube::ControllerStatus scheduling = scheduler_.status();
    frame.queued = scheduling.queued + counter_.status().queued;
    frame.retried = scheduling.failed + counter_.status().failed;
    const DemoLoad::Counts counts = load_.counts();
    frame.created = counts.created;
    frame.bound = counts.bound;
    frame.finished = counts.finished;
    frame.deleted = counts.deleted;
    if (const std::vector<double> sorted = load_.take_latencies(); !sorted.empty()) {
      const auto at = [&](std::size_t percent) {
        return sorted[(sorted.size() - 1) * percent / 100];
      };
      frame.latency = {.median_ms = at(50), .p99_ms = at(99)};
    }
    return frame;
  }

  bool idle() const {
    const kube::ControllerStatus scheduling = scheduler_.status();
    const kube::ControllerStatus counting = counter_.status();
    return scheduler_.unscheduled() == 0 && scheduling.queued + scheduling.running == 0 &&
           counting.queued + counting.running == 0;
  }

  // Adds a line to the verdict; fails when the server can't be read.
  kube::Result<void> judge(const std::string& name, const std::string& equal,
                           const Comparison& compare) {
    const std::stop_source never;
    auto difference =
        settled_difference(compare, *client_.rest().runtime().clock(), never.get_token());
    if (!difference) return difference.error().with_context("compare " + name);
    equal_ = equal_ && difference->empty();
    verdict_ += difference->empty() ? "  equal    " + name + ": " + equal + "\n"
                                    : "  DIFFERS  " + name + ": " + *difference + "\n";
    return {};
  }

  int verdict() {
    kube::Clock& clock = *client_.rest().runtime().clock();
    const std::stop_source never;
    // The remaining pods are still scheduled and counted; then no more writes happen.
    const kube::TimePoint deadline = clock.now() + kPatience;
    while (!idle() && clock.now() < deadline) {
      (void)clock.sleep_for(std::chrono::milliseconds(20), never.get_token());
    }
    const std::size_t unscheduled = scheduler_.unscheduled();
    scheduler_.stop_scheduling();
    // The counter must still be able to write: it sees the last pods a moment later than the
    // server.
    auto judged = judge("pod counter: the counts it wrote",
                        std::to_string(load_.namespaces().size()) + " namespaces",
                        [this](std::stop_token stop) { return wrong_counts(client_, stop); });
    if (!judged) return report(judged.error());
    counter_.stop_counting();
    for (const CheckedCache& cache : caches_) {
      const std::string objects = std::to_string(cache.size()) + " objects";
      if (auto done = judge(cache.name, objects, cache.compare); !done) return report(done.error());
    }
    scheduler_.stop();
    counter_.stop();
    const DemoLoad::Counts counts = load_.counts();
    out_.write("stopped: " + std::to_string(counts.created) + " pods created, " +
               std::to_string(counts.bound) + " bound, " + std::to_string(counts.finished) +
               " finished, " + std::to_string(counts.deleted) + " deleted, " +
               std::to_string(unscheduled) + " without a node; " +
               std::to_string(server_.statistics().writes) + " writes on the server\n" + verdict_ +
               (equal_ ? "every cache equals the server, and every count is correct\n"
                       : "a cache or a count differs from the server\n"));
    return equal_ && unscheduled == 0 ? 0 : 1;
  }

  const DemoOptions options_;
  kube::apiserver::ApiServer& server_;
  kube::Client client_;
  Output& out_;
  DemoLoad load_;  // before the scheduler, which reports bindings to it
  example::Scheduler scheduler_;
  example::PodCounter counter_;
  std::vector<CheckedCache> caches_;
  bool equal_ = true;
  std::string verdict_;
};

}  // namespace

int run_demo(const DemoOptions& options, Output& out) {
  const kube::StopSignal signal;
  auto server = kube::apiserver::ApiServer::start();
  if (!server) return report(server.error());
  kube::rest::Config config;
  config.host = (*server)->url();
  // The load has its own client, with its own connections and threads.
  auto load_client = kube::Client::create(config);
  if (!load_client) return report(load_client.error());
  auto client = kube::Client::create(config);
  if (!client) return report(client.error());
  out.write("embedded API server on " + config.host + "; " + std::to_string(options.nodes) +
            " nodes, " + std::to_string(options.pods) + " pods, " +
            std::to_string(options.seconds) + " s\n");

  const int status = Demo(options, **server, *load_client, *client, out).run(signal.token());
  (*server)->stop();
  return status;
}

Runner add_demo(CLI::App& command) {
  const auto options = std::make_shared<DemoOptions>();
  DemoOptions& demo = *options;
  command.add_option("--nodes", demo.nodes, "Number of nodes")
      ->check(from_to(1, 10'000))
      ->capture_default_str();
  command.add_option("--pods", demo.pods, "Number of pods that exist at the same time")
      ->check(from_to(1, 200'000))
      ->capture_default_str();
  command.add_option("--seconds", demo.seconds, "Duration of the load, in seconds")
      ->check(from_to(1, 86'400))
      ->capture_default_str();
  return [options](Output& out) { return run_demo(*options, out); };
}

}  // namespace kubecpp
