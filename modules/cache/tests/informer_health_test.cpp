// SPDX-License-Identifier: Apache-2.0
//
// Proof of life: staleness, health checks, the progress of a long sync.
#include <kube/cache/informer_health.hpp>

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoded_stream.hpp"
#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::list_text;
using testing::object_text;
using testing::pods;
using testing::ScriptedCall;

class HealthTest : public testing::InformerFixture {
 protected:
  std::string problem(const HealthOptions& options = {}) {
    const Result<void> healthy = check_health(*informer, options);
    return healthy ? "" : healthy.error().to_string();
  }
  static std::string page(const std::vector<std::string>& items, std::string_view more) {
    std::string text = list_text(items, "10");
    const std::string at = R"("resourceVersion":"10")";
    return text.replace(text.rfind(at), at.size(), at + std::string(more));
  }
};

TEST_F(HealthTest, AnInformerThatHearsOfItsServerIsHealthy) {
  make();
  EXPECT_EQ(problem(), "pods: not started");
  ScriptedCall watch = start();
  watch.head();
  run();
  for (int minute = 0; minute < 4; ++minute) {
    watch.data(testing::bookmark_text(std::to_string(20 + minute)));
    run_for(1min);
    EXPECT_EQ(problem(), "");
  }
  informer->stop();
  EXPECT_EQ(problem(), "pods: stopped");
}

TEST_F(HealthTest, AStaleOneIsNotAndSaysWhy) {
  start();
  transport->set_down(true);
  run_for(3min);
  EXPECT_EQ(problem(), "");
  run_for(10s);
  EXPECT_THAT(problem(),
              HasSubstr("pods: the server was not heard of for 190 s, expected at most 180 s; "
                        "last error: "));
  EXPECT_EQ(check_health(*informer).error().code(), ErrorCode::Unreachable);
  EXPECT_EQ(problem({.max_staleness = 4min}), "");
}

TEST(ProofOfLife, BytesThatWaitForTheInformerAreNone) {
  const TimePoint start{1h};
  ProofOfLife life;
  EXPECT_EQ(life.in_cache(), TimePoint::min());
  life.seen(start);
  EXPECT_EQ(life.in_cache(), start) << "a head, or bytes without an object";
  life.arrived(start);
  life.seen(start + 1min);
  life.arrived(start + 1min);
  life.seen(start + 4min);
  EXPECT_EQ(life.in_cache(), start);
  EXPECT_EQ(life.last(), start + 4min);
  life.processed(start);
  EXPECT_EQ(life.in_cache(), start);
  life.processed(start + 1min);
  EXPECT_EQ(life.in_cache(), start + 4min);
}

TEST_F(HealthTest, OneThatNeverHeardOfItsServerIsStaleSinceItsStart) {
  make();
  run_for(1h);
  EXPECT_FALSE(informer->status().since_proof_of_life);
  transport->set_down(true);
  ASSERT_TRUE(informer->start());
  run_for(100s);
  EXPECT_EQ(informer->status().since_proof_of_life, Duration(100s));
  EXPECT_EQ(problem(), "");
  run_for(100s);
  EXPECT_THAT(problem(), HasSubstr("200 s"));
}

TEST_F(HealthTest, ALongSyncShowsItsProgress) {
  make({.page_size = 2});
  ASSERT_TRUE(informer->start());
  run();
  EXPECT_EQ(problem({.synced = true}), "pods: not synced: 0 objects received");
  next_list().respond(200, page({object_text("x/a", "5"), object_text("x/b", "6")},
                                R"(,"continue":"t1","remainingItemCount":3)"));
  run();
  InformerStatus status = informer->status();
  EXPECT_EQ(status.received, 2U);
  EXPECT_EQ(status.expected, 5U);
  EXPECT_EQ(status.objects, 0U);
  EXPECT_EQ(problem(), "") << "alive";
  EXPECT_EQ(problem({.synced = true}), "pods: not synced: 2 objects received, expected 5");
  next_list().respond(200, page({object_text("x/c", "5"), object_text("x/d", "6")},
                                R"(,"continue":"t2","remainingItemCount":1)"));
  run();
  EXPECT_EQ(informer->status().received, 4U);
  EXPECT_EQ(informer->status().expected, 5U);
  next_list().respond(200, page({object_text("x/e", "5")}, ""));
  run();
  status = informer->status();
  EXPECT_EQ(status.received, 0U);
  EXPECT_EQ(status.expected, std::nullopt);
  EXPECT_EQ(status.objects, 5U);
  EXPECT_EQ(problem({.synced = true}), "");
}

