// SPDX-License-Identifier: Apache-2.0
#include "log_sources.hpp"

#include <cstddef>

#include "pod_containers.hpp"

namespace kubecpp {
namespace {

using kube::Result;
using kube::core::v1::Pod;
using kube::core::v1::PodLogOptions;

constexpr std::size_t kLongestLine = std::size_t{1} << 20;

LogSource log_source(const Cluster& cluster, const Pod& pod, PodLogOptions options,
                     const PodContainer& container) {
  options.container = container.name;
  return {"[pod/" + pod.metadata.name + "/" + container.name + "] ",
          kube::get_text(cluster.client().rest(), kube::meta::resource_of<Pod>(),
                         pod.metadata.namespace_, pod.metadata.name, "log", "",
                         kube::meta::to_query(options))};
}

}  // namespace

Result<std::vector<LogSource>> logs_of(const Cluster& cluster, const Pod& pod,
                                       const PodLogOptions& options,
                                       const LogSelection& selection) {
  std::vector<LogSource> sources;
  if (!selection.all_containers) {
    const auto container = choose_container_for_logs(pod, selection.container, selection.quiet);
    if (!container) return container.error();
    sources.push_back(log_source(cluster, pod, options, *container));
    return sources;
  }
  const auto all = containers_of(pod);
  using Kind = PodContainer::Kind;
  for (const Kind kind : {Kind::Init, Kind::Regular, Kind::Ephemeral}) {
    for (const PodContainer& each : all) {
      if (each.kind == kind) sources.push_back(log_source(cluster, pod, options, each));
    }
  }
  return sources;
}

bool LineWriter::add(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view part = text.substr(0, end == text.npos ? end : end + 1);
    text.remove_prefix(part.size());
    begun_ += part;
    if ((end != part.npos || begun_.size() > kLongestLine) && !finish()) return false;
  }
  return true;
}

bool LineWriter::finish() {
  if (begun_.empty()) return true;
  const bool wanted = write_(prefix_ + begun_);
  begun_.clear();
  return wanted;
}

}  // namespace kubecpp
