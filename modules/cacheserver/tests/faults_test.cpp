// SPDX-License-Identifier: Apache-2.0
//
// Readers that are slow or stop, and a cluster that breaks: a reader is ended with a 410 or stays
// equal, and never misses an event.
#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>

#include "cluster_fixture.hpp"

namespace kube::cacheserver::test {
namespace {

/// Names and versions, sorted.
std::map<std::string, std::string> versions(const json::Array& items) {
  std::map<std::string, std::string> out;
  for (const json::Value& each : items) {
    out.emplace(each.string_at({"metadata", "name"}),
                each.string_at({"metadata", "resourceVersion"}));
  }
  return out;
}

class FaultsTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.history = 50;
    options.watch_buffer_bytes = 16U << 10U;
    return options;
  }
  std::map<std::string, std::string> of_cluster() {
    const json::Value list = ask_cluster("/api/v1/pods").json();
    return versions(list.array_at({"items"}));
  }
  /// Waits until a reader of the cache has the cluster's state.
  template <class T>
  void expect_equal(const SharedInformer<T>& reader) {
    const auto wanted = of_cluster();
    std::map<std::string, std::string> found;
    while (found != wanted) {
      found.clear();
      for (const auto& each : reader.lister().list()) {
        found.emplace(each.name(), each.resource_version());
      }
      std::this_thread::yield();
    }
    EXPECT_EQ(found, wanted);
  }
};

