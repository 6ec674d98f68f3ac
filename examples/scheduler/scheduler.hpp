// SPDX-License-Identifier: Apache-2.0
//
// A small scheduler on the library alone: it watches nodes and the pods that have not finished,
// and binds every pod without a node to the node that runs the fewest and has room. Copy it and
// change pick_node(): taints, affinity and what pods ask for are not looked at.
//
// What it shows: two informers, one of them with a field selector; an index; a controller whose
// workers read listers and write a subresource; conflicts; remembering own writes until the cache
// has caught up ("assumed" pods); work that waits until there is room for it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/base/mutex.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>
#include <kube/controller/controller.hpp>

namespace example {

class Scheduler {
 public:
  struct Options {
    std::string name = "example-scheduler";  ///< Of the controller: threads, metrics, log lines.
    /// The pods that are ours: those whose spec.schedulerName is this. The default is the name that
    /// the API server gives to pods that name none; in a cluster with a kube-scheduler choose
    /// another, and name it in your pods.
    std::string scheduler_name = "default-scheduler";
    int workers = 4;
    /// Called after a binding was written, from a worker.
    std::function<void(const kube::ObjectKey& pod, const std::string& node)> on_bound{};
  };
  Scheduler(kube::Client client, Options options);
  ~Scheduler();  ///< stop()
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  kube::Result<void> start();
  /// No binding is written any more; the caches stay live.
  void stop_scheduling();
  /// stop_scheduling(), then no handler runs any more, then the caches stop. Idempotent.
  void stop();

  bool has_synced() const { return pods_.has_synced() && nodes_.has_synced(); }
  const kube::SharedInformer<kube::core::v1::Pod>& pods() const { return pods_; }
  const kube::SharedInformer<kube::core::v1::Node>& nodes() const { return nodes_; }
  kube::ControllerStatus status() const { return controller_.status(); }
  /// Pods of ours without a node, as far as the cache knows.
  std::size_t unscheduled() const;

 private:
  using Node = kube::core::v1::Node;
  using Pod = kube::core::v1::Pod;

  /// For this scheduler, not bound and not being deleted.
  bool needs_node(const Pod& pod) const;
  kube::Result<kube::ReconcileResult> schedule(const kube::ReconcileRequest& request,
                                               std::stop_token stop);
  /// The schedulable node that runs the fewest pods and has room for one more; those that we bound
  /// and the cache has not seen yet count too, this one from now on. "" when no node has room: then
  /// the pod waits.
  std::string pick_node(const kube::ObjectKey& pod);
  std::size_t pods_on(const std::string& node) const KUBE_REQUIRES(mutex_);
  void forget_assumed(const kube::ObjectKey& pod);
  /// Those that found no room; they wait no longer.
  std::vector<kube::ObjectKey> take_waiting();
  /// There may be room now: queues those that wait.
  void room_was_made();

  kube::Client client_;
  Options options_;

  mutable kube::Mutex mutex_;
  // Bound by us, not seen bound in the cache yet; and how many of them on each node.
  std::map<kube::ObjectKey, std::string> assumed_ KUBE_GUARDED_BY(mutex_);
  std::map<std::string, std::size_t> assumed_on_ KUBE_GUARDED_BY(mutex_);
  std::set<kube::ObjectKey> waiting_ KUBE_GUARDED_BY(mutex_);  // found no room

  // Below what their handlers and workers use; stop() brings them to rest before any of them goes.
  kube::SharedInformer<Pod> pods_;
  kube::SharedInformer<Node> nodes_;
  kube::Controller controller_;
  kube::HandlerRegistration pod_handler_;
};

}  // namespace example
