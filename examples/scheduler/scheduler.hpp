// SPDX-License-Identifier: Apache-2.0
//
// A small scheduler on the library alone: it watches nodes and the pods that have not finished,
// and binds every pod without a node to the node that runs the fewest. Copy it and change
// pick_node().
//
// What it shows: two informers, one of them with a field selector; an index; a controller whose
// workers read listers and write a subresource; conflicts; remembering own writes until the cache
// has caught up ("assumed" pods).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>
#include <kube/controller/controller.hpp>

namespace example {

class Scheduler {
 public:
  struct Options {
    std::string name = "example-scheduler";
    int workers = 4;
    /// Called after a binding was written, from a worker.
    std::function<void(const kube::ObjectKey& pod, const std::string& node)> on_bound{};
  };
  Scheduler(kube::Client client, Options options);

  kube::Result<void> start();
  /// No binding is written any more; the caches stay live.
  void stop_scheduling();
  /// stop_scheduling(), and the caches stop too.
  void stop();

  bool has_synced() const { return pods_.has_synced() && nodes_.has_synced(); }
  const kube::SharedInformer<kube::core::v1::Pod>& pods() const { return pods_; }
  const kube::SharedInformer<kube::core::v1::Node>& nodes() const { return nodes_; }
  kube::ControllerStatus status() const { return controller_.status(); }
  /// Pods without a node, as far as the cache knows.
  std::size_t unscheduled() const;

 private:
  kube::Result<kube::ReconcileResult> schedule(const kube::ReconcileRequest& request,
                                               std::stop_token stop);
  /// The schedulable node with the fewest pods, counting those bound but not seen yet; "" if none.
  /// Counts the pod as placed there.
  std::string pick_node(const kube::ObjectKey& pod);
  void forget_assumed(const kube::ObjectKey& pod);
  void pod_changed(const kube::Cached<kube::core::v1::Pod>& pod);

  kube::Client client_;
  Options options_;
  kube::SharedInformer<kube::core::v1::Node> nodes_;
  kube::SharedInformer<kube::core::v1::Pod> pods_;

  std::mutex mutex_;
  std::map<kube::ObjectKey, std::string> assumed_;  // bound by us, not seen bound in the cache yet
  std::map<std::string, int> assumed_on_;           // how many of them on each node

  // Behind what its workers use, so that it stops before they go.
  kube::Controller controller_;
  kube::HandlerRegistration pod_handler_;
};

}  // namespace example
