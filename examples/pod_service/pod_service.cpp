// SPDX-License-Identifier: Apache-2.0
//
// Serves the pods of a cluster from a cache: /pods/namespace/NAMESPACE, /pods/name/NAME,
// /pods/label/SELECTOR, the Kubernetes API, a page at /. Run: pod_service [ADDRESS:PORT]
#include <iostream>

#include <kube/api/core/v1/pod.hpp>
#include <kube/base/stop.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/cacheserver/cache_server.hpp>
#include <kube/client/client.hpp>
#include <kube/config/kubeconfig.hpp>

using kube::core::v1::Pod;
using Answer = kube::Result<kube::json::Value>;

Answer summary(const kube::Result<kube::CachedList<Pod>>& pods) {
  if (!pods) return pods.error();
  kube::json::Array out;
  for (const auto& pod : *pods) {
    out.emplace_back(kube::json::Object{{"namespace", pod.namespace_()},
                                        {"name", pod.name()},
                                        {"node", pod->spec.node_name},
                                        {"phase", pod->status.phase}});
  }
  return out;
}

int main(int argc, char** argv) {
  const auto failed = [](const auto& error) { return std::cerr << error.to_string() << "\n", 1; };
  const kube::StopSignal signal;
  const auto config = kube::rest::default_config();  // KUBECONFIG, ~/.kube/config, or in a pod
  if (!config) return failed(config.error());
  const auto client = kube::Client::create(*config);
  if (!client) return failed(client.error());

  kube::SharedInformer<Pod> pods(client->rest());
  const auto indexed =
      pods.add_index("name", [](const auto& pod) { return std::vector{std::string(pod.name())}; });
  if (!indexed) return failed(indexed.error());
  kube::CacheServer::Options options{.listen = argc > 1 ? argv[1] : "127.0.0.1:8080"};
  options.routes["GET /pods/namespace/{namespace}"] = [&](const auto& request) {
    return summary(pods.lister().in_namespace(request.path_value("namespace")).list());
  };
  options.routes["GET /pods/name/{name}"] = [&](const auto& request) {
    return summary(pods.indexer().by_index("name", request.path_value("name")));
  };
  options.routes["GET /pods/label/{selector...}"] = [&](const auto& request) -> Answer {
    const auto selector = kube::labels::parse(request.path_value("selector"));
    return selector ? summary(pods.lister().list(*selector)) : selector.error();
  };
  const auto server = kube::CacheServer::start(options);
  if (!server) return failed(server.error());
  if (auto added = (*server)->add(pods); !added) return failed(added.error());
  if (auto started = pods.start(); !started) return failed(started.error());
  std::cout << (*server)->url() << std::endl;
  kube::wait_for_stop(signal.token());
}
