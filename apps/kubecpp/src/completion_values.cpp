// SPDX-License-Identifier: Apache-2.0
#include "completion_values.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <kube/base/stop_signal.hpp>
#include <kube/client/api.hpp>
#include <kube/client/discovery_queries.hpp>
#include <kube/config/loading_rules.hpp>

#include "cluster.hpp"
#include "error_output.hpp"
#include "pod_choice.hpp"
#include "pod_containers.hpp"
#include "server_resources.hpp"

namespace kubecpp {
namespace {

ConnectionOptions impatient(ConnectionOptions options) {
  if (options.overrides.timeout.empty()) options.overrides.timeout = "5s";
  return options;
}

}  // namespace

std::vector<Candidate> names_in_kubeconfig(const std::string& file, KubeconfigNames which) {
  auto rules = kube::kubeconfig::LoadingRules::defaults();
  rules.explicit_path = file;
  const auto config = rules.load();
  std::vector<Candidate> names;
  if (!config) return names;
  const auto add = [&](const auto& entries) {
    for (const auto& [name, entry] : entries) names.push_back({name});
  };
  if (which == KubeconfigNames::Contexts) add(config->contexts);
  if (which == KubeconfigNames::Clusters) add(config->clusters);
  if (which == KubeconfigNames::Users) add(config->users);
  return names;
}

std::vector<Candidate> resource_candidates(const CompletionServer& server) {
  const kube::StopSignal signal;
  const ConnectionOptions options = impatient(server.connection);
  const auto connection = connect(options, signal.token());
  if (!connection) return {};
  const auto discovery = discovery_of(*connection, options);
  if (!discovery) return {};
  const auto found = kube::server_preferred_resources(**discovery, signal.token());
  std::vector<Candidate> candidates;
  if (!found) return candidates;
  for (const kube::ApiResourceList& list : found->resources) {
    for (const auto& resource : list.resources) {
      const bool readable = std::ranges::find(resource.verbs, "get") != resource.verbs.end();
      if (!readable || resource.name.find('/') != std::string::npos) continue;
      candidates.push_back(
          {kube::meta::GroupResource{list.group_version.group, resource.name}.to_string(),
           resource.kind.kind});
    }
  }
  std::ranges::sort(candidates, {}, &Candidate::word);
  return candidates;
}

std::vector<Candidate> name_candidates(const CompletionServer& server,
                                       const std::string& resource) {
  const kube::StopSignal signal;
  const auto cluster =
      Cluster::open(impatient(server.connection), server.namespace_, signal.token());
  if (!cluster) return {};
  const auto info = cluster->resolve(resource);
  if (!info) return {};
  const auto list =
      cluster->client().metadata(*info, cluster->namespace_of(*info)).list({}, signal.token());
  std::vector<Candidate> candidates;
  if (!list) return candidates;
  for (const auto& object : list->items) candidates.push_back({object.metadata.name});
  return candidates;
}

std::vector<Candidate> container_candidates(const CompletionServer& server,
                                            const std::string& word) {
  const kube::StopSignal signal;
  const auto cluster =
      Cluster::open(impatient(server.connection), server.namespace_, signal.token());
  if (!cluster) return {};
  const auto choice = choose_pods(
      *cluster, {.words = {word}, .order = PodOrder::ForLogs, .timeout = std::chrono::seconds(1)},
      signal.token());
  std::vector<Candidate> candidates;
  if (!choice) return candidates;
  for (PodContainer& each : containers_of(choice->pods.front()))
    candidates.push_back({std::move(each.name)});
  return candidates;
}

}  // namespace kubecpp
