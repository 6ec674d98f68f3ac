// SPDX-License-Identifier: Apache-2.0
#include "demo_load.hpp"

#include <algorithm>
#include <functional>

#include <kube/api/core/v1/namespace.hpp>
#include <kube/client/api.hpp>
#include <kube/meta/errors.hpp>

namespace kubecpp {
namespace {

using kube::ReconcileResult;
using kube::Result;
using kube::core::v1::Namespace;
using kube::core::v1::Node;

constexpr const char* kSlotLabel = "demo.kube-cpp.dev/slot";

std::string namespace_name(int number) {
  return "team-" + std::to_string(number);
}

}  // namespace

DemoLoad::DemoLoad(kube::Client client, Options options)
    : client_(std::move(client)),
      options_(options),
      pods_(client_.rest()),
      slots_(
          client_.rest().runtime(),
          [this](const kube::ReconcileRequest& slot, std::stop_token) { return fill_slot(slot); },
          {.name = "load", .workers = 2}),
      kubelet_(client_.rest().runtime(),
               [this](const kube::ReconcileRequest& pod, std::stop_token stop) {
                 return advance(pod, std::move(stop));
               },
               {.name = "kubelet", .workers = 2}) {}

DemoLoad::~DemoLoad() {
  stop();
  pod_handler_.unregister_and_wait();
  pods_.stop_and_wait();
}

std::vector<std::string> DemoLoad::namespaces() const {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(options_.namespaces));
  for (int i = 0; i < options_.namespaces; ++i) names.push_back(namespace_name(i));
  return names;
}

Result<void> DemoLoad::start(std::stop_token stop) {
  const auto namespaces = client_.api<Namespace>();
  for (int i = 0; i < options_.namespaces; ++i) {
    Namespace team;
    team.metadata.name = namespace_name(i);
    auto created = namespaces.create(team, {}, stop);
    if (!created) return created.error();
  }
  const auto nodes = client_.api<Node>();
  // Twice the room for all pods, and at least the default of nodes.
  const int room = std::max(110, 2 * options_.pods / options_.nodes + 1);
  for (int i = 0; i < options_.nodes; ++i) {
    Node node;
    node.metadata.name = "node-" + std::to_string(i);
    node.status.capacity["pods"] = kube::meta::Quantity::of(room);
    node.status.allocatable = node.status.capacity;
    auto created = nodes.create(node, {}, stop);
    if (!created) return created.error();
  }

  pod_handler_ = pods_.add_event_handler({
      .on_add = [this](const auto& pod, bool) { kubelet_.enqueue(pod.object_key()); },
      .on_update = [this](const auto&, const auto& pod) { kubelet_.enqueue(pod.object_key()); },
      .on_delete =
          [this](const auto& deleted) {
            const auto slot = deleted.object->metadata.labels.find(kSlotLabel);
            if (slot != deleted.object->metadata.labels.end()) {
              slots_.enqueue({deleted.key.namespace_, slot->second});
            }
          },
  });
  if (auto started = kubelet_.start(); !started) return started;
  if (auto started = pods_.start(); !started) return started;
  if (auto started = slots_.start(); !started) return started;
  for (int i = 0; i < options_.pods; ++i) {
    slots_.enqueue({namespace_name(i % options_.namespaces), std::to_string(i)});
  }
  return {};
}

void DemoLoad::stop() {
  slots_.stop_and_wait();
  kubelet_.stop_and_wait();
}

