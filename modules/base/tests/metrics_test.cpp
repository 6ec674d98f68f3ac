// SPDX-License-Identifier: Apache-2.0
#include <kube/base/metrics.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace kube::metrics {
namespace {

using ::testing::ElementsAre;

class Recorder final : public Provider, public std::enable_shared_from_this<Recorder> {
 public:
  std::shared_ptr<CounterImpl> counter(std::string_view name, const Labels& labels) override {
    return make(name, labels);
  }
  std::shared_ptr<GaugeImpl> gauge(std::string_view name, const Labels& labels) override {
    return make(name, labels);
  }
  std::shared_ptr<HistogramImpl> histogram(std::string_view name, const Labels& labels) override {
    return make(name, labels);
  }
  std::vector<std::string> seen;

 private:
  struct Series final : CounterImpl, GaugeImpl, HistogramImpl {
    void add(double amount) override { note("add", amount); }
    void set(double value) override { note("set", value); }
    void observe(double value) override { note("observe", value); }
    void note(const std::string& what, double value) {
      owner->seen.push_back(name + " " + what + " " + std::to_string(static_cast<int>(value)));
    }
    std::shared_ptr<Recorder> owner;
    std::string name;
  };
  std::shared_ptr<Series> make(std::string_view name, const Labels& labels) {
    auto series = std::make_shared<Series>();
    series->owner = shared_from_this();
    series->name = std::string(name);
    for (const auto& [key, value] : labels) series->name += "{" + key + "=" + value + "}";
    return series;
  }
};

TEST(Metrics, EmptyHandlesDoNothing) {
  const std::shared_ptr<Provider> none;
  Counter().add();
  Counter(none, "c", {}).add();
  Gauge(none, "g", {}).set(1);
  Histogram histogram(none, "h", {});
  histogram.observe(1);
  EXPECT_FALSE(histogram);
}

TEST(Metrics, HandlesReachTheProvider) {
  const auto recorder = std::make_shared<Recorder>();
  const std::shared_ptr<Provider> provider = recorder;
  const Counter counter(provider, "c", {{"name", "x"}});
  counter.add();
  counter.add(2);
  Gauge(provider, "g", {}).set(3);
  const Histogram histogram(provider, "h", {});
  EXPECT_TRUE(histogram);
  histogram.observe(4);
  EXPECT_THAT(recorder->seen,
              ElementsAre("c{name=x} add 1", "c{name=x} add 2", "g set 3", "h observe 4"));
}

TEST(Metrics, WhatAProviderThrowsIsDropped) {
  struct Throwing final : Provider, CounterImpl, GaugeImpl, HistogramImpl {
    std::shared_ptr<CounterImpl> counter(std::string_view, const Labels&) override {
      return std::shared_ptr<CounterImpl>(std::shared_ptr<void>(), may_make());
    }
    std::shared_ptr<GaugeImpl> gauge(std::string_view, const Labels&) override {
      return std::shared_ptr<GaugeImpl>(std::shared_ptr<void>(), may_make());
    }
    std::shared_ptr<HistogramImpl> histogram(std::string_view, const Labels&) override {
      return std::shared_ptr<HistogramImpl>(std::shared_ptr<void>(), may_make());
    }
    void add(double) override { fail(); }
    void set(double) override { fail(); }
    void observe(double) override { fail(); }
    Throwing* may_make() {
      if (!makes) throw std::runtime_error("no such series");
      return this;
    }
    void fail() {
      ++calls;
      throw 7;
    }
    bool makes = false;
    int calls = 0;
  };
  const auto provider = std::make_shared<Throwing>();
  Counter(provider, "c", {}).add();
  EXPECT_FALSE(Gauge(provider, "g", {}));
  EXPECT_FALSE(Histogram(provider, "h", {}));
  provider->makes = true;
  Counter(provider, "c", {}).add();
  Gauge(provider, "g", {}).set(1);
  Histogram(provider, "h", {}).observe(1);
  LatestGauge latest(provider, "l", {});
  for (int i = 0; i < 2; ++i) {
    latest.note(i);
    latest.publish();
  }
  EXPECT_EQ(provider->calls, 5) << "a throw does not keep the next value away";
}

// A change during the call stands for one by another thread: its own call of the gauge comes back
// at once, and the first one sets the value that was noted last.
TEST(Metrics, ALatestGaugeIsLeftWithTheValueThatWasNotedLast) {
  struct Nested final : Provider, GaugeImpl {
    std::shared_ptr<CounterImpl> counter(std::string_view, const Labels&) override {
      return nullptr;
    }
    std::shared_ptr<GaugeImpl> gauge(std::string_view, const Labels&) override {
      return {std::shared_ptr<void>(), this};
    }
    std::shared_ptr<HistogramImpl> histogram(std::string_view, const Labels&) override {
      return nullptr;
    }
    void set(double value) override {
      seen.push_back(value);
      if (value != 1) return;
      for (const double next : {2, 3}) {
        gauge_of_many->note(next);
        gauge_of_many->publish();
      }
    }
    LatestGauge* gauge_of_many = nullptr;
    std::vector<double> seen;
  };
  const auto provider = std::make_shared<Nested>();
  LatestGauge gauge(provider, "g", {});
  provider->gauge_of_many = &gauge;
  gauge.note(1);
  gauge.publish();
  EXPECT_THAT(provider->seen, ElementsAre(1, 3));
  LatestGauge(nullptr, "g", {}).publish();
}

}  // namespace
}  // namespace kube::metrics
