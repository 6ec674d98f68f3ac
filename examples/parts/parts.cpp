// SPDX-License-Identifier: Apache-2.0
//
// Watches all pods through an informer that is made of the library's parts, and prints a line a
// change, for the seconds given (10).
//
// Needs a cluster, or `kubecpp apiserver --kubeconfig-out kubeconfig` and KUBECONFIG=kubeconfig.
// Run: parts [SECONDS]
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

#include <kube/api/core/v1/pod.hpp>
#include <kube/client/client.hpp>
#include <kube/config/kubeconfig.hpp>

#include "parts_informer.hpp"

using std::cout;

int main(int argc, char** argv) {
  auto config = kube::rest::default_config();  // KUBECONFIG, ~/.kube/config, or in a pod
  if (!config) return std::cerr << config.error().to_string() << "\n", 1;
  auto client = kube::Client::create(*config);
  if (!client) return std::cerr << client.error().to_string() << "\n", 1;

  PartsInformer<kube::core::v1::Pod> pods(
      *client, "",
      {
          .on_add = [](auto& pod, bool) { cout << "+ " << pod.key() << "\n"; },
          .on_update = [](auto&,
                          auto& pod) { cout << pod.key() << " " << pod->status.phase << "\n"; },
          .on_delete = [](auto& gone) { cout << "- " << gone.key.to_string() << "\n"; },
      });
  if (auto started = pods.start(); !started) return 1;
  std::this_thread::sleep_for(std::chrono::seconds(argc > 1 ? std::atoi(argv[1]) : 10));
  cout << pods.indexer().size() << " pods\n";
}
