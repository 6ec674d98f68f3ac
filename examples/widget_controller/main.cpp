// SPDX-License-Identifier: Apache-2.0
//
// Installs the definition of widgets and runs their controller until SIGINT or SIGTERM.
//
// Needs a cluster, or `kubecpp apiserver --kubeconfig-out kubeconfig` and KUBECONFIG=kubeconfig.
// Run: widget_controller examples/widget_controller/widgets.yaml
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include <kube/base/stop.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/config/kubeconfig.hpp>

#include "widget_controller.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: widget_controller widgets.yaml\n", 2;
  const kube::StopSignal signal;  // before there are other threads
  std::ifstream file(argv[1]);
  const std::string yaml{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return std::cerr << argv[1] << ": can't be read\n", 1;
  auto config = kube::rest::default_config();
  if (!config) return std::cerr << config.error().to_string() << "\n", 1;
  auto client = kube::Client::create(*config);
  if (!client) return std::cerr << client.error().to_string() << "\n", 1;
  if (auto installed = example::install_definition(*client, yaml, signal.token()); !installed)
    return std::cerr << "install " << argv[1] << ": " << installed.error().to_string() << "\n", 1;

  example::WidgetController controller(*client);
  if (auto started = controller.start(); !started)
    return std::cerr << started.error().to_string() << "\n", 1;
  kube::wait_for_stop(signal.token());
  controller.stop();
}
