// SPDX-License-Identifier: Apache-2.0
#include <kube/fake/settle.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/client/api.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/matchers.hpp>

namespace kube::fake {
namespace {

using namespace std::chrono_literals;
using core::v1::ConfigMap;
using kube::testing::eventually;
using kube::testing::FailsWith;
using kube::testing::HasCode;
using kube::testing::IsOk;

/// Counts each ConfigMap up to a number, one write at a time: each write is the event that causes
/// the next one.
class CountingController {
 public:
  CountingController(const Client& client, int to, InformerOptions options = {})
      : maps_(client.rest(), std::move(options)),
        controller_(client.runtime(),
                    [this, to, api = client](const ReconcileRequest& request,
                                             std::stop_token) -> Result<ReconcileResult> {
                      if (before_each) {
                        if (auto allowed = before_each(); !allowed) return allowed.error();
                      }
                      const auto map = maps_.lister().get(request.key);
                      if (!map) return ReconcileResult::done();
                      const Cached<ConfigMap> found = *map;
                      ConfigMap next = *found;
                      const int count = next.data.empty() ? 0 : std::stoi(next.data.at("count"));
                      if (count >= to) return ReconcileResult::requeue_after(1h);
                      next.data["count"] = std::to_string(count + 1);
                      auto written = api.api<ConfigMap>(request.key.namespace_).update(next);
                      if (!written && !is_conflict(written.error())) return written.error();
                      if (written && after_each) after_each(request, *written);
                      return ReconcileResult::done();
                    }) {}
  ~CountingController() { stop(); }
  void stop() { controller_.stop_and_wait(); }
  void start() {
    ASSERT_THAT(controller_.watch(maps_), IsOk());
    ASSERT_THAT(controller_.start(), IsOk());
    ASSERT_THAT(maps_.start(), IsOk());
  }
  const Controller& controller() const { return controller_; }
  SharedInformer<ConfigMap>& informer() { return maps_; }

  std::function<Result<void>()> before_each{};
  std::function<void(const ReconcileRequest&, const ConfigMap&)> after_each{};

 private:
  SharedInformer<ConfigMap> maps_;
  Controller controller_;
};

class SettleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started = FakeClient::start();
    ASSERT_THAT(started, IsOk());
    fake = *std::move(started);
  }
  void create(const std::string& name, const std::string& label = "a") {
    ConfigMap map;
    map.metadata.namespace_ = "default";
    map.metadata.name = name;
    map.metadata.labels = {{"app", label}};
    ASSERT_THAT(fake->client().api<ConfigMap>("default").create(map), IsOk());
  }
  std::string count(const std::string& name) {
    const auto map = fake->client().api<ConfigMap>("default").get(name);
    if (!map) return map.error().reason();
    return map->data.empty() ? "" : map->data.at("count");
  }
  Result<void> settle(const Controller& controller) {
    return fake::settle(fake->server(), controller);
  }
  /// Whether a call without time comes to fail with a Timeout that says this.
  ::testing::AssertionResult is_late_as(const Controller& controller, std::string_view why) {
    Result<void> look;
    const bool found = eventually([&] {
      look = fake::settle(fake->server(), controller, {.timeout = 0s});
      return !look && look.error().code() == ErrorCode::Timeout &&
             look.error().message().find(why) != std::string::npos;
    });
    if (found) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << (look ? "it is at rest" : look.error().to_string());
  }

  std::unique_ptr<FakeClient> fake;
};

TEST_F(SettleTest, WaitsForAllThatFollowsFromAWrite) {
  CountingController counting(fake->client(), 20);
  counting.start();
  for (int round = 0; round < 5; ++round) {
    const std::string name = "map-" + std::to_string(round);
    create(name);
    ASSERT_THAT(settle(counting.controller()), IsOk());
    EXPECT_EQ(count(name), "20");
  }
}

