// SPDX-License-Identifier: Apache-2.0
//
// Watches all pods through an informer and prints a line a change, for the seconds given (10).
//
// Needs a cluster, or `kubecpp apiserver --kubeconfig-out kubeconfig` and KUBECONFIG=kubeconfig.
// Run: watch_pods [SECONDS]
// [watch_pods]
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>
#include <kube/config/kubeconfig.hpp>

using std::cout;

int main(int argc, char** argv) {
  auto config = kube::rest::default_config();  // KUBECONFIG, ~/.kube/config, or in a pod
  if (!config) return std::cerr << config.error().to_string() << "\n", 1;
  auto client = kube::Client::create(*config);
  if (!client) return std::cerr << client.error().to_string() << "\n", 1;

  kube::SharedInformer<kube::core::v1::Pod> pods(client->rest());
  const auto printing = pods.add_event_handler({
      .on_add = [](auto& pod, bool) { cout << "+ " << pod.key() << "\n"; },
      .on_update = [](auto&, auto& pod) { cout << pod.key() << " " << pod->status.phase << "\n"; },
      .on_delete = [](auto& gone) { cout << "- " << gone.key.to_string() << "\n"; },
  });
  auto heard = pods.set_watch_error_handler(  // it tries again, whatever happens
      [](const kube::Error& error) { std::cerr << error.to_string() << "\n"; });
  if (!heard || !pods.start()) return 1;
  std::this_thread::sleep_for(std::chrono::seconds(argc > 1 ? std::atoi(argv[1]) : 10));
  if (!pods.has_synced()) return std::cerr << "the pods could not be listed\n", 1;
  cout << pods.lister().list().size() << " pods\n";
}
// [watch_pods]
