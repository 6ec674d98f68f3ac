// SPDX-License-Identifier: Apache-2.0
//
// The example scheduler binds what is there and what comes.
#include "scheduler.hpp"

#include <map>
#include <string>

#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/client/api.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::core::v1::Node;
using kube::core::v1::Pod;

class SchedulerScenario : public Scenario {
 protected:
  ~SchedulerScenario() override {
    for (const std::string& name : nodes_) static_cast<void>(client_.api<Node>().delete_(name));
    kube::DeleteOptions at_once;
    at_once.grace_period_seconds = 0;
    static_cast<void>(client_.api<Pod>(namespace_).delete_collection(at_once));
  }

  void create_node(int number) {
    Node node;
    node.metadata.name = namespace_ + "-node-" + std::to_string(number);
    must(client_.api<Node>().create(node));
    nodes_.push_back(node.metadata.name);
  }
  void create_pod(int number) {
    Pod pod;
    pod.metadata.name = "pod-" + std::to_string(number);
    auto& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "registry.example/app:1";
    must(client_.api<Pod>(namespace_).create(pod));
  }
  std::map<std::string, int> pods_by_node() {
    std::map<std::string, int> counts;
    for (const Pod& pod : must(client_.api<Pod>(namespace_).list_all()).items)
      ++counts[pod.spec.node_name];
    return counts;
  }

  std::vector<std::string> nodes_;
};

TEST_F(SchedulerScenario, BindsTwoHundredPodsEvenlyToTheNodes) {
  constexpr int kNodes = 10;
  constexpr int kPods = 200;
  for (int i = 0; i < kNodes; ++i) create_node(i);
  for (int i = 0; i < kPods / 2; ++i) create_pod(i);
  example::Scheduler scheduler(new_client(), {.name = "scenario-scheduler"});
  must(scheduler.start());
  for (int i = kPods / 2; i < kPods; ++i) create_pod(i);
  ASSERT_TRUE(eventually([&] { return pods_by_node()[""] == 0; }));
  scheduler.stop();

  const std::map<std::string, int> counts = pods_by_node();
  int bound = 0;
  for (const std::string& node : nodes_) {
    const auto found = counts.find(node);
    ASSERT_NE(found, counts.end()) << node << " has no pod";
    EXPECT_NEAR(found->second, kPods / kNodes, kPods / kNodes / 2) << node;
    bound += found->second;
  }
  EXPECT_EQ(bound, kPods);
}

TEST_F(SchedulerScenario, PodsWaitForANodeThatComesLater) {
  example::Scheduler scheduler(new_client(), {.name = "scenario-scheduler"});
  create_pod(1);
  must(scheduler.start());
  ASSERT_TRUE(eventually([&] { return scheduler.has_synced() && scheduler.unscheduled() >= 1; }));
  create_node(1);
  EXPECT_TRUE(eventually([&] { return pods_by_node()[nodes_.front()] == 1; }));
  scheduler.stop();
}

}  // namespace
}  // namespace scenarios
