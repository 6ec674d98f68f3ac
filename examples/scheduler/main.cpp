// SPDX-License-Identifier: Apache-2.0
//
// Binds the pods of a cluster to its nodes until SIGINT or SIGTERM, a line a binding.
//
// Run: scheduler [SCHEDULER_NAME]   (default-scheduler: for clusters without a kube-scheduler)
#include "scheduler.hpp"

#include <cstdio>

#include <kube/base/stop.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/config/kubeconfig.hpp>

namespace {

int failed(const kube::Error& error) {
  std::fprintf(stderr, "scheduler: %s\n", error.to_string().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const kube::StopSignal signal;  // before there are other threads
  auto config = kube::rest::default_config();
  if (!config) return failed(config.error());
  // What fails later is tried again; the log says so.
  auto client = kube::Client::create(
      *config, {.runtime = {.logger = kube::stderr_logger(kube::LogLevel::Warning)}});
  if (!client) return failed(client.error());

  example::Scheduler::Options options;
  if (argc > 1) options.scheduler_name = argv[1];
  options.on_bound = [](const kube::ObjectKey& pod, const std::string& node) {
    std::printf("%s -> %s\n", pod.to_string().c_str(), node.c_str());
    std::fflush(stdout);
  };
  example::Scheduler scheduler(*client, options);
  if (auto started = scheduler.start(); !started) return failed(started.error());
  kube::wait_for_stop(signal.token());
  scheduler.stop();
  return 0;
}
