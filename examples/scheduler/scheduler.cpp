// SPDX-License-Identifier: Apache-2.0
#include "scheduler.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <kube/api/core/v1/binding.hpp>
#include <kube/client/clientset/core_v1.hpp>
#include <kube/meta/errors.hpp>

namespace example {
namespace {

using kube::core::v1::Binding;
using kube::core::v1::Node;
using kube::core::v1::Pod;

// Pods by their node; those of ours that need one under "".
constexpr const char* kByNode = "spec.nodeName";

// How many pods a node takes. One that doesn't say takes any number.
std::size_t room_of(const Node& node) {
  for (const auto* resources : {&node.status.allocatable, &node.status.capacity}) {
    const auto pods = resources->find("pods");
    if (pods == resources->end()) continue;
    return static_cast<std::size_t>(std::max<std::int64_t>(0, pods->second.value()));
  }
  return std::numeric_limits<std::size_t>::max();
}

bool is_open(const Node& node) {
  return !node.spec.unschedulable && !node.metadata.deletion_timestamp;
}

}  // namespace

Scheduler::Scheduler(kube::Client client, Options options)
    : client_(std::move(client)),
      options_(std::move(options)),
      pods_(client_.rest(), {.field_selector = "status.phase!=Succeeded,status.phase!=Failed"}),
      // Each placement looks at all nodes: they stay decoded.
      nodes_(client_.rest(), {.storage = kube::cache::StoragePolicy::Decoded}),
      controller_(client_.rest().runtime(),
                  [this](const kube::ReconcileRequest& request, std::stop_token stop) {
                    return schedule(request, std::move(stop));
                  },
                  {.name = options_.name, .workers = options_.workers}) {}

Scheduler::~Scheduler() {
  stop();
}

kube::Result<void> Scheduler::start() {
  auto indexed = pods_.add_index(kByNode, [this](const kube::Cached<Pod>& pod) {
    std::vector<std::string> nodes;
    if (!pod->spec.node_name.empty() || needs_node(*pod)) nodes.push_back(pod->spec.node_name);
    return nodes;
  });
  if (!indexed) return indexed;

  // Pods that the cache has are no longer assumed, and deleted pods make room.
  pod_handler_ = pods_.add_event_handler({
      .on_add =
          [this](const auto& pod, bool) {
            if (!pod->spec.node_name.empty()) forget_assumed(pod.object_key());
          },
      .on_update =
          [this](const auto&, const auto& pod) {
            if (!pod->spec.node_name.empty()) forget_assumed(pod.object_key());
          },
      .on_delete =
          [this](const auto& deleted) {
            {
              const kube::MutexLock lock(mutex_);
              waiting_.erase(deleted.key);
            }
            forget_assumed(deleted.key);
            if (!deleted.object->spec.node_name.empty()) room_was_made();
          },
  });
  // Workers wait until both have synced: half an index would count half the pods of a node.
  auto watched = controller_.watch<Pod>(pods_, [this](const kube::Cached<Pod>& pod) {
    std::vector<kube::ObjectKey> keys;
    if (needs_node(*pod)) keys.push_back(pod.object_key());
    return keys;
  });
  if (!watched) return watched;
  watched = controller_.watch<Node>(nodes_, [this](const kube::Cached<Node>& node) {
    return is_open(*node) ? take_waiting() : std::vector<kube::ObjectKey>{};
  });
  if (!watched) return watched;

  if (auto started = controller_.start(); !started) return started;
  if (auto started = nodes_.start(); !started) return started;
  return pods_.start();
}

void Scheduler::stop_scheduling() {
  controller_.stop_and_wait();
}

void Scheduler::stop() {
  stop_scheduling();
  pod_handler_.unregister_and_wait();
  pods_.stop_and_wait();
  nodes_.stop_and_wait();
}

std::size_t Scheduler::unscheduled() const {
  return pods_.indexer().count(kByNode, "");
}

bool Scheduler::needs_node(const Pod& pod) const {
  const std::string& scheduler = pod.spec.scheduler_name;
  return pod.spec.node_name.empty() && !pod.metadata.deletion_timestamp &&
         (scheduler.empty() ? "default-scheduler" : scheduler) == options_.scheduler_name;
}

kube::Result<kube::ReconcileResult> Scheduler::schedule(const kube::ReconcileRequest& request,
                                                        std::stop_token stop) {
  const auto pod = pods_.lister().find(request.key);
  if (!pod || !needs_node(*pod)) return kube::ReconcileResult::done();  // gone or bound meanwhile
  {
    const kube::MutexLock lock(mutex_);
    if (assumed_.contains(request.key)) return kube::ReconcileResult::done();  // the cache lags
  }

  const std::string node = pick_node(request.key);
  if (node.empty()) return kube::ReconcileResult::done();  // comes back when there is room
  Binding binding;
  binding.metadata.name = request.key.name;
  binding.metadata.namespace_ = request.key.namespace_;
  binding.metadata.uid = pod->metadata.uid;
  binding.target.kind = "Node";
  binding.target.name = node;
  const auto pods = kube::clientset::CoreV1(client_.rest()).pods(request.key.namespace_);
  auto bound = pods.bind(binding, {}, std::move(stop));
  if (bound) {
    if (options_.on_bound) options_.on_bound(request.key, node);
    return kube::ReconcileResult::done();
  }
  forget_assumed(request.key);
  // Gone: the informer tells us what became of it.
  if (kube::is_not_found(bound.error())) return kube::ReconcileResult::done();
  return bound.error().with_context("bind to node " + node);  // tried again with backoff
}

std::string Scheduler::pick_node(const kube::ObjectKey& pod) {
  // Counted under the lock under which the pod begins to wait: handlers hear of what made room
  // after the caches show it, so either the count sees the room, or the handler sees the pod.
  const kube::MutexLock lock(mutex_);
  std::string best;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const auto& node : nodes_.lister().list()) {
    if (!is_open(*node)) continue;
    const std::size_t load = pods_on(node->metadata.name);
    if (load < room_of(*node) && load < fewest) {
      fewest = load;
      best = node->metadata.name;
    }
  }
  if (best.empty()) {
    waiting_.insert(pod);
  } else {
    assumed_[pod] = best;
    ++assumed_on_[best];
  }
  return best;
}

std::size_t Scheduler::pods_on(const std::string& node) const {
  const auto assumed = assumed_on_.find(node);
  return pods_.indexer().count(kByNode, node) +
         (assumed == assumed_on_.end() ? 0 : assumed->second);
}

void Scheduler::forget_assumed(const kube::ObjectKey& pod) {
  {
    const kube::MutexLock lock(mutex_);
    const auto found = assumed_.find(pod);
    if (found == assumed_.end()) return;
    const auto on_node = assumed_on_.find(found->second);
    if (--on_node->second == 0) assumed_on_.erase(on_node);
    assumed_.erase(found);
  }
  // It was not bound after all, or counted twice from the cache's news until here.
  room_was_made();
}

std::vector<kube::ObjectKey> Scheduler::take_waiting() {
  const kube::MutexLock lock(mutex_);
  const std::set<kube::ObjectKey> waiting = std::exchange(waiting_, {});
  return {waiting.begin(), waiting.end()};
}

void Scheduler::room_was_made() {
  for (const kube::ObjectKey& pod : take_waiting()) controller_.enqueue(pod);
}

}  // namespace example
