// SPDX-License-Identifier: Apache-2.0
#include "pod_counter.hpp"

#include <string>
#include <vector>

#include <kube/client/api.hpp>
#include <kube/meta/errors.hpp>

namespace example {
namespace {

using kube::ReconcileResult;
using kube::Result;
using kube::core::v1::ConfigMap;
using kube::core::v1::Pod;

constexpr const char* kName = "pod-count";

}  // namespace

PodCounter::PodCounter(kube::Client client)
    : client_(std::move(client)),
      pods_(client_.rest()),
      counts_(client_.rest(), {.field_selector = std::string("metadata.name=") + kName}),
      controller_(client_.rest().runtime(),
                  [this](const kube::ReconcileRequest& request, std::stop_token stop) {
                    return count(request, std::move(stop));
                  },
                  {.name = "pod-counter"}) {}

PodCounter::~PodCounter() {
  stop();
}

Result<void> PodCounter::start() {
  // The key is that of the ConfigMap: one a namespace, however many of its pods change.
  auto watched = controller_.watch<Pod>(pods_, [](const kube::Cached<Pod>& pod) {
    return std::vector<kube::ObjectKey>{{std::string(pod.namespace_()), kName}};
  });
  if (!watched) return watched;
  if (watched = controller_.watch(counts_); !watched) return watched;
  if (auto started = controller_.start(); !started) return started;
  if (auto started = pods_.start(); !started) return started;
  return counts_.start();
}

void PodCounter::stop_counting() {
  controller_.stop_and_wait();
}

void PodCounter::stop() {
  stop_counting();
  pods_.stop_and_wait();
  counts_.stop_and_wait();
}

Result<ReconcileResult> PodCounter::count(const kube::ReconcileRequest& request,
                                          std::stop_token stop) {
  const std::string& ns = request.key.namespace_;
  const std::string wanted = std::to_string(pods_.indexer().count(kube::kNamespaceIndex, ns));
  const auto api = client_.api<ConfigMap>(ns);

  const auto current = counts_.lister().find(request.key);
  if (!current) {
    if (wanted == "0") return ReconcileResult::done();
    ConfigMap fresh;
    fresh.metadata.name = kName;
    fresh.metadata.namespace_ = ns;
    fresh.data["pods"] = wanted;
    auto created = api.create(fresh, {}, std::move(stop));
    // Created a moment ago and not in the cache yet: its event brings us back.
    if (!created && !kube::is_already_exists(created.error())) return created.error();
    return ReconcileResult::done();
  }
  const auto recorded = current->data.find("pods");
  if (recorded != current->data.end() && recorded->second == wanted) return ReconcileResult::done();
  ConfigMap next = *current;
  next.data["pods"] = wanted;
  auto updated = api.update(next, {}, std::move(stop));
  // A conflict means that the cache is outdated: its next event repeats the work.
  if (!updated && !kube::is_conflict(updated.error())) return updated.error();
  return ReconcileResult::done();
}

}  // namespace example
