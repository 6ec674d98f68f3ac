// SPDX-License-Identifier: Apache-2.0
//
// A controller that keeps, in each namespace, a ConfigMap "pod-count" with the number of its pods.
//
// What it shows: events of one type mapped to keys of another (pod -> namespace), the namespace
// index, writing only when something differs, creating what is missing, conflicts.
#pragma once

#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>
#include <kube/controller/controller.hpp>

namespace example {

class PodCounter {
 public:
  explicit PodCounter(kube::Client client);
  ~PodCounter();  ///< stop()
  PodCounter(const PodCounter&) = delete;
  PodCounter& operator=(const PodCounter&) = delete;

  kube::Result<void> start();
  /// No ConfigMap is written any more; the caches stay live.
  void stop_counting();
  /// stop_counting(), and the caches stop too. Idempotent.
  void stop();

  const kube::SharedInformer<kube::core::v1::Pod>& pods() const { return pods_; }
  const kube::SharedInformer<kube::core::v1::ConfigMap>& counts() const { return counts_; }
  const kube::Controller& controller() const { return controller_; }
  kube::ControllerStatus status() const { return controller_.status(); }

 private:
  kube::Result<kube::ReconcileResult> count(const kube::ReconcileRequest& request,
                                            std::stop_token stop);

  kube::Client client_;
  kube::SharedInformer<kube::core::v1::Pod> pods_;
  kube::SharedInformer<kube::core::v1::ConfigMap> counts_;
  // Behind what its workers and mappings use; stop() brings all to rest before any of them goes.
  kube::Controller controller_;
};

}  // namespace example
