// SPDX-License-Identifier: Apache-2.0
//
// What a script runs kubectl for: labels a node, applies a file, waits until a Deployment of it is
// available, and deletes that again. Run: small_client NODE FILE DEPLOYMENT
#include <chrono>
#include <iostream>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/node.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/client/client.hpp>
#include <kube/client/wait_for.hpp>
#include <kube/config/kubeconfig.hpp>

using namespace std::chrono_literals;
using kube::apps::v1::Deployment;
using kube::core::v1::Node;

kube::Result<void> run(const char* node, const char* file, const char* name, std::stop_token stop) {
  const auto config = kube::rest::default_config();  // KUBECONFIG, ~/.kube/config, or in a pod
  if (!config) return config.error();
  const auto client = kube::Client::create(*config);
  if (!client) return client.error();

  auto labelled = client->api<Node>().set_label(node, "example.com/zone", "b", {}, stop);
  if (!labelled) return labelled.error();

  auto applied = kube::apply_file(*client, file, {.field_manager = "small-client"}, stop);
  if (!applied) return applied.error();
  for (const auto& each : *applied) {
    if (!each.result) return each.result.error().with_context(each.where);
    std::cout << each.object.kind() << " " << each.object.name() << " is applied\n";
  }

  const auto deployments = client->api<Deployment>(client->default_namespace());
  auto ready = kube::wait_for(deployments, name, kube::is_deployment_available, 60s, stop);
  if (!ready) return ready.error();
  std::cout << name << " is available: " << ready->status.available_replicas << std::endl;

  auto deleted = deployments.delete_(name, {}, stop);
  if (!deleted) return deleted.error();
  return kube::wait_deleted(deployments, *ready, 60s, stop);
}

int main(int argc, char** argv) {
  if (argc != 4) return std::cerr << "usage: small_client NODE FILE DEPLOYMENT\n", 2;
  const kube::StopSignal signal;
  const auto done = run(argv[1], argv[2], argv[3], signal.token());
  if (!done) return std::cerr << done.error().to_string() << "\n", 1;
  std::cout << argv[3] << " is gone\n";
}
