// SPDX-License-Identifier: Apache-2.0
//
// Serves the dashboard of sailor.hpp until SIGINT or SIGTERM. Run: sailor [ADDRESS:PORT]
#include "sailor.hpp"

#include <iostream>

#include <kube/base/stop.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/config/kubeconfig.hpp>

int main(int argc, char** argv) {
  const kube::StopSignal signal;
  const auto client = kube::rest::default_config().and_then(  // KUBECONFIG, ~/.kube/config, a pod
      [](const auto& config) { return kube::Client::create(config); });
  if (!client) return std::cerr << client.error().to_string() << "\n", 1;
  sailor::Sailor sailor{*client};
  sailor.with_event_handlers(kube::ResourceEventHandler<sailor::Deployment>{
      .on_delete = [](auto& gone) { std::cout << gone.key.to_string() << " is gone\n"; }});
  auto started = sailor.start({.listen = argc > 1 ? argv[1] : "127.0.0.1:8088"}, signal.token());
  if (!started) return std::cerr << started.error().to_string() << "\n", 1;
  std::cout << sailor.server->url() << std::endl;
  kube::wait_for_stop(signal.token());
}
