// SPDX-License-Identifier: Apache-2.0
#include "pod_containers.hpp"

#include <algorithm>

#include "error_output.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::core::v1::Pod;
using Kind = PodContainer::Kind;

constexpr const char* kDefaultContainer = "kubectl.kubernetes.io/default-container";

std::string names_of(const std::vector<PodContainer>& containers) {
  std::string names;
  for (const PodContainer& each : containers) {
    if (!names.empty()) names += ", ";
    names += each.name;
    if (each.kind == Kind::Ephemeral) names += " (ephem)";
    if (each.kind == Kind::Init) names += " (init)";
  }
  return names;
}

std::string annotated_container(const Pod& pod) {
  const auto found = pod.metadata.annotations.find(kDefaultContainer);
  return found == pod.metadata.annotations.end() ? std::string() : found->second;
}

}  // namespace

std::vector<PodContainer> containers_of(const Pod& pod) {
  std::vector<PodContainer> all;
  for (const auto& each : pod.spec.containers) all.push_back({each.name, Kind::Regular, each.tty});
  for (const auto& each : pod.spec.ephemeral_containers) {
    all.push_back({each.name, Kind::Ephemeral, each.tty});
  }
  for (const auto& each : pod.spec.init_containers) {
    all.push_back({each.name, Kind::Init, each.tty});
  }
  return all;
}

Result<PodContainer> choose_container(const Pod& pod, const std::string& name, bool quiet) {
  const std::vector<PodContainer> all = containers_of(pod);
  if (all.empty() || all.front().kind != Kind::Regular) {
    return Error(ErrorCode::InvalidArgument, "pod " + pod.metadata.namespace_ + "/" +
                                                 pod.metadata.name +
                                                 " does not have any containers");
  }
  const std::string wanted = name.empty() ? annotated_container(pod) : name;
  if (wanted.empty()) {
    if (!quiet && all.size() > 1) {
      print_note("Defaulted container \"" + all.front().name + "\" out of: " + names_of(all));
    }
    return all.front();
  }
  const auto found = std::ranges::find(all, wanted, &PodContainer::name);
  if (found != all.end()) return *found;
  return Error(ErrorCode::InvalidArgument, "container " + wanted + " is not valid for pod " +
                                               pod.metadata.name + " out of: " + names_of(all));
}

Result<PodContainer> choose_container_for_logs(const Pod& pod, const std::string& name,
                                               bool quiet) {
  const std::string annotated = name.empty() ? annotated_container(pod) : std::string();
  if (annotated.empty()) return choose_container(pod, name, quiet);
  if (auto chosen = choose_container(pod, annotated, quiet)) return chosen;
  print_note("Default container name \"" + annotated + "\" not found in pod " + pod.metadata.name);
  Pod plain = pod;
  plain.metadata.annotations.erase(kDefaultContainer);
  return choose_container(plain, name, quiet);
}

}  // namespace kubecpp
