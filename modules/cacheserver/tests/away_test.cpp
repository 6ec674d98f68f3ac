// SPDX-License-Identifier: Apache-2.0
//
// Readers of a server whose cluster is away, and of one that stops.
#include <atomic>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/eventually.hpp>

#include "cluster_fixture.hpp"

namespace kube::cacheserver::test {
namespace {

using namespace std::chrono_literals;
using kube::testing::eventually;

class AwayTest : public ClusterTest {};

/// A cluster that may forbid everything, and a server for which every cache is too old.
class RefusedTest : public ClusterTest {
 protected:
  apiserver::ApiServer::Options cluster_options() const override {
    auto options = ClusterTest::cluster_options();
    options.authorizer = [forbids = forbids](const apiserver::AccessRequest&) { return !*forbids; };
    return options;
  }
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.max_age = Duration(1);
    return options;
  }
  auto readyz_says(std::string_view what) {
    return eventually([&] { return ask_cache("/readyz").body.find(what) != std::string::npos; });
  }

  std::shared_ptr<std::atomic<bool>> forbids = std::make_shared<std::atomic<bool>>(false);
};

TEST_F(RefusedTest, ReadinessSaysWhatTheClusterAnswersInPlaceOfAWatch) {
  serve(pods());
  EXPECT_THAT(ask_cache("/readyz").body, ::testing::HasSubstr("seconds\n"));
  *forbids = true;
  cluster->drop_connections();
  EXPECT_TRUE(readyz_says("; the cluster forbids to list or to watch it\n"));
  EXPECT_TRUE(eventually([&] {
    return ask_cache("/metrics")
               .body.find(
                   "resource=\"pods\",namespace=\"\"} 0\n# HELP "
                   "kube_cacheserver_resumed") != std::string::npos;
  })) << "it is not healthy";
  *forbids = false;
  cluster->overload(100'000, 1s);
  EXPECT_TRUE(readyz_says("; the cluster answers with errors\n"));
  cluster->stop();
  EXPECT_TRUE(readyz_says("; the cluster can't be reached\n"));
}

TEST_F(AwayTest, ReadsAndWatchesGoOnAndMissNothing) {
  load(pod_json("a") + "\n---\n" + pod_json("b"));
  serve(pods());
  catch_up();
  WatchClient before(cache->port(), std::string(kPods) + "?watch=1&resourceVersion=" + revision());
  ASSERT_EQ(before.head().status, 200);
  cluster->overload(100'000, 1s);
  cluster->drop_connections();
  ASSERT_TRUE(eventually([&] { return cluster->statistics().watchers == 0; }));

  EXPECT_EQ(ask_cache(std::string(kPods) + "/a").status, 200);
  const Answer list = ask_cache(kPods);
  EXPECT_EQ(list.status, 200);
  const json::Value read = list.json();
  EXPECT_EQ(read.array_at({"items"}).size(), 2U);
  EXPECT_NE(list.header("age"), "");
  EXPECT_EQ(ask_cache("/readyz").status, 200) << "it is younger than max_age";
  WatchClient during(cache->port(), std::string(kPods) +
                                        "?watch=1&sendInitialEvents=true&resourceVersionMatch="
                                        "NotOlderThan&allowWatchBookmarks=true");
  EXPECT_EQ(during.next_text(), "ADDED a");
  EXPECT_EQ(during.next_text(), "ADDED b");
  const auto end = during.next();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->string_at({"type"}), "BOOKMARK");
  EXPECT_EQ(cache->statistics().watchers, 2U);

  load(pod_json("c"));
  cluster->overload(0, 1s);
  EXPECT_EQ(before.next_text(), "ADDED c");
  EXPECT_EQ(during.next_text(), "ADDED c");
}

TEST_F(AwayTest, ReadsGoOnWhenTheClusterIsGone) {
  load(pod_json("a"));
  serve(pods());
  catch_up();
  cluster->stop();
  EXPECT_EQ(ask_cache(std::string(kPods) + "/a").status, 200);
  EXPECT_EQ(ask_cache(kPods).status, 200);
  EXPECT_EQ(ask_cache("/livez").status, 200);
}

class StopTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.stop_timeout = testing::kPatience;
    return options;
  }
};

TEST_F(StopTest, WatchesEndCleanlyAndAListThatIsBeingSentIsSentToItsEnd) {
  constexpr std::size_t kMaps = 100;
  const std::string hundred_thousand(100'000, 'x');
  for (std::size_t i = 0; i < kMaps; ++i) {
    load(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"web","name":"c)" +
         std::to_string(i) + R"("},"data":{"k":")" + hundred_thousand + "\"}}");
  }
  serve({"", "v1", "ConfigMap", "configmaps", "configmap", true});
  catch_up("/api/v1/configmaps");
  const std::string target = "/api/v1/namespaces/web/configmaps";
  WatchClient watch(cache->port(), target + "?watch=1&resourceVersion=" + revision());
  ASSERT_EQ(watch.head().status, 200);
  HttpClient slow(cache->port());
  slow.shrink_receive_buffer();
  slow.write("GET " + target + " HTTP/1.1\r\nHost: test\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return cache->statistics().states == 1; }));

  std::thread stopping([&] { cache->stop(); });
  EXPECT_EQ(watch.next_text(), "END");
  EXPECT_TRUE(watch.ended_cleanly());
  const Answer list = slow.read_answer();
  stopping.join();
  EXPECT_EQ(list.status, 200);
  EXPECT_TRUE(list.complete);
  const json::Value read = list.json();
  EXPECT_EQ(read.array_at({"items"}).size(), kMaps);
}

}  // namespace
}  // namespace kube::cacheserver::test