Result<ReconcileResult> DemoLoad::fill_slot(const kube::ReconcileRequest& slot) {
  Pod pod;
  {
    const kube::MutexLock lock(mutex_);
    pod.metadata.name = "pod-" + slot.key.name + "-" + std::to_string(++generation_);
  }
  pod.metadata.namespace_ = slot.key.namespace_;
  pod.metadata.labels[kSlotLabel] = slot.key.name;
  auto& container = pod.spec.containers.emplace_back();
  container.name = "main";
  container.image = "registry.example/app:1";

  const kube::ObjectKey key{pod.metadata.namespace_, pod.metadata.name};
  {
    const kube::MutexLock lock(mutex_);
    created_at_[key] = client_.rest().runtime().clock()->now();
  }
  // This call is not stopped, so that each created pod is counted.
  auto created = client_.api<Pod>(slot.key.namespace_).create(pod);
  const kube::MutexLock lock(mutex_);
  if (!created) {
    created_at_.erase(key);
    return created.error();
  }
  ++counts_.created;
  return ReconcileResult::done();
}

Result<ReconcileResult> DemoLoad::advance(const kube::ReconcileRequest& request,
                                          std::stop_token stop) {
  const auto pod = pods_.lister().find(request.key);
  if (!pod) {
    const kube::MutexLock lock(mutex_);
    running_since_.erase(request.key);
    return ReconcileResult::done();
  }
  if (pod->spec.node_name.empty()) return ReconcileResult::done();

  const std::string& phase = pod->status.phase;
  const kube::TimePoint now = client_.rest().runtime().clock()->now();
  if (phase == "Succeeded") {
    kube::DeleteOptions at_once;
    at_once.grace_period_seconds = 0;
    auto deleted = client_.api<Pod>(request.key.namespace_)
                       .delete_(request.key.name, at_once, std::move(stop));
    if (!deleted && !kube::is_not_found(deleted.error())) return deleted.error();
    const kube::MutexLock lock(mutex_);
    if (deleted) ++counts_.deleted;
    running_since_.erase(request.key);
    return ReconcileResult::done();
  }
  if (phase == "Running") {
    kube::Duration left{};
    {
      const kube::MutexLock lock(mutex_);
      left = running_since_.try_emplace(request.key, now).first->second + lifetime_of(pod) - now;
    }
    if (left > kube::Duration::zero()) return ReconcileResult::requeue_after(left);
    if (auto set = set_phase(pod, "Succeeded", std::move(stop)); !set) return set.error();
    const kube::MutexLock lock(mutex_);
    ++counts_.finished;
    return ReconcileResult::done();
  }
  if (auto set = set_phase(pod, "Running", std::move(stop)); !set) return set.error();
  return ReconcileResult::done();
}

Result<void> DemoLoad::set_phase(const kube::Cached<Pod>& pod, std::string_view phase,
                                 std::stop_token stop) {
  Pod next = *pod;
  next.status.phase = phase;
  auto updated =
      client_.api<Pod>(next.metadata.namespace_).update_status(next, {}, std::move(stop));
  // The pod is gone, or the cache was behind: the next event brings it back.
  if (!updated && !kube::is_not_found(updated.error()) && !kube::is_conflict(updated.error())) {
    return updated.error();
  }
  return {};
}

kube::Duration DemoLoad::lifetime_of(const kube::Cached<Pod>& pod) const {
  const std::size_t hash = std::hash<std::string_view>{}(pod.uid());
  const double share = 0.5 + static_cast<double>(hash % 1000) / 1000.0;
  return std::chrono::duration_cast<kube::Duration>(options_.lifetime * share);
}

void DemoLoad::bound(const kube::ObjectKey& pod) {
  const kube::TimePoint now = client_.rest().runtime().clock()->now();
  const kube::MutexLock lock(mutex_);
  ++counts_.bound;
  const auto created = created_at_.find(pod);
  if (created == created_at_.end()) return;
  latencies_.push_back(std::chrono::duration<double, std::milli>(now - created->second).count());
  created_at_.erase(created);
}

DemoLoad::Counts DemoLoad::counts() const {
  const kube::MutexLock lock(mutex_);
  return counts_;
}

std::vector<double> DemoLoad::take_latencies() {
  std::vector<double> sample;
  {
    const kube::MutexLock lock(mutex_);
    sample.swap(latencies_);
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

}  // namespace kubecpp
