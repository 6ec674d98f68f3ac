// SPDX-License-Identifier: Apache-2.0
//
// Keeps the ConfigMap "pod-count" of every namespace up to date until SIGINT or SIGTERM.
//
// Run: pod_counter
#include "pod_counter.hpp"

#include <cstdio>

#include <kube/base/stop.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/config/kubeconfig.hpp>

namespace {

int failed(const kube::Error& error) {
  std::fprintf(stderr, "pod_counter: %s\n", error.to_string().c_str());
  return 1;
}

}  // namespace

int main() {
  const kube::StopSignal signal;  // before there are other threads
  auto config = kube::rest::default_config();
  if (!config) return failed(config.error());
  // What fails later is tried again; the log says so.
  auto client = kube::Client::create(
      *config, {.runtime = {.logger = kube::stderr_logger(kube::LogLevel::Warning)}});
  if (!client) return failed(client.error());

  example::PodCounter counter(*client);
  if (auto started = counter.start(); !started) return failed(started.error());
  kube::wait_for_stop(signal.token());
  counter.stop();
  return 0;
}
