// SPDX-License-Identifier: Apache-2.0
//
// The demo's world: nodes, and pods that are created, run for a while, finish, are deleted and
// created again under another name. It plays the users and the kubelets; it schedules nothing.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>
#include <kube/controller/controller.hpp>

namespace kubecpp {

class DemoLoad {
 public:
  struct Options {
    int nodes = 20;
    int pods = 500;  ///< Slots: each holds one pod at a time.
    int namespaces = 10;
    std::chrono::milliseconds lifetime{5'000};  ///< Of a running pod, on the average.
  };
  DemoLoad(kube::Client client, Options options);
  ~DemoLoad();  ///< stop(), and no handler runs any more.
  DemoLoad(const DemoLoad&) = delete;
  DemoLoad& operator=(const DemoLoad&) = delete;

  /// Creates namespaces and nodes, then starts to fill the slots.
  /// @par Blocks   While namespaces and nodes are created.
  kube::Result<void> start(std::stop_token stop);
  /// No write of the load comes after this; the cache stays live. Idempotent.
  void stop();

  /// To be called when a pod was bound: measures the time since its creation.
  void bound(const kube::ObjectKey& pod);

  struct Counts {
    std::uint64_t created = 0;
    std::uint64_t bound = 0;
    std::uint64_t finished = 0;
    std::uint64_t deleted = 0;
  };
  Counts counts() const;
  /// Milliseconds from creation to binding of the pods bound since the last call, sorted.
  std::vector<double> take_latencies();

  /// Namespaces of the load.
  std::vector<std::string> namespaces() const;
  const kube::SharedInformer<kube::core::v1::Pod>& pods() const { return pods_; }

 private:
  using Pod = kube::core::v1::Pod;

  kube::Result<kube::ReconcileResult> fill_slot(const kube::ReconcileRequest& slot);
  kube::Result<kube::ReconcileResult> advance(const kube::ReconcileRequest& request,
                                              std::stop_token stop);
  kube::Result<void> set_phase(const kube::Cached<Pod>& pod, std::string_view phase,
                               std::stop_token stop);
  /// How long a pod runs: half to one and a half of the average, by its name.
  kube::Duration lifetime_of(const kube::Cached<Pod>& pod) const;

  kube::Client client_;
  Options options_;

  mutable std::mutex mutex_;
  Counts counts_;
  std::uint64_t generation_ = 0;
  std::unordered_map<kube::ObjectKey, kube::TimePoint> created_at_;  // not bound yet
  std::unordered_map<kube::ObjectKey, kube::TimePoint> running_since_;
  std::vector<double> latencies_;

  // Below what their handlers and workers use; the destructor brings them to rest before any goes.
  kube::SharedInformer<Pod> pods_;
  kube::Controller slots_;    // keys: namespace and number of a slot
  kube::Controller kubelet_;  // keys: pods
  kube::HandlerRegistration pod_handler_;
};

}  // namespace kubecpp
