// SPDX-License-Identifier: Apache-2.0
#include "scheduler.hpp"

#include <chrono>
#include <limits>
#include <vector>

#include <kube/api/core/v1/binding.hpp>
#include <kube/client/pods.hpp>
#include <kube/meta/errors.hpp>

namespace example {
namespace {

using kube::core::v1::Binding;
using kube::core::v1::Node;
using kube::core::v1::Pod;

constexpr const char* kByNode = "spec.nodeName";

}  // namespace

Scheduler::Scheduler(kube::Client client, Options options)
    : client_(std::move(client)),
      options_(std::move(options)),
      nodes_(client_.rest()),
      pods_(client_.rest(), {.field_selector = "status.phase!=Succeeded,status.phase!=Failed"}),
      controller_(client_.rest().runtime(),
                  [this](const kube::ReconcileRequest& request, std::stop_token stop) {
                    return schedule(request, std::move(stop));
                  },
                  {.name = options_.name, .workers = options_.workers}) {}

kube::Result<void> Scheduler::start() {
  auto indexed = pods_.add_index(kByNode, [](const kube::Cached<Pod>& pod) {
    return std::vector<std::string>{pod->spec.node_name};
  });
  if (!indexed) return indexed;

  // The queue gets the pods that need a node; everything else is for the index and the assumptions.
  pod_handler_ = pods_.add_event_handler({
      .on_add = [this](const auto& pod, bool) { pod_changed(pod); },
      .on_update = [this](const auto&, const auto& pod) { pod_changed(pod); },
      .on_delete = [this](const auto& deleted) { forget_assumed(deleted.key); },
  });
  // A node that comes or changes may have room for pods that found none.
  controller_.watch<Node>(nodes_, [this](const kube::Cached<Node>&) {
    std::vector<kube::ObjectKey> waiting;
    const auto unscheduled = pods_.indexer().by_index(kByNode, "");
    if (!unscheduled) return waiting;
    for (const auto& pod : *unscheduled) waiting.push_back(pod.object_key());
    return waiting;
  });

  if (auto started = controller_.start(); !started) return started;
  if (auto started = nodes_.start(); !started) return started;
  return pods_.start();
}

void Scheduler::stop_scheduling() {
  controller_.stop_and_wait();
}

void Scheduler::stop() {
  stop_scheduling();
  pods_.stop_and_wait();
  nodes_.stop_and_wait();
}

std::size_t Scheduler::unscheduled() const {
  return pods_.indexer().count(kByNode, "");
}

void Scheduler::pod_changed(const kube::Cached<Pod>& pod) {
  if (pod->spec.node_name.empty()) {
    controller_.enqueue(pod.object_key());
  } else {
    forget_assumed(pod.object_key());
  }
}

kube::Result<kube::ReconcileResult> Scheduler::schedule(const kube::ReconcileRequest& request,
                                                        std::stop_token stop) {
  const auto pod = pods_.lister().find(request.key);
  if (!pod || !pod->get()) return kube::ReconcileResult::done();  // gone meanwhile
  if (!(*pod)->spec.node_name.empty()) return kube::ReconcileResult::done();
  {
    const std::lock_guard lock(mutex_);
    if (assumed_.contains(request.key)) return kube::ReconcileResult::done();  // the cache lags
  }

  const std::string node = pick_node(request.key);
  if (node.empty()) {
    // The node handler brings the pod back.
    return kube::ReconcileResult::done();
  }
  Binding binding;
  binding.metadata.name = request.key.name;
  binding.metadata.namespace_ = request.key.namespace_;
  binding.metadata.uid = std::string(pod->uid());
  binding.target.kind = "Node";
  binding.target.name = node;
  auto bound = kube::bind(client_.api<Pod>(request.key.namespace_), binding, {}, std::move(stop));
  if (bound) {
    if (options_.on_bound) options_.on_bound(request.key, node);
    return kube::ReconcileResult::done();
  }
  forget_assumed(request.key);
  // Gone, or bound by somebody else: the informer tells us what became of it.
  if (kube::is_not_found(bound.error())) return kube::ReconcileResult::done();
  return bound.error().with_context("bind to node " + node);  // tried again with backoff
}

std::string Scheduler::pick_node(const kube::ObjectKey& pod) {
  const auto nodes = nodes_.lister().list();
  const auto indexer = pods_.indexer();
  const std::lock_guard lock(mutex_);
  std::string best;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const auto& node : nodes) {
    if (node->spec.unschedulable) continue;
    const std::string name(node.name());
    const auto running = indexer.count(kByNode, name);
    const auto assumed = assumed_on_.find(name);
    const std::size_t load =
        running + (assumed == assumed_on_.end() ? 0 : static_cast<std::size_t>(assumed->second));
    if (load < fewest) {
      fewest = load;
      best = name;
    }
  }
  if (!best.empty()) {
    assumed_[pod] = best;
    ++assumed_on_[best];
  }
  return best;
}

void Scheduler::forget_assumed(const kube::ObjectKey& pod) {
  const std::lock_guard lock(mutex_);
  const auto found = assumed_.find(pod);
  if (found == assumed_.end()) return;
  if (--assumed_on_[found->second] == 0) assumed_on_.erase(found->second);
  assumed_.erase(found);
}

}  // namespace example
