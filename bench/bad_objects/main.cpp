// SPDX-License-Identifier: Apache-2.0
//
// `./dev bench bad_objects`: an informer of 100,000 pods of which 100 can't be decoded, with a
// transform and a handler that takes 10 ms a pod, beside one whose pods are all good, and beside
// client-go. bench/bad_objects.sh runs this program in several roles:
//
//     bad_objects --serve            prints the URLs of a server of good pods, and of one with bad
//                                    ones; runs until its input ends
//     bad_objects --server URL       prints, separated by tabs: the seconds until the sync, those
//                                    of processor time, the pods that can be read, and how many of
//                                    the bad ones the status, the metric and the log have
#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/base/metrics.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>
#include <kube/testing/recording_logger.hpp>

#include "pod_server.hpp"

namespace kube::bench {
namespace {

using core::v1::Pod;
using SteadyClock = std::chrono::steady_clock;

constexpr auto kHandlerTime = std::chrono::milliseconds(10);

/// Keeps the last value of informer_refused_objects.
struct RefusedGauge final : metrics::Provider {
  struct Value final : metrics::GaugeImpl {
    void set(double to) override { value = to; }
    std::atomic<double> value{0};
  };
  std::shared_ptr<metrics::CounterImpl> counter(std::string_view, const metrics::Labels&) override {
    return nullptr;
  }
  std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view name,
                                            const metrics::Labels&) override {
    return name == "informer_refused_objects" ? refused : nullptr;
  }
  std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view,
                                                    const metrics::Labels&) override {
    return nullptr;
  }
  const std::shared_ptr<Value> refused = std::make_shared<Value>();
};

int serve(std::size_t count) {
  const std::vector<std::string> pods = pod_texts(count);
  const auto& good = *new PodServer(pods, false);  // until the process ends
  const auto& bad = *new PodServer(pods, true);
  std::cout << "serving " << good.url() << ' ' << bad.url() << std::endl;
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  std::_Exit(0);
}

/// Returns how many of the bad pods are in a line of the log, with the others by ", ".
std::size_t count_logged(const testing::RecordingLogger& log, std::size_t count) {
  std::string keys = ", ";
  for (const auto& entry : log.entries()) {
    if (entry.message == "objects refused") keys += entry.field("keys") + ", ";
  }
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_bad(i) && keys.find(", " + pod_key(i) + ", ") != std::string::npos) ++found;
  }
  return found;
}

int measure(const std::string& url, std::size_t count) {
  const auto log = std::make_shared<testing::RecordingLogger>(LogLevel::Error);
  const auto gauges = std::make_shared<RefusedGauge>();
  rest::Config config;
  config.host = url;
  auto client = Client::create(config, {.runtime = {.logger = log, .metrics = gauges}});
  if (!client) return std::cerr << client.error().to_string() << '\n', 1;

  SharedInformer<Pod> pods(client->rest(), {.watch_list = false});
  const Result<void> set = pods.set_transform([](Pod pod) -> Result<Pod> {
    pod.metadata.managed_fields.clear();
    return pod;
  });
  const auto slow = pods.add_event_handler(
      {.on_add = [](const Cached<Pod>&, bool) { std::this_thread::sleep_for(kHandlerTime); }});
  const SteadyClock::time_point begin = SteadyClock::now();
  if (!set || !pods.start() || !pods.wait_for_sync()) return 1;
  const std::chrono::duration<double> taken = SteadyClock::now() - begin;
  const double processor = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;

  std::size_t read = 0;
  for (const Cached<Pod>& pod : pods.lister().list()) {
    if (const auto object = pod.get(); object && !(*object)->spec.containers.empty()) ++read;
  }
  const InformerStatus status = pods.status();
  if (status.refused > 0) static_cast<void>(log->await_line("objects refused"));
  std::printf("%.3f\t%.3f\t%zu\t%zu\t%zu\t%zu\n", taken.count(), processor, read,
              status.refused_objects.size(), static_cast<std::size_t>(gauges->refused->value),
              count_logged(*log, count));
  return 0;
}

}  // namespace
}  // namespace kube::bench

int main(int argc, char** argv) {
  CLI::App app("an informer beside objects that can't be decoded");
  bool serves = false;
  std::string url;
  std::size_t pods = 100'000;
  app.add_flag("--serve", serves, "serve the pods");
  app.add_option("--server", url, "the server to read");
  app.add_option("--pods", pods, "how many pods");
  CLI11_PARSE(app, argc, argv);
  return serves ? kube::bench::serve(pods) : kube::bench::measure(url, pods);
}