TEST_F(HealthTest, AStreamedInitialStateShowsItsProgressWithoutAnEnd) {
  streams = true;
  make();
  ASSERT_TRUE(informer->start());
  ScriptedCall watch = next_watch();
  watch.data(added("x/a", "5") + added("x/b", "6"));
  run();
  EXPECT_EQ(informer->status().received, 2U);
  EXPECT_EQ(informer->status().expected, std::nullopt);
  watch.data(testing::bookmark_text("10", "true"));
  run();
  EXPECT_EQ(informer->status().received, 0U);
  EXPECT_EQ(informer->status().objects, 2U);
}

// A list without pages does not say how long it is.
TEST_F(HealthTest, AListThatFailsHasNoProgress) {
  make({.page_size = 2});
  ASSERT_TRUE(informer->start());
  next_list().respond(
      200, page({object_text("x/a", "5"), object_text("x/b", "6")}, R"(,"continue":"t1")"));
  run();
  EXPECT_EQ(informer->status().received, 2U);
  EXPECT_EQ(informer->status().expected, std::nullopt);
  ScriptedCall call = next_list();
  testing::respond_status(call, 500, "InternalError", "no");
  run();
  EXPECT_EQ(informer->status().received, 0U);
}

TEST_F(HealthTest, StalenessAndProgressAreMetrics) {
  struct Values final : metrics::Provider {
    struct Set final : metrics::GaugeImpl {
      explicit Set(double& to) : value(to) {}
      void set(double to) override { value = to; }
      double& value;
    };
    std::shared_ptr<metrics::CounterImpl> counter(std::string_view,
                                                  const metrics::Labels&) override {
      return nullptr;
    }
    std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view name,
                                              const metrics::Labels&) override {
      return std::make_shared<Set>(values[std::string(name)]);
    }
    std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view,
                                                      const metrics::Labels&) override {
      return nullptr;
    }
    std::map<std::string, double> values;
  };
  const auto values = std::make_shared<Values>();
  runtime.metrics = values;
  make({.page_size = 2});
  ASSERT_TRUE(informer->start());
  next_list().respond(200, page({object_text("x/a", "5"), object_text("x/b", "6")},
                                R"(,"continue":"t1","remainingItemCount":3)"));
  run_for(3s);
  EXPECT_EQ(values->values["informer_list_received_objects"], 2);
  EXPECT_EQ(values->values["informer_list_expected_objects"], 5);
  EXPECT_EQ(values->values["informer_staleness_seconds"], 3);
  informer->stop_and_wait();
  run();
  values->values.clear();
  run_for(1min);
  EXPECT_TRUE(values->values.empty()) << "no timer after the stop";
}

TEST_F(HealthTest, AFactoryNamesAllThatAreNotHealthy) {
  SharedInformerFactory factory(client());
  EXPECT_TRUE(check_health(factory));
  const auto one = factory.for_resource(pods());
  const auto two = factory.for_resource(pods(), {.namespace_ = "web"});
  EXPECT_EQ(check_health(factory).error().to_string(),
            "pods: not started; pods in web: not started");
  factory.start();
  run();
  EXPECT_TRUE(check_health(factory));
  EXPECT_FALSE(check_health(factory, {.synced = true}));
  EXPECT_EQ(factory.status().size(), 2U);
  EXPECT_EQ(factory.status()[1].first, "pods in web");
  one->stop();
  EXPECT_TRUE(check_health(factory)) << "stopped alone";
  factory.shutdown();
  EXPECT_EQ(check_health(factory).error().to_string(), "pods: stopped; pods in web: stopped");
}

}  // namespace
}  // namespace kube::cache
