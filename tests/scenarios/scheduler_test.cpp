// SPDX-License-Identifier: Apache-2.0
//
// The example scheduler binds what is there and what comes.
#include "scheduler.hpp"

#include <map>
#include <optional>
#include <string>

#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/client/api.hpp>
#include <kube/client/clientset/core_v1.hpp>
#include <kube/meta/errors.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::core::v1::Node;
using kube::core::v1::Pod;

class SchedulerScenario : public Scenario {
 protected:
  /// An informer may read the server's cache, which can be older than what the test before wrote
  /// and deleted: a scheduler would bind to nodes that are gone.
  void SetUp() override {
    const auto nodes = must(client_.api<Node>().list());
    ASSERT_TRUE(nodes.items.empty()) << nodes.items.front().metadata.name;
    ASSERT_TRUE(eventually([&] {
      return client_.api<Node>().list({.resource_version = nodes.resource_version}).has_value();
    })) << "the server's cache does not reach "
        << nodes.resource_version;
  }
  ~SchedulerScenario() override {
    for (const std::string& name : nodes_) static_cast<void>(client_.api<Node>().delete_(name));
    kube::DeleteOptions at_once;
    at_once.grace_period_seconds = 0;
    static_cast<void>(client_.api<Pod>(namespace_).delete_collection(at_once));
  }

  /// Room for any number of pods, or for so many.
  void create_node(int number, std::optional<int> room = {}) {
    Node node;
    node.metadata.name = namespace_ + "-node-" + std::to_string(number);
    if (room) node.status.allocatable["pods"] = kube::meta::Quantity::of(*room);
    must(client_.api<Node>().create(node));
    nodes_.push_back(node.metadata.name);
  }
  Pod pod(int number) const {
    Pod pod;
    pod.metadata.name = "pod-" + std::to_string(number);
    pod.spec.scheduler_name = namespace_;
    auto& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "registry.example/app:1";
    return pod;
  }
  void create_pod(int number) { must(client_.api<Pod>(namespace_).create(pod(number))); }
  void delete_pod(const std::string& name) {
    kube::DeleteOptions at_once;
    at_once.grace_period_seconds = 0;
    must(client_.api<Pod>(namespace_).delete_(name, at_once));
  }
  /// Ours alone, so that tests don't bind each other's pods.
  example::Scheduler::Options options() const {
    return {.name = "scenario-scheduler", .scheduler_name = namespace_};
  }
  std::string node_of(int number) {
    return must(client_.api<Pod>(namespace_).get("pod-" + std::to_string(number))).spec.node_name;
  }
  std::map<std::string, int> pods_by_node() {
    std::map<std::string, int> counts;
    for (const Pod& pod : must(client_.api<Pod>(namespace_).list_all()).items)
      ++counts[pod.spec.node_name];
    return counts;
  }

  std::vector<std::string> nodes_;
};

TEST_F(SchedulerScenario, BindsTwoHundredPodsEvenlyToTheNodesOverOneSecureHttp2Connection) {
  constexpr int kNodes = 10;
  constexpr int kPods = 200;
  for (int i = 0; i < kNodes; ++i) create_node(i);
  for (int i = 0; i < kPods / 2; ++i) create_pod(i);
  const auto transport = new_observed_transport();
  example::Scheduler scheduler(new_client(transport), options());
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

  // How all of this travelled.
  EXPECT_EQ(transport->bindings(), static_cast<std::size_t>(kPods));
  EXPECT_EQ(transport->watches(), 2u) << "one of pods, one of nodes";
  const auto stats = transport->stats();
  EXPECT_GE(stats.requests, transport->bindings() + 2) << "two watches that begin with the state";
  if (on_real_server()) {
    EXPECT_EQ(server_config().host.rfind("https://", 0), 0u) << server_config().host;
    EXPECT_EQ(transport->without_tls(), 0u);
    EXPECT_EQ(stats.http2_responses, transport->responses());
    EXPECT_EQ(stats.connections, 1u);
  } else {
    // The embedded server speaks HTTP/1.1 without TLS: a connection for each exchange at a time,
    // which is two watches and as many writes as there are workers; lists are over before.
    EXPECT_EQ(server_config().host.rfind("http://", 0), 0u) << server_config().host;
    EXPECT_EQ(stats.http2_responses, 0u);
    EXPECT_LE(stats.connections, 2u + 4u);
  }
}

