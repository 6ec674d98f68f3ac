// SPDX-License-Identifier: Apache-2.0
//
// Everything with handlers and workers is destroyed in the middle of its work. What could go wrong
// is a use after the end, which the sanitizers see.
#include <atomic>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <kube/api/core/v1/namespace.hpp>
#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/client/api.hpp>
#include <kube/testing/eventually.hpp>

#include "demo_load.hpp"
#include "pod_counter.hpp"
#include "scheduler.hpp"

namespace kubecpp {
namespace {

using kube::core::v1::Node;
using kube::core::v1::Pod;

constexpr int kRounds = 8;

kube::Client client_of(const kube::apiserver::ApiServer& server) {
  kube::rest::Config config;
  config.host = server.url();
  return kube::Client::create(config).value();
}

// A server on which pods are created, changed and deleted, and nodes changed, without a pause.
class BusyServer : public ::testing::Test {
 protected:
  BusyServer() {
    for (int i = 0; i < 3; ++i) {
      Node node;
      node.metadata.name = "busy-" + std::to_string(i);
      node.status.capacity["pods"] = kube::meta::Quantity::of(1 + i);
      client_of(*server_).api<Node>().create(node).value();
    }
    busy_ = std::jthread([this](const std::stop_token& stop) { write(stop); });
  }

  // Until so many writes have been done since now.
  void let_it_write(std::uint64_t writes) const {
    const std::uint64_t until = server_->statistics().writes + writes;
    EXPECT_TRUE(kube::testing::eventually([&] { return server_->statistics().writes >= until; }));
  }

  const std::unique_ptr<kube::apiserver::ApiServer> server_ =
      kube::apiserver::ApiServer::start().value();

 private:
  void write(const std::stop_token& stop) {
    const kube::Client client = client_of(*server_);
    const auto pods = client.api<Pod>("default");
    const auto nodes = client.api<Node>();
    kube::DeleteOptions at_once;
    at_once.grace_period_seconds = 0;
    for (int i = 0; !stop.stop_requested(); ++i) {
      Pod pod;
      pod.metadata.name = "busy-" + std::to_string(i);
      pod.spec.containers.emplace_back().name = "main";
      pod.spec.containers.back().image = "registry.example/app:1";
      pods.create(pod).value();
      auto current = pods.get(pod.metadata.name).value();
      current.metadata.labels["changed"] = "yes";
      static_cast<void>(pods.update(current));  // the scheduler may have been faster
      auto node = nodes.get("busy-" + std::to_string(i % 3)).value();
      node.spec.unschedulable = !node.spec.unschedulable;
      nodes.update(node).value();
      if (i >= 5) static_cast<void>(pods.delete_("busy-" + std::to_string(i - 5), at_once));
    }
  }

  std::jthread busy_;
};

TEST_F(BusyServer, ASchedulerIsDestroyedAtWork) {
  const kube::Client client = client_of(*server_);
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> bound = 0;
    {
      example::Scheduler scheduler(
          client, {.on_bound = [&](const kube::ObjectKey&, const std::string&) { ++bound; }});
      ASSERT_TRUE(scheduler.start());
      let_it_write(20);
      ASSERT_TRUE(kube::testing::eventually([&] { return bound > 0; }));
    }
    const int at_the_end = bound;
    let_it_write(20);
    EXPECT_EQ(bound, at_the_end) << "it wrote on";
  }
}

TEST_F(BusyServer, APodCounterIsDestroyedAtWork) {
  const kube::Client client = client_of(*server_);
  for (int round = 0; round < kRounds; ++round) {
    example::PodCounter counter(client);
    ASSERT_TRUE(counter.start());
    ASSERT_TRUE(kube::testing::eventually([&] { return counter.status().reconciled >= 3; }));
  }
}

TEST_F(BusyServer, TheDemosLoadIsDestroyedAtWork) {
  const kube::Client client = client_of(*server_);
  example::Scheduler scheduler(client, {});
  ASSERT_TRUE(scheduler.start());
  for (int round = 0; round < kRounds; ++round) {
    {
      DemoLoad load(
          client,
          {.nodes = 1, .pods = 20, .namespaces = 1, .lifetime = std::chrono::milliseconds(5)});
      ASSERT_TRUE(load.start({}));
      while (load.counts().finished < 20) std::this_thread::yield();
    }
    // Its world goes with it, so that the next one can make its own.
    kube::DeleteOptions at_once;
    at_once.grace_period_seconds = 0;
    client.api<Pod>("team-0").delete_collection(at_once).value();
    client.api<Node>().delete_("node-0").value();
    client.api<kube::core::v1::Namespace>().delete_("team-0").value();
    while (client.api<kube::core::v1::Namespace>().get("team-0")) std::this_thread::yield();
  }
}

TEST_F(BusyServer, WhatNeverStartedIsDestroyedToo) {
  const kube::Client client = client_of(*server_);
  const example::Scheduler scheduler(client, {});
  const example::PodCounter counter(client);
  const DemoLoad load(client, {});
  EXPECT_FALSE(scheduler.has_synced());
}

}  // namespace
}  // namespace kubecpp
