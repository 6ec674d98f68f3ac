// SPDX-License-Identifier: Apache-2.0
#include "pod_choice.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include <kube/client/watch_until.hpp>
#include <kube/names/label_selector.hpp>
#include <kube/names/labels.hpp>

#include "targets.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::core::v1::Pod;

// Compared from the first to the last; the best pod has the least one.
using Rank = std::array<std::int64_t, 9>;

// When the pod became ready; later than all times when that is not known.
std::int64_t ready_since(const kube::core::v1::PodCondition& ready) {
  const auto& since = ready.last_transition_time;
  return !since.is_zero() ? since.unix_seconds() : std::numeric_limits<std::int64_t>::max();
}

const kube::core::v1::PodCondition* ready_condition(const Pod& pod) {
  const auto found =
      std::ranges::find(pod.status.conditions, "Ready", &kube::core::v1::PodCondition::type);
  return found != pod.status.conditions.end() && found->status == "True" ? &*found : nullptr;
}

// The most restarts of a container, and of a sidecar.
std::pair<std::int64_t, std::int64_t> restarts_of(const Pod& pod) {
  std::pair<std::int64_t, std::int64_t> most{0, 0};
  for (const auto& each : pod.status.container_statuses) {
    most.first = std::max<std::int64_t>(most.first, each.restart_count);
  }
  std::set<std::string> sidecars;
  for (const auto& each : pod.spec.init_containers) {
    if (each.restart_policy == "Always") sidecars.insert(each.name);
  }
  for (const auto& each : pod.status.init_container_statuses) {
    if (sidecars.contains(each.name)) {
      most.second = std::max<std::int64_t>(most.second, each.restart_count);
    }
  }
  return most;
}

// As kubectl ranks them: a pod that has ended counts as running for its logs, and as pending else.
std::int64_t phase_rank(const std::string& phase, PodOrder order) {
  if (phase == "Running") return 0;
  if (phase == "Unknown") return 1;
  return order == PodOrder::ForLogs && phase != "Pending" ? 0 : 2;
}

Rank rank_of(const Pod& pod, PodOrder order) {
  const auto* ready = ready_condition(pod);
  const auto [restarts, of_sidecars] = restarts_of(pod);
  const bool logs = order == PodOrder::ForLogs;
  const auto& deleted = pod.metadata.deletion_timestamp;
  const bool deleting = !logs && deleted.has_value();
  const auto& created = pod.metadata.creation_timestamp;
  return {pod.spec.node_name.empty(),
          phase_rank(pod.status.phase, order),
          ready == nullptr,
          deleting,
          deleting ? -deleted->unix_seconds() : 0,
          ready != nullptr ? ready_since(*ready) : 0,
          logs ? -restarts : restarts,
          logs ? -of_sidecars : of_sidecars,
          !created.is_zero() ? created.unix_seconds() : std::numeric_limits<std::int64_t>::max()};
}

// The selector of the pods of an object.
Result<kube::labels::Selector> selector_of(const kube::Unstructured& object) {
  const auto gvk = object.gvk();
  const kube::json::Value* selector = object.content.at_path({"spec", "selector"});
  static const std::set<std::string, std::less<>> kOfApps = {"Deployment", "ReplicaSet",
                                                             "StatefulSet", "DaemonSet"};
  if ((gvk.group == "apps" && kOfApps.contains(gvk.kind)) ||
      (gvk.group == "batch" && gvk.kind == "Job")) {
    auto parsed =
        kube::labels::from_label_selector(selector != nullptr ? *selector : kube::json::Value());
    if (!parsed) return parsed.error().with_context("invalid label selector");
    return parsed;
  }
  if (gvk.group.empty() && (gvk.kind == "Service" || gvk.kind == "ReplicationController")) {
    const bool any = selector != nullptr && selector->if_object() != nullptr &&
                     *selector != kube::json::Value(kube::json::Object{});
    if (!any && gvk.kind == "Service") {
      return Error(ErrorCode::InvalidArgument, "invalid service '" + std::string(object.name()) +
                                                   "': Service is defined without a selector");
    }
    return kube::labels::from_label_selector(kube::json::Value(kube::json::Object{
        {"matchLabels", any ? *selector : kube::json::Value(kube::json::Object{})}}));
  }
  return Error(ErrorCode::InvalidArgument,
               "selector for *" + gvk.version + "." + gvk.kind + " not implemented");
}

// The pods, the best one first; waits for the first one.
Result<std::vector<Pod>> pods_of(const kube::Api<Pod>& pods, const std::string& selector,
                                 const PodQuery& query, const std::stop_token& stop) {
  auto list = pods.list({.label_selector = selector}, stop);
  if (!list) return list.error();
  if (list->items.empty()) {
    const kube::WatchCondition<Pod> exists =
        [](const kube::WatchEvent<Pod>& event) -> Result<bool> {
      return event.type == kube::WatchEventType::Added ||
             event.type == kube::WatchEventType::Modified;
    };
    kube::ListOptions from;
    from.label_selector = selector;
    from.resource_version = list->resource_version;
    auto first = kube::watch_until<Pod>(pods, from, {exists}, {.timeout = query.timeout}, stop);
    if (!first.result) return first.result.error();
    return std::vector<Pod>{std::move(first.last_event->object)};
  }
  std::vector<std::pair<Rank, Pod>> ranked;
  for (Pod& pod : list->items) ranked.emplace_back(rank_of(pod, query.order), std::move(pod));
  std::ranges::stable_sort(ranked, {}, &std::pair<Rank, Pod>::first);
  std::vector<Pod> sorted;
  sorted.reserve(ranked.size());
  for (auto& [rank, pod] : ranked) sorted.push_back(std::move(pod));
  return sorted;
}

}  // namespace

Result<PodChoice> choose_pods(const Cluster& cluster, const PodQuery& query,
                              const std::stop_token& stop) {
  std::vector<std::string> words = query.words;
  if (words.size() == 1 && words.front().find('/') == std::string::npos) {
    words.insert(words.begin(), "pods");
  }
  const auto targets = parse_targets(words);
  if (!targets) return targets.error();
  if (targets->size() != 1 || targets->front().name.empty()) {
    return Error(ErrorCode::InvalidArgument, "expected one pod, or TYPE/NAME");
  }
  const Target& target = targets->front();
  const auto resource = cluster.resolve(target.resource);
  if (!resource) return resource.error();
  const std::string namespace_ = cluster.namespace_of(*resource);
  if (resource->group.empty() && resource->plural == "pods") {
    auto pod = cluster.client().api<Pod>(namespace_).get(target.name, {}, stop);
    if (!pod) return pod.error();
    PodChoice choice;
    choice.pods.push_back(*std::move(pod));
    return choice;
  }
  auto object = cluster.api(*resource, namespace_).get(target.name, {}, stop);
  if (!object) return object.error();
  const auto selector = selector_of(*object);
  if (!selector)
    return selector.error().with_context(query.doing + " *" + object->gvk().version + "." +
                                         object->gvk().kind);
  auto pods = pods_of(cluster.client().api<Pod>(namespace_), selector->to_string(), query, stop);
  if (!pods) return pods.error();
  return PodChoice{*std::move(pods), *std::move(object)};
}

}  // namespace kubecpp
