// SPDX-License-Identifier: Apache-2.0
//
// A cache server whose informers begin with a saved state: InformerOptions::state_dir.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/eventually.hpp>

#include "cluster_fixture.hpp"
#include "server_files.hpp"

namespace kube::cacheserver::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

class WarmStartTest : public ClusterTest {
 protected:
  apiserver::ApiServer::Options cluster_options() const override {
    apiserver::ApiServer::Options options = ClusterTest::cluster_options();
    options.history = 50;
    options.authorizer = [lists = lists](const apiserver::AccessRequest& request) {
      if (request.verb == "list") ++*lists;
      return true;
    };
    return options;
  }
  /// Ends server and informers, and forgets what was listed.
  void end_run() {
    cache.reset();
    informers.clear();
    typed_pods.reset();
    lists->store(0);
  }
  void start_run() { cache = CacheServer::start(cache_options()).value(); }
  /// The cluster's names and versions.
  static std::string of(const Answer& list) {
    std::vector<std::string> all;
    const json::Value document = list.json();
    for (const json::Value& each : document.array_at({"items"})) {
      all.push_back(std::string(each.string_at({"metadata", "name"})) + "@" +
                    std::string(each.string_at({"metadata", "resourceVersion"})));
    }
    std::ranges::sort(all);
    return ::testing::PrintToString(all);
  }
  void expect_equal() {
    catch_up();
    const std::string cached = of(ask_cache("/api/v1/pods"));
    EXPECT_EQ(cached, of(ask_cluster("/api/v1/pods")));
  }
  void change_while_away() {
    load(pod_json("a", "\"n\":\"1\""));
    load(pod_json("c"));
    EXPECT_EQ(HttpClient(cluster->port()).send("DELETE", std::string(kPods) + "/b").status, 200);
  }

  const Folder folder;
  const std::shared_ptr<std::atomic<int>> lists = std::make_shared<std::atomic<int>>(0);
};

TEST_F(WarmStartTest, ListsNothingAndHasWhatChangedMeanwhile) {
  load(pod_json("a"));
  load(pod_json("b"));
  const InformerOptions options{.watch_list = false, .state_dir = folder / "states"};
  EXPECT_FALSE(serve(pods(), options).status().resumed);
  EXPECT_EQ(lists->load(), 1);
  catch_up();
  EXPECT_THAT(ask_cache("/metrics").body, Not(HasSubstr("resumed_age_seconds{")));
  end_run();
  change_while_away();
  start_run();
  const InformerStatus status = serve(pods(), options).status();
  EXPECT_EQ(lists->load(), 0);
  EXPECT_EQ(status.lists, 0U);
  EXPECT_TRUE(status.resumed);
  expect_equal();
  EXPECT_THAT(ask_cache("/readyz?verbose").body,
              HasSubstr("[+]pods ok; resumed from a state that was "));
  EXPECT_THAT(ask_cache("/metrics").body,
              HasSubstr("kube_cacheserver_resumed_age_seconds{group=\"\",version=\"v1\","
                        "resource=\"pods\",namespace=\"\"} "));
}

TEST_F(WarmStartTest, AlsoForTypedPodsInProtobuf) {
  load(pod_json("a"));
  load(pod_json("b"));
  const InformerOptions options{.state_dir = folder / "states"};
  serve_typed_pods(options);
  catch_up();
  end_run();
  change_while_away();
  start_run();
  EXPECT_TRUE(serve_typed_pods(options).status().resumed);
  expect_equal();
  const auto changed = typed_pods->lister().get("web", "a").value();
  EXPECT_EQ(changed->metadata.labels.at("n"), "1");
}

TEST_F(WarmStartTest, ListsWhenTheClusterNoLongerHasTheVersion) {
  load(pod_json("a"));
  load(pod_json("b"));
  const InformerOptions options{.watch_list = false, .state_dir = folder / "states"};
  serve(pods(), options);
  catch_up();
  end_run();
  change_while_away();
  for (int i = 0; i < 60; ++i) load(pod_json("a", "\"n\":\"" + std::to_string(i) + "\""));
  start_run();
  const InformerStatus status = serve(pods(), options).status();
  EXPECT_FALSE(status.resumed);
  EXPECT_EQ(status.lists, 1U);
  expect_equal();
}

TEST_F(WarmStartTest, IsNotReadyWhileTheClusterIsAwayAndListsANewOneAtItsAddress) {
  load(pod_json("a"));
  load(pod_json("b"));
  InformerOptions options{.state_dir = folder / "states"};
  serve(pods(), options);
  catch_up();
  end_run();
  apiserver::ApiServer::Options same = cluster_options();
  same.port = cluster->port();
  cluster.reset();
  start_run();
  informers.push_back(std::make_unique<AnyInformer>(client->rest(), pods(), options));
  ASSERT_TRUE(cache->add(*informers.back()));
  ASSERT_TRUE(informers.back()->start());
  EXPECT_TRUE(testing::eventually(
      [&] { return informers.back()->status().condition == InformerCondition::Unreachable; }));
  EXPECT_EQ(ask_cache("/readyz").status, 503);
  EXPECT_EQ(ask_cache("/api/v1/pods").status, 503);
  cluster = apiserver::ApiServer::start(same).value();
  load(pod_json("new"));
  ASSERT_TRUE(informers.back()->wait_for_sync({}));
  expect_equal();
  EXPECT_FALSE(informers.back()->status().resumed);
}

}  // namespace
}  // namespace kube::cacheserver::test
