// SPDX-License-Identifier: Apache-2.0
//
// No lock is held while metrics providers and executors, which are user code, are called.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/shared_informer_factory.hpp>
#include <kube/testing/eventually.hpp>

#include "informer_fixture.hpp"
#include "listener.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::list_text;
using testing::object_text;
using testing::pods;
using testing::Recorder;
using testing::ScriptedCall;

/// What user code may do: a call from another thread, for which it waits. Behind a lock that its
/// caller holds, the call would not come back; it is given up then and fails the test.
class Probe {
 public:
  void run() {
    if (!call || inside_.exchange(true)) return;
    ++runs;
    calls_.push_back(std::async(std::launch::async, call));
    if (calls_.back().wait_for(kube::testing::kPatience) != std::future_status::ready) {
      ADD_FAILURE() << "a lock was held while user code was called";
      call = nullptr;
    }
    inside_ = false;
  }
  std::function<void()> call;
  int runs = 0;

 private:
  std::atomic<bool> inside_{false};
  std::vector<std::future<void>> calls_;
};

class ProbingProvider final : public metrics::Provider {
 public:
  explicit ProbingProvider(Probe& probe) : probe_(probe) {}
  std::shared_ptr<metrics::CounterImpl> counter(std::string_view, const metrics::Labels&) override {
    return make();
  }
  std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view, const metrics::Labels&) override {
    return make();
  }
  std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view,
                                                    const metrics::Labels&) override {
    return make();
  }

 private:
  struct Series final : metrics::CounterImpl, metrics::GaugeImpl, metrics::HistogramImpl {
    explicit Series(Probe& to) : probe(to) {}
    void add(double) override { probe.run(); }
    void set(double) override { probe.run(); }
    void observe(double) override { probe.run(); }
    Probe& probe;
  };
  std::shared_ptr<Series> make() {
    probe_.run();
    return std::make_shared<Series>(probe_);
  }
  Probe& probe_;
};

class ProbingExecutor final : public Executor {
 public:
  ProbingExecutor(Probe& probe, std::shared_ptr<Executor> executor)
      : probe_(probe), executor_(std::move(executor)) {}
  void submit(Task task) override {
    probe_.run();
    executor_->submit(std::move(task));
  }
  Timer submit_at(TimePoint when, Task task) override {
    probe_.run();
    return executor_->submit_at(when, std::move(task));
  }
  const std::shared_ptr<Clock>& clock() const override { return executor_->clock(); }

 private:
  Probe& probe_;
  std::shared_ptr<Executor> executor_;
};

class UserCodeTest : public testing::InformerFixture {
 protected:
  /// An informer's life, with handlers that come before and after its list.
  void live() {
    make({.resync_period = 60s});
    probe.call = [this] { static_cast<void>(informer->status()); };
    Recorder early;
    Recorder late;
    const auto first = add(early);
    ScriptedCall watch = start();
    const auto second = add(late);
    watch.data(modified("x/a", "11") + added("x/b", "12"));
    run();
    run_for(60s);
    EXPECT_EQ(late.log.size(), 5U) << "initial add, update, add, two resyncs";
    EXPECT_GE(probe.runs, 5);
    informer->stop_and_wait();
    probe.call = nullptr;
  }
  Probe probe;
};

TEST_F(UserCodeTest, MetricsMayAskTheInformerForItsStatus) {
  runtime.metrics = std::make_shared<ProbingProvider>(probe);
  live();
}

TEST_F(UserCodeTest, ExecutorsMayAskTheInformerForItsStatus) {
  runtime.handlers = std::make_shared<ProbingExecutor>(probe, executor);
  live();
}

TEST_F(UserCodeTest, MetricsMayAskTheFactoryForTheInformerThatIsBeingMade) {
  runtime.metrics = std::make_shared<ProbingProvider>(probe);
  SharedInformerFactory factory(client(), {.watch_list = false});
  std::shared_ptr<SharedInformer<Unstructured>> inner;
  probe.call = [&] { inner = factory.for_resource(pods()); };
  const auto outer = factory.for_resource(pods());
  probe.call = nullptr;
  EXPECT_EQ(probe.runs, 21) << "thirteen metrics of the informer, eight of its reflector";
  EXPECT_EQ(outer, inner) << "the first one made is everybody's";
  EXPECT_EQ(factory.for_resource(pods()), outer);
}

TEST_F(UserCodeTest, AHandlersBacklogIsZeroOnceItIsGone) {
  struct Values final : metrics::Provider, metrics::GaugeImpl {
    std::shared_ptr<metrics::CounterImpl> counter(std::string_view,
                                                  const metrics::Labels&) override {
      return nullptr;
    }
    std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view, const metrics::Labels&) override {
      return {std::shared_ptr<void>(), this};
    }
    std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view,
                                                      const metrics::Labels&) override {
      return nullptr;
    }
    void set(double value) override { values.push_back(value); }
    std::vector<double> values;
  };
  const auto values = std::make_shared<Values>();
  runtime.metrics = values;
  const auto listener =
      std::make_shared<Listener>(runtime, std::make_shared<CallbackGate>(), CellHandler{},
                                 HandlerOptions{.name = "h"}, metrics::Labels{});
  const std::vector<Delta> two(2, {.type = DeltaType::Bookmark, .is_initial = true});
  listener->push(two);
  listener->close();
  EXPECT_THAT(values->values, ElementsAre(2, 0, 0)) << "and its lag";
}

}  // namespace
}  // namespace kube::cache
