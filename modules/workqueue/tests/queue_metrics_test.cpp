// SPDX-License-Identifier: Apache-2.0
#include <kube/workqueue/detail/queue_metrics.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <kube/workqueue/rate_limiting_queue.hpp>

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Records every series by "name{label=value}".
class RecordingProvider final : public metrics::Provider {
 public:
  struct Series final : metrics::CounterImpl, metrics::GaugeImpl, metrics::HistogramImpl {
    void add(double amount) override {
      const std::scoped_lock lock(mutex);
      value += amount;
    }
    void set(double v) override {
      const std::scoped_lock lock(mutex);
      value = v;
      ++sets;
    }
    void observe(double v) override {
      const std::scoped_lock lock(mutex);
      observations.push_back(v);
    }
    std::mutex mutex;
    double value = 0;
    int sets = 0;
    std::vector<double> observations;
  };

  std::shared_ptr<metrics::CounterImpl> counter(std::string_view name,
                                                const metrics::Labels& labels) override {
    return make(name, labels);
  }
  std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view name,
                                            const metrics::Labels& labels) override {
    return make(name, labels);
  }
  std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view name,
                                                    const metrics::Labels& labels) override {
    return make(name, labels);
  }

  std::map<std::string, std::shared_ptr<Series>> series;

 private:
  std::shared_ptr<Series> make(std::string_view name, const metrics::Labels& labels) {
    std::string id(name);
    for (const auto& [key, value] : labels) id += "{" + key + "=" + value + "}";
    auto& one = series[id];
    if (!one) one = std::make_shared<Series>();
    return one;
  }
};

class QueueMetricsTest : public ::testing::Test {
 protected:
  RecordingProvider::Series& series(const std::string& what) {
    const auto found = provider->series.find("workqueue_" + what + "{name=test}");
    if (found == provider->series.end()) throw std::out_of_range("no series workqueue_" + what);
    return *found->second;
  }
  double value(const std::string& what) { return series(what).value; }

  std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  std::shared_ptr<RecordingProvider> provider = std::make_shared<RecordingProvider>();
  RateLimitingQueue<std::string> queue{
      {.name = "test", .runtime = {.executor = executor, .metrics = provider}}};
};

TEST_F(QueueMetricsTest, WQM_01_WQM_02_WQM_03_FollowItemsThroughTheQueue) {
  queue.add("foo");
  EXPECT_EQ(value("adds_total"), 1);
  EXPECT_EQ(value("depth"), 1);

  executor->run_for(50us);
  auto item = queue.try_get();
  EXPECT_EQ(value("depth"), 0);
  EXPECT_THAT(series("queue_duration_seconds").observations, ElementsAre(DoubleNear(50e-6, 1e-9)));

  for (int i = 0; i < 5; ++i) queue.add("foo");
  EXPECT_EQ(value("adds_total"), 2);
  EXPECT_EQ(value("depth"), 1);

  executor->run_for(25us);
  item.reset();
  EXPECT_THAT(series("work_duration_seconds").observations, ElementsAre(DoubleNear(25e-6, 1e-9)));

  item = queue.try_get();
  EXPECT_EQ(value("depth"), 0);
  EXPECT_THAT(series("queue_duration_seconds").observations,
              ElementsAre(DoubleNear(50e-6, 1e-9), DoubleNear(25e-6, 1e-9)));
  const TimePoint taken = executor->clock()->now();

  // The ages are reported every 500 ms.
  executor->run_for(500ms - 75us);
  const double age = std::chrono::duration<double>(executor->clock()->now() - taken).count();
  EXPECT_THAT(value("unfinished_work_seconds"), DoubleNear(age, 1e-9));
  EXPECT_THAT(value("longest_running_processor_seconds"), DoubleNear(age, 1e-9));

  item.reset();
  EXPECT_THAT(series("work_duration_seconds").observations,
              ElementsAre(DoubleNear(25e-6, 1e-9), DoubleNear(age, 1e-9)));
  executor->run_for(500ms);
  EXPECT_EQ(value("unfinished_work_seconds"), 0);
  EXPECT_EQ(value("longest_running_processor_seconds"), 0);
}

TEST_F(QueueMetricsTest, AgesAreSummedAndTheLongestIsTheOldest) {
  queue.add("one");
  queue.add("two");
  queue.add("three");
  auto one = queue.try_get();
  executor->run_for(100ms);
  auto two = queue.try_get();
  executor->run_for(100ms);
  const auto three = queue.try_get();
  two.reset();
  executor->run_for(300ms);
  EXPECT_THAT(value("unfinished_work_seconds"), DoubleNear(0.5 + 0.3, 1e-9));
  EXPECT_THAT(value("longest_running_processor_seconds"), DoubleNear(0.5, 1e-9));
  one.reset();
  executor->run_for(500ms);
  EXPECT_THAT(value("longest_running_processor_seconds"), DoubleNear(0.8, 1e-9));
}

TEST_F(QueueMetricsTest, WQM_04_AgesAreNotReportedAfterShutdown) {
  queue.add("foo");
  const auto item = queue.try_get();
  queue.shut_down();
  executor->run_for(5s);
  EXPECT_EQ(series("unfinished_work_seconds").sets, 0);
  EXPECT_FALSE(executor->step()) << "no timer is left";
}

TEST_F(QueueMetricsTest, EveryDelayedAddCountsAsARetry) {
  queue.add_rate_limited("foo");
  queue.add_after("foo", 1s);
  queue.add_after("foo", 0s);
  EXPECT_EQ(value("retries_total"), 3);
  EXPECT_EQ(value("adds_total"), 1);
  queue.shut_down();
  queue.add_after("foo", 1s);
  EXPECT_EQ(value("retries_total"), 3);
}

TEST_F(QueueMetricsTest, ItemThatOutlivesTheQueueIsStillObserved) {
  std::optional<WorkItem<int>> item;
  {
    WorkQueue<int> short_lived(
        {.name = "short", .runtime = {.executor = executor, .metrics = provider}});
    short_lived.add(1);
    item = short_lived.try_get();
  }
  executor->run_for(1s);
  item.reset();
  EXPECT_THAT(provider->series["workqueue_work_duration_seconds{name=short}"]->observations,
              ElementsAre(DoubleNear(1.0, 1e-9)));
}

TEST(QueueMetrics, WQM_05_QueueWithoutANameHasNone) {
  auto executor = std::make_shared<SeededExecutor>(1);
  const auto provider = std::make_shared<RecordingProvider>();
  WorkQueue<int> queue({.runtime = {.executor = executor, .metrics = provider}});
  queue.add(1);
  EXPECT_THAT(provider->series, IsEmpty());
  EXPECT_FALSE(executor->step());
}

TEST(QueueMetrics, DepthEndsRightWhateverTheThreadsDo) {
  const auto provider = std::make_shared<RecordingProvider>();
  WorkQueue<int> queue({.name = "test", .runtime = {.metrics = provider}});
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 500; ++i) {
          queue.add(t * 1000 + i);
          if (i % 4 != 0) queue.try_get()->done();
        }
      });
    }
  }
  EXPECT_EQ(provider->series["workqueue_depth{name=test}"]->value, 4 * 125);
  EXPECT_EQ(queue.len(), 500U);
}

}  // namespace
}  // namespace kube