// The server has the write, and so has the informer that the controller watches: of what is at rest
// only the other informer, which no controller watches, is late.
TEST_F(SettleTest, WaitsForAKeyThatIsHeldUntilItsWritesArrive) {
  CountingController counting(fake->client(), 3);
  SharedInformer<ConfigMap> late(fake->client().rest());
  counting.after_each = [&](const ReconcileRequest& request, const ConfigMap& written) {
    request.written(late, written);
  };
  counting.start();
  create("a");
  EXPECT_TRUE(is_late_as(counting.controller(), "1 whose writes no cache has yet"));
  EXPECT_EQ(count("a"), "1");
  ASSERT_THAT(late.start(), IsOk());
  ASSERT_THAT(settle(counting.controller()), IsOk());
  EXPECT_EQ(count("a"), "3");
  counting.stop();
}

TEST_F(SettleTest, AnObjectThatTheInformerDoesNotSelectIsNotWaitedFor) {
  CountingController counting(fake->client(), 3, {.label_selector = "app=b"});
  counting.start();
  create("a", "a");
  create("b", "b");
  ASSERT_THAT(settle(counting.controller()), IsOk());
  EXPECT_EQ(count("a"), "");
  EXPECT_EQ(count("b"), "3");
}

TEST_F(SettleTest, WaitsForTheRetryOfAKeyThatFailed) {
  std::atomic<int> left = 4;
  CountingController counting(fake->client(), 1);
  counting.before_each = [&]() -> Result<void> {
    if (left.fetch_sub(1) > 0) return Error(ErrorCode::Internal, "not yet");
    return {};
  };
  counting.start();
  create("a");
  ASSERT_THAT(settle(counting.controller()), IsOk());
  EXPECT_EQ(count("a"), "1");
  EXPECT_EQ(counting.controller().status().failed, 4U);
}

TEST_F(SettleTest, WaitsForAllControllersAtOneMoment) {
  CountingController up_to_5(fake->client(), 5);
  CountingController up_to_9(fake->client(), 9);
  up_to_5.start();
  up_to_9.start();
  create("a");
  ASSERT_THAT(fake::settle(fake->server(), {&up_to_5.controller(), &up_to_9.controller()}), IsOk());
  EXPECT_EQ(count("a"), "9");
}

TEST_F(SettleTest, ATimeoutSaysWhatIsNotAtRest) {
  CountingController failing(fake->client(), 1);
  failing.before_each = []() -> Result<void> { return Error(ErrorCode::Internal, "never"); };
  failing.start();
  create("a");
  EXPECT_TRUE(is_late_as(failing.controller(), "1 that failed and wait for their retry"));

  CountingController not_started(fake->client(), 1);
  EXPECT_TRUE(is_late_as(not_started.controller(), "the controller is NotStarted"));
}

TEST_F(SettleTest, AnInformerThatDoesNotFollowTheServerIsNamed) {
  FakeWatch silent;
  fake->prepend_watch_reactor(
      "configmaps", [silent](const Action&) -> WatchReaction { return Result<FakeWatch>(silent); });
  CountingController counting(fake->client(), 1, {.watch_list = false});
  counting.start();
  ASSERT_TRUE(counting.informer().wait_for_sync({}));
  create("a");
  EXPECT_TRUE(is_late_as(counting.controller(), "informer configmaps is at version"));
  counting.informer().stop_and_wait();
  EXPECT_TRUE(is_late_as(counting.controller(), "Stopped"));
}

TEST_F(SettleTest, AHandlerThatBlocksIsWaitedFor) {
  std::atomic<bool> goes_on = false;
  CountingController counting(fake->client(), 1);
  counting.before_each = [&]() -> Result<void> {
    goes_on.wait(false);
    return {};
  };
  counting.start();
  create("a");
  EXPECT_TRUE(is_late_as(counting.controller(), "1 in work"));
  goes_on = true;
  goes_on.notify_all();
  ASSERT_THAT(settle(counting.controller()), IsOk());
  EXPECT_EQ(count("a"), "1");
}

TEST_F(SettleTest, AStopEndsIt) {
  CountingController never(fake->client(), 1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(fake::settle(fake->server(), never.controller(), {}, stop.get_token()),
              FailsWith(HasCode(ErrorCode::Cancelled)));
}

}  // namespace
}  // namespace kube::fake