TEST_F(SchedulerScenario, OnlyTheFirstOfTwoBindingsOfAPodCounts) {
  create_node(1);
  create_node(2);
  create_pod(1);
  const auto pods = client_.api<Pod>(namespace_);
  const auto bind_to = [&](const std::string& node) {
    kube::core::v1::Binding binding;
    binding.metadata.name = "pod-1";
    binding.metadata.namespace_ = namespace_;
    binding.target.kind = "Node";
    binding.target.name = node;
    return kube::clientset::CoreV1(pods.raw().rest()).pods(pods.namespace_()).bind(binding);
  };
  must(bind_to(nodes_[0]));
  for (const std::string& node : nodes_) {
    const auto refused = bind_to(node);
    ASSERT_FALSE(refused) << node;
    EXPECT_TRUE(kube::is_conflict(refused.error())) << refused.error().to_string();
    EXPECT_NE(refused.error().message().find("already assigned to node \"" + nodes_[0] + "\""),
              std::string::npos)
        << refused.error().to_string();
  }
  EXPECT_EQ(must(pods.get("pod-1")).spec.node_name, nodes_[0]);
}

TEST_F(SchedulerScenario, PodsWaitForANodeThatComesLater) {
  example::Scheduler scheduler(new_client(), options());
  create_pod(1);
  must(scheduler.start());
  ASSERT_TRUE(eventually([&] { return scheduler.has_synced() && scheduler.unscheduled() >= 1; }))
      << "synced: " << scheduler.has_synced() << ", on node \"" << node_of(1) << "\"";
  create_node(1);
  EXPECT_TRUE(eventually([&] { return pods_by_node()[nodes_.front()] == 1; }));
  scheduler.stop();
}

TEST_F(SchedulerScenario, PodsOfOtherSchedulersAreLeftAlone) {
  create_node(1);
  Pod other = pod(1);
  other.spec.scheduler_name = namespace_ + "-other";
  must(client_.api<Pod>(namespace_).create(other));
  create_pod(2);
  example::Scheduler scheduler(new_client(), options());
  must(scheduler.start());
  EXPECT_TRUE(eventually([&] { return node_of(2) == nodes_.front(); }));
  // The cache hears of the binding after the server has it.
  EXPECT_TRUE(eventually([&] { return scheduler.unscheduled() == 0; }));
  scheduler.stop();
  EXPECT_EQ(node_of(1), "");
}

TEST_F(SchedulerScenario, PodsThatAreBeingDeletedGetNoNode) {
  create_node(1);
  Pod leaving = pod(1);
  leaving.metadata.finalizers = {"scenarios.example/hold"};
  must(client_.api<Pod>(namespace_).create(leaving));
  delete_pod("pod-1");
  create_pod(2);
  example::Scheduler scheduler(new_client(), options());
  must(scheduler.start());
  EXPECT_TRUE(eventually([&] { return node_of(2) == nodes_.front(); }));
  scheduler.stop();
  Pod held = must(client_.api<Pod>(namespace_).get("pod-1"));
  EXPECT_EQ(held.spec.node_name, "");
  held.metadata.finalizers.clear();
  must(client_.api<Pod>(namespace_).update(held));
}

TEST_F(SchedulerScenario, PodsWaitForRoomThatAPodOrANodeMakes) {
  create_node(1, 2);
  example::Scheduler scheduler(new_client(), options());
  must(scheduler.start());
  for (int i = 0; i < 4; ++i) create_pod(i);
  const auto bound = [&] {
    int count = 0;
    for (int i = 0; i < 4; ++i) {
      const auto found = client_.api<Pod>(namespace_).get("pod-" + std::to_string(i));
      if (found && !found->spec.node_name.empty()) ++count;
    }
    return count;
  };
  ASSERT_TRUE(eventually([&] {
    return bound() == 2 && scheduler.unscheduled() == 2 &&
           scheduler.status().queued + scheduler.status().running == 0;
  }));
  // A pod that leaves makes room for one of those that wait.
  for (int i = 0; i < 4; ++i) {
    if (node_of(i).empty()) continue;
    delete_pod("pod-" + std::to_string(i));
    break;
  }
  ASSERT_TRUE(eventually([&] { return bound() == 2 && scheduler.unscheduled() == 1; }));
  // So does a node that grows.
  Node node = must(client_.api<Node>().get(nodes_.front()));
  node.status.allocatable["pods"] = kube::meta::Quantity::of(3);
  must(client_.api<Node>().update_status(node));
  EXPECT_TRUE(eventually([&] { return bound() == 3 && scheduler.unscheduled() == 0; }));
  scheduler.stop();
}

}  // namespace
}  // namespace scenarios
