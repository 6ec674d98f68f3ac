// SPDX-License-Identifier: Apache-2.0
//
// The client and an informer in a program with an event loop of its own: Boost.Asio's.
#include <atomic>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <kube/api/core/v1/pod.hpp>
#include <kube/base/executor.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/async_api.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/testing/eventually.hpp>

namespace kube::header_examples {
namespace {

using core::v1::Pod;
using fake::FakeClient;

// [own-loop-executor]
class LoopExecutor final : public kube::Executor {
 public:
  explicit LoopExecutor(boost::asio::io_context& loop) : loop_(loop) {}

  void submit(kube::Task task) override {
    boost::asio::post(loop_, [task = std::move(task)] { run(task); });
  }
  kube::Timer submit_at(kube::TimePoint when, kube::Task task) override {
    auto timer = std::make_shared<LoopTimer>(loop_, when - clock_->now());
    timer->wait.async_wait([timer, task = std::move(task)](const auto&) {
      if (!timer->cancelled) run(task);
    });
    return kube::Timer(timer);
  }
  const std::shared_ptr<kube::Clock>& clock() const override { return clock_; }

 private:
  struct LoopTimer final : kube::Timer::State, std::enable_shared_from_this<LoopTimer> {
    LoopTimer(boost::asio::io_context& loop, kube::Duration after) : wait(loop, after) {}
    void cancel() override {
      cancelled = true;
      boost::asio::post(wait.get_executor(), [self = shared_from_this()] { self->wait.cancel(); });
    }
    boost::asio::steady_timer wait;
    std::atomic<bool> cancelled = false;
  };
  static void run(const kube::Task& task) {
    try {
      task();
    } catch (const std::exception& error) {
      std::cerr << "a task has thrown: " << error.what() << "\n";
    }
  }
  boost::asio::io_context& loop_;
  const std::shared_ptr<kube::Clock> clock_ = kube::real_clock();
};
// [own-loop-executor]

TEST(OwnLoop, RunsEventHandlersAndCallbacks) {
  boost::asio::io_context loop;
  const auto work = boost::asio::make_work_guard(loop);
  const auto cluster =
      FakeClient::start(
          "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: web},"
          " spec: {containers: [{name: c, image: i}]}}",
          {},
          // [own-loop]
          {.runtime = {.handlers = std::make_shared<LoopExecutor>(loop)}}  // [own-loop]
          )
          .value();
  std::vector<std::string> heard;
  const auto note = [&, here = std::this_thread::get_id()](std::string text) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    heard.push_back(std::move(text));
  };
  SharedInformer<Pod> pods(cluster->client());
  const auto registration = pods.add_event_handler(
      {.on_add = [&](const auto& pod, bool) { note("informer " + std::string(pod.name())); }});
  ASSERT_TRUE(pods.start());
  cluster->client().api<Pod>("web").async().get(
      "a", [&](const Result<Pod>& pod) { note("call " + pod.value().metadata.name); });
  while (heard.size() < 2 && loop.run_one_for(kube::testing::kPatience) != 0) {
  }
  EXPECT_THAT(heard, ::testing::UnorderedElementsAre("informer a", "call a"));
}

TEST(OwnLoop, RunsNoTimerThatWasCancelledNorKeepsWhatItHolds) {
  boost::asio::io_context loop;
  LoopExecutor executor(loop);
  int ran = 0;
  kube::Timer kept = executor.submit_after(std::chrono::milliseconds(1), [&] { ++ran; });
  const auto held = std::make_shared<int>();
  kube::Timer cancelled = executor.submit_after(std::chrono::hours(1), [&ran, held] { ran += 10; });
  cancelled.cancel();
  loop.run();  // ends when no timer is left
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(OwnLoop, GoesOnAfterATaskThatThrows) {
  boost::asio::io_context loop;
  LoopExecutor executor(loop);
  bool ran = false;
  executor.submit([] { throw std::runtime_error("bad"); });
  executor.submit([&] { ran = true; });
  loop.run();
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace kube::header_examples
