// SPDX-License-Identifier: Apache-2.0
#include <kube/fake/fake_watch.hpp>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/status.hpp>
#include <kube/testing/eventually.hpp>

namespace kube::fake {
namespace {

using core::v1::ConfigMap;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FakeWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fake->prepend_watch_reactor("configmaps", [watch = watch](const Action&) -> WatchReaction {
      return Result<FakeWatch>(watch);
    });
  }
  static ConfigMap config_map(const std::string& name, const std::string& version) {
    ConfigMap object;
    object.metadata.name = name;
    object.metadata.namespace_ = "web";
    object.metadata.resource_version = version;
    return object;
  }
  static std::string next(WatchStream<ConfigMap>& stream) {
    auto event = stream.next();
    if (!event) return "end";
    if (!*event) return event->error().to_string();
    if ((*event)->type == WatchEventType::Error) return (*event)->error->reason();
    return std::string(to_string((*event)->type)) + " " + (*event)->object.metadata.name;
  }

  FakeWatch watch;
  std::unique_ptr<FakeClient> fake = FakeClient::start().value();
  Api<ConfigMap> maps = fake->client().api<ConfigMap>("web");
};

TEST_F(FakeWatchTest, TheReaderGetsWhatIsPushed) {
  auto stream = maps.watch();
  ASSERT_TRUE(stream) << stream.error().to_string();
  EXPECT_TRUE(watch.is_open());
  EXPECT_EQ(fake->actions().back().verb, "watch");
  watch.add(config_map("a", "1"));
  watch.modify(config_map("a", "2"));
  watch.remove(config_map("a", "3"));
  watch.fail(meta::resource_expired_error("too old"));
  for (const char* expected : {"ADDED a", "MODIFIED a", "DELETED a", "Expired"})
    EXPECT_EQ(next(*stream), expected);
}

TEST_F(FakeWatchTest, EventsWaitForTheNextReader) {
  watch.add(config_map("a", "1"));
  watch.stop();
  watch.add(config_map("b", "2"));
  EXPECT_FALSE(watch.is_open());
  auto first = maps.watch();
  ASSERT_TRUE(first);
  EXPECT_EQ(next(*first), "ADDED a");
  EXPECT_EQ(next(*first), "end");
  EXPECT_FALSE(watch.is_open());
  {
    auto second = maps.watch();
    ASSERT_TRUE(second);
    EXPECT_EQ(next(*second), "ADDED b");
    // It is read already.
    const auto third = maps.watch();
    ASSERT_FALSE(third);
    EXPECT_THAT(third.error().to_string(), HasSubstr("read by another request"));
  }
  EXPECT_TRUE(testing::eventually([&] { return !watch.is_open(); })) << "its reader has gone";
  EXPECT_TRUE(maps.watch());
}

TEST_F(FakeWatchTest, AReactorMayRefuseAWatchOrLeaveItToTheServer) {
  fake->prepend_watch_reactor("configmaps", [](const Action& action) -> WatchReaction {
    if (action.namespace_ != "db") return std::nullopt;
    return Result<FakeWatch>(meta::internal_error("no watch today"));
  });
  const auto refused = fake->client().api<ConfigMap>("db").watch();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(is_internal_error(refused.error()));
  EXPECT_TRUE(maps.watch()) << "by the reactor before it";
  EXPECT_TRUE(
      fake->client().api(meta::ResourceInfo{"", "v1", "Node", "nodes", "node", false}).watch());
}

// [push]
TEST_F(FakeWatchTest, AnInformerFollowsIt) {
  // It lists: the watch would have to bring what the server has.
  SharedInformer<ConfigMap> informer(fake->client().rest(),
                                     {.namespace_ = "web", .watch_list = false});
  ASSERT_TRUE(informer.start());
  ASSERT_TRUE(informer.wait_for_sync({}));  // the server has no ConfigMap
  watch.add(config_map("a", "1000"));
  watch.add(config_map("b", "1001"));
  watch.remove(config_map("a", "1002"));
  EXPECT_TRUE(testing::eventually([&] {
    const auto list = informer.lister().list();
    return list.size() == 1 && informer.last_sync_resource_version() == "1002";
  }));
}
// [push]

TEST_F(FakeWatchTest, ManyThreadsPush) {
  auto stream = maps.watch();
  ASSERT_TRUE(stream);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      for (int k = 0; k < 100; ++k) watch.add(config_map("m" + std::to_string(i), "1"));
    });
  }
  for (int i = 0; i < 400; ++i) ASSERT_THAT(next(*stream), ::testing::StartsWith("ADDED m"));
}

TEST(FakeWatchEnds, WithItsClient) {
  const FakeWatch watch;
  auto fake = FakeClient::start().value();
  fake->prepend_watch_reactor(
      "configmaps", [watch](const Action&) -> WatchReaction { return Result<FakeWatch>(watch); });
  const auto maps = fake->client().api<ConfigMap>("web");
  auto stream = maps.watch();
  ASSERT_TRUE(stream);
  fake.reset();
  EXPECT_FALSE(watch.is_open());
  const auto event = stream->next();
  EXPECT_TRUE(!event || !*event);
}

}  // namespace
}  // namespace kube::fake