TEST_F(FaultsTest, AReaderThatStopsCostsBoundedMemoryAndGetsA410) {
  load(pod_json("a"));
  serve(pods());
  catch_up();
  WatchClient slow(cache->port(), "/api/v1/pods?watch=true&resourceVersion=" + revision(), {},
                   true);
  // Each write is one event of 40 KB, which an observer's bytes are a part of.
  const std::string big(40'000, 'x');
  const int writes = 400;
  for (int i = 0; i < writes; ++i) {
    load(pod_json("a", "\"n\":\"" + std::to_string(i) + "\"",
                  "\"nodeSelector\":{\"k\":\"" + big + "\"}"));
  }
  catch_up();
  const CacheServer::Statistics now = cache->statistics();
  EXPECT_LE(now.history_events, 50U);
  EXPECT_LE(now.watch_bytes, 2 * 1024 * 1024U);
  // What it gets is a part of the events without a gap, and then the error.
  int last = -1;
  std::optional<json::Value> event;
  while ((event = slow.next()) && event->string_at({"type"}) == "MODIFIED") {
    const int number =
        std::stoi(std::string(event->string_at({"object", "metadata", "labels", "n"})));
    EXPECT_TRUE(last < 0 || number == last + 1) << last << " " << number;
    last = number;
  }
  ASSERT_TRUE(event) << "ended without an error after event " << last;
  EXPECT_EQ(event->string_at({"type"}), "ERROR");
  EXPECT_EQ(event->int_at({"object", "code"}), 410);
  EXPECT_LT(last, writes - 50);
}

/// Readers of a state of 60 pods of 40 KB, longer than what the server and the kernel send ahead.
class DripTest : public FaultsTest {
 protected:
  static constexpr int kObjects = 60;
  /// Has the version of all pods; a list of it is no state to be sent.
  static constexpr std::string_view kNone = "/api/v1/namespaces/none/pods";

  void SetUp() override {
    FaultsTest::SetUp();
    write_all(0);
    serve(pods());
    catch_up(kNone);
  }
  void write_all(int round) {
    for (int i = 0; i < kObjects; ++i) {
      load(pod_json("p" + std::to_string(i), "\"round\":\"" + std::to_string(round) + "\"",
                    "\"nodeSelector\":{\"k\":\"" + std::string(40'000, 'x') + "\"}"));
    }
  }
  /// Waits until the server has begun to send a state.
  void wait_for_state() const {
    while (cache->statistics().states == 0) std::this_thread::yield();
  }
};

TEST_F(DripTest, InitialEventsThatTheHistoryHasMovedPastEndWithA410) {
  WatchClient slow(cache->port(),
                   "/api/v1/pods?watch=true&sendInitialEvents=true&"
                   "resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
                   {}, true);
  ASSERT_TRUE(slow.next());
  EXPECT_EQ(cache->statistics().states, 1U);
  EXPECT_GT(cache->statistics().watch_bytes, 40'000U);
  write_all(1);
  catch_up(kNone);
  const CacheServer::Statistics now = cache->statistics();
  EXPECT_EQ(now.states, 0U) << "the reader still keeps the objects that it has not received";
  EXPECT_GT(now.history_bytes, 50U * 40'000);
  EXPECT_LT(now.history_bytes, 51U * 41'000);
  int added = 1;
  std::optional<json::Value> event;
  while ((event = slow.next()) && event->string_at({"type"}) == "ADDED") {
    EXPECT_EQ(event->string_at({"object", "metadata", "labels", "round"}), "0");
    ++added;
  }
  ASSERT_TRUE(event) << "ended without an error after " << added << " events";
  EXPECT_EQ(event->string_at({"type"}), "ERROR");
  EXPECT_EQ(event->int_at({"object", "code"}), 410);
  EXPECT_LT(added, kObjects);
}

TEST_F(DripTest, AListThatTheHistoryHasMovedPastIsCutOff) {
  HttpClient slow(cache->port());
  slow.shrink_receive_buffer();
  slow.write("GET /api/v1/pods HTTP/1.1\r\nHost: test\r\n\r\n");
  EXPECT_EQ(slow.read_head().status, 200);
  wait_for_state();
  write_all(1);
  catch_up(kNone);
  EXPECT_EQ(cache->statistics().states, 0U);
  while (slow.read_chunk()) {
  }
  EXPECT_TRUE(slow.broken()) << "the list looks whole";
}

TEST_F(DripTest, AListIsSentAsItWasWhenTheHistoryReachesBackToIt) {
  HttpClient slow(cache->port());
  slow.shrink_receive_buffer();
  slow.write("GET /api/v1/pods HTTP/1.1\r\nHost: test\r\n\r\n");
  wait_for_state();
  for (int i = 0; i < 40; ++i) load(pod_json("p" + std::to_string(i)));
  catch_up(kNone);
  const Answer list = slow.read_answer();
  EXPECT_TRUE(list.complete);
  const json::Value document = list.json();
  const json::Array& items = document.array_at({"items"});
  EXPECT_EQ(items.size(), static_cast<std::size_t>(kObjects));
  for (const json::Value& each : items) {
    EXPECT_EQ(each.string_at({"metadata", "labels", "round"}), "0");
  }
}

/// The test controls the server's time.
class TimedListTest : public DripTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = DripTest::cache_options();
    options.runtime.executor =
        std::make_shared<ThreadPool>(ThreadPool::Options{1, "timers", clock_});
    return options;
  }
  const std::shared_ptr<testing::FakeClock> clock_ = std::make_shared<testing::FakeClock>();
};

TEST_F(TimedListTest, AListThatIsNotReceivedInTimeIsCutOff) {
  HttpClient slow(cache->port());
  slow.shrink_receive_buffer();
  slow.write("GET /api/v1/pods HTTP/1.1\r\nHost: test\r\n\r\n");
  EXPECT_EQ(slow.read_head().status, 200);
  // Connections before it may still be closing.
  ASSERT_TRUE(testing::eventually([&] { return cache->statistics().connections == 1; }));
  clock_->advance(CacheServer::Options().list_timeout);
  while (cache->statistics().connections != 0) std::this_thread::yield();
  EXPECT_EQ(cache->statistics().states, 0U);
  while (slow.read_chunk()) {
  }
  EXPECT_TRUE(slow.broken());
}

TEST_F(FaultsTest, ReadersStayEqualWhileTheClusterBreaks) {
  for (int i = 0; i < 20; ++i) load(pod_json("p" + std::to_string(i)));
  serve(pods());
  rest::Config config;
  config.host = cache->url();
  const Client client_of_cache = Client::create(config).value();
  PodInformer typed(client_of_cache.rest());
  AnyInformer any(client_of_cache.rest(), pods());
  ASSERT_TRUE(typed.start() && any.start());
  ASSERT_TRUE(wait_for_cache_sync({}, typed, any));
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 30; ++i) {
      const std::string name = "p" + std::to_string((round * 7 + i) % 25);
      if (i % 5 == 4) {
        HttpClient(cluster->port())
            .send("DELETE", std::string(kPods) + "/" + name + "?gracePeriodSeconds=0");
      } else {
        load(pod_json(name, "\"round\":\"" + std::to_string(round) + "\""));
      }
      if (i == 10 && round % 3 == 0) cluster->drop_connections();
      if (i == 10 && round % 3 == 1) cluster->end_watches();
      if (i == 20 && round % 3 == 2) {
        cluster->drop_connections();
        cluster->compact_all();
      }
    }
    expect_equal(typed);
    expect_equal(any);
  }
}

TEST_F(FaultsTest, AReaderOutlivesTheServerAndGoesOnWithAnother) {
  load(pod_json("a"));
  AnyInformer& source = serve(pods());
  CacheServer::Options again = cache_options();
  again.listen = "127.0.0.1:" + std::to_string(cache->port());
  rest::Config config;
  config.host = cache->url();
  const Client client_of_cache = Client::create(config).value();
  PodInformer reader(client_of_cache.rest());
  ASSERT_TRUE(reader.start());
  ASSERT_TRUE(reader.wait_for_sync({}));
  cache.reset();
  load(pod_json("b"));
  cache = CacheServer::start(again).value();
  ASSERT_TRUE(cache->add(source));
  expect_equal(reader);
}

}  // namespace
}  // namespace kube::cacheserver::test
