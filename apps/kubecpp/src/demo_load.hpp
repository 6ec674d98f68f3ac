// SPDX-License-Identifier: Apache-2.0
//
// The load of the demo: nodes, and pods that are created, run for a while, finish, are deleted and
// created again under another name. It does the work of users and kubelets; it schedules nothing.
#pragma once

#include <cstdint>

#include <string>
#include <unordered_map>
#include <vector>

#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/base/mutex.hpp>
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
    std::chrono::milliseconds lifetime{5'000};  ///< The average time that a pod runs.
  };
  DemoLoad(kube::Client client, Options options);
  ~DemoLoad();  ///< Calls stop(), then waits until no handler runs.
  DemoLoad(const DemoLoad&) = delete;
  DemoLoad& operator=(const DemoLoad&) = delete;

  /// Creates namespaces and nodes, then starts to fill the slots.
  /// @par Blocks   While namespaces and nodes are created.
  kube::Result<void> start(std::stop_token stop);
  /// Writes nothing after it has returned; the cache stays live. May be called again.
  void stop();

  /// Must be called when a pod was bound: measures the time since its creation.
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
  /// Returns the time that a pod runs: 0.5 to 1.5 times the average, by a hash of its uid.
  kube::Duration lifetime_of(const kube::Cached<Pod>& pod) const;

  kube::Client client_;
  Options options_;

  mutable kube::Mutex mutex_;
  Counts counts_ KUBE_GUARDED_BY(mutex_);
  std::uint64_t generation_ KUBE_GUARDED_BY(mutex_) = 0;
  std::unordered_map<kube::ObjectKey, kube::TimePoint> created_at_  // not bound yet
      KUBE_GUARDED_BY(mutex_);
  std::unordered_map<kube::ObjectKey, kube::TimePoint> running_since_ KUBE_GUARDED_BY(mutex_);
  std::vector<double> latencies_ KUBE_GUARDED_BY(mutex_);

  // Declared after the members that their handlers and workers use; the destructor stops them all
  // before it destroys one.
  kube::SharedInformer<Pod> pods_;
  kube::Controller slots_;    // keys: namespace and number of a slot
  kube::Controller kubelet_;  // keys: pods
  kube::HandlerRegistration pod_handler_;
};

}  // namespace kubecpp
