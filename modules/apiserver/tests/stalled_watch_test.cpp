// SPDX-License-Identifier: Apache-2.0
//
// Watchers that do not read, and the cost of big events that all of them receive.
#include <memory>
#include <vector>

#include <kube/testing/eventually.hpp>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using testing::eventually;
using ::testing::HasSubstr;

class StalledWatch : public ServerTest {
 protected:
  std::string path() const {
    return std::string(kConfigMaps) + "?watch=true&resourceVersion=" + revision();
  }
  static std::string data(std::size_t size) {
    return R"({"k":")" + std::string(size, 'x') + R"("})";
  }
};

TEST_F(StalledWatch, ManyThatStallShareTheBytesOfEvents) {
  constexpr std::size_t kCount = 200;
  constexpr std::size_t kEvents = 30;
  constexpr std::size_t kSize = 200'000;
  const std::string from_here = path();
  std::vector<std::unique_ptr<WatchClient>> watches;
  for (std::size_t i = 0; i < kCount; ++i) {
    watches.push_back(std::make_unique<WatchClient>(port(), from_here, Headers{}, true));
    ASSERT_EQ(watches.back()->head().status, 200);
  }
  std::size_t most = 0;
  for (std::size_t i = 0; i < kEvents; ++i) {
    make_config_map("n" + std::to_string(i), data(kSize));
    most = std::max(most, server().statistics().watch_bytes);
  }
  EXPECT_EQ(server().statistics().watchers, kCount);
  // Each has an event that it has not accepted, and the server keeps one copy.
  EXPECT_LT(server().statistics().events_sent, kCount * kEvents);
  EXPECT_GT(most, kSize);
  EXPECT_LT(most, (kEvents + 1) * (kSize + 1000));
  // No event is lost.
  for (std::size_t i = 0; i < kEvents; ++i) {
    EXPECT_EQ(watches.front()->next_text(), "ADDED n" + std::to_string(i));
  }
  watches.clear();
  EXPECT_TRUE(eventually([&] { return server().statistics().watch_bytes == 0; }));
}

TEST_F(StalledWatch, BigEventsAreThoseOfSmallOnes) {
  WatchClient one(port(), path());
  WatchClient other(port(), path());
  WatchClient selected(port(), path() + "&labelSelector=app");
  WatchClient metadata(
      port(), path(), {{"Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}});
  WatchClient table(port(), path(), {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  const std::string item = std::string(kConfigMaps) + "/a";
  const Answer made = make_config_map("a", data(10'000), "t", R"("labels":{"app":"x"})");
  const Answer changed = merge(item, R"({"metadata":{"labels":{"app":null}}})");
  remove(item);
  const auto check = [&](std::string_view type, const json::Value& object) {
    for (WatchClient* watch : {&one, &other}) {
      const auto event = watch->next();
      EXPECT_EQ(text_at_path(*event, {"type"}), type);
      EXPECT_EQ(*event->at_path({"object"}), object);
    }
    const auto part = metadata.next();
    EXPECT_EQ(text_at_path(*part, {"type"}), type);
    EXPECT_EQ(text_at_path(*part, {"object", "kind"}), "PartialObjectMetadata");
    EXPECT_EQ(*part->at_path({"object", "metadata"}), *object.at_path({"metadata"}));
    EXPECT_EQ(text_at_path(*table.next(), {"object", "kind"}), "Table");
  };
  check("ADDED", made.json());
  check("MODIFIED", changed.json());
  check("DELETED", with(changed.json(), {"metadata", "resourceVersion"}, revision()));
  EXPECT_EQ(*selected.next()->at_path({"object"}), made.json());
  const auto left = selected.next();
  EXPECT_EQ(text_at_path(*left, {"type"}), "DELETED");
  EXPECT_EQ(*left->at_path({"object"}), with(made.json(), {"metadata", "resourceVersion"},
                                             changed.at({"metadata", "resourceVersion"})));
}

TEST_F(StalledWatch, BigEventsAreShownInTheVersionThatIsWatched) {
  const std::string v2 = "/apis/autoscaling/v2/namespaces/t/horizontalpodautoscalers";
  const std::string v1 = "/apis/autoscaling/v1/namespaces/t/horizontalpodautoscalers";
  const std::string query = "?watch=true&resourceVersion=" + revision();
  WatchClient newer(port(), v2 + query);
  WatchClient older(port(), v1 + query);
  const std::string body =
      R"({"metadata":{"name":"a","annotations":{"k":")" + std::string(5'000, 'x') +
      R"("}},"spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"D","name":"d"}}})";
  ASSERT_EQ(post(v2, body).status, 201);
  EXPECT_EQ(text_at_path(*newer.next(), {"object", "apiVersion"}), "autoscaling/v2");
  EXPECT_EQ(text_at_path(*older.next(), {"object", "apiVersion"}), "autoscaling/v1");
}

TEST_F(StalledWatch, InitialEventsAreSharedToo) {
  for (const char* const name : {"a", "b", "c"}) make_config_map(name, data(1'000'000));
  std::vector<std::unique_ptr<WatchClient>> watches;
  for (int i = 0; i < 50; ++i) {
    watches.push_back(std::make_unique<WatchClient>(
        port(), std::string(kConfigMaps) + "?watch=true", Headers{}, true));
  }
  EXPECT_LT(server().statistics().watch_bytes, 3'100'000U);
  for (const auto& watch : watches) {
    for (const char* const name : {"ADDED a", "ADDED b", "ADDED c"}) {
      EXPECT_EQ(watch->next_text(), name);
    }
  }
}

class ImpatientWriter : public StalledWatch {
 protected:
  void SetUp() override {}

  // Returns what the three watchers see at last, when the server waits so long for one to take
  // something.
  std::vector<std::string> last_words(std::chrono::milliseconds write_timeout) {
    auto options = ServerTest::options();
    options.write_timeout = write_timeout;
    start(options);
    WatchClient reads(port(), path());
    WatchClient waits(port(), path() + "&fieldSelector=metadata.name%3Dlast");
    WatchClient stalled(port(), path(), {}, true);
    for (int i = 0; i < 40; ++i) {
      make_config_map("n" + std::to_string(i), data(200'000));
      if (reads.next_text() != "ADDED n" + std::to_string(i)) return {};
    }
    EXPECT_TRUE(eventually([&] { return server().statistics().watchers <= 2; }));
    // The rest of the events is lost, and the client sees a broken connection.
    std::string last;
    while ((last = stalled.next_text()).starts_with("ADDED")) {
    }
    make_config_map("last");
    return {reads.next_text(), waits.next_text(), last};
  }
};

TEST_F(ImpatientWriter, AWatcherThatTakesNothingIsCutButNotOneThatHasNothingToTake) {
  const std::vector<std::string> expected{"ADDED last", "ADDED last", "BROKEN"};
  std::vector<std::string> last;
  // On a busy machine one that reads may be as late.
  for (auto limit = std::chrono::milliseconds(200); last != expected && limit < kPatience;
       limit *= 4) {
    last = last_words(limit);
  }
  EXPECT_EQ(last, expected);
}

}  // namespace
}  // namespace kube::apiserver::test
