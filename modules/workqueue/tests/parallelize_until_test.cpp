// SPDX-License-Identifier: Apache-2.0
#include <kube/workqueue/parallelize_until.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace kube {
namespace {

using ::testing::HasSubstr;

struct Case {
  std::size_t pieces;
  std::size_t workers;
  std::size_t chunk_size;
};

TEST(ParallelizeUntil, PAR_01_EachPieceRunsOnce) {
  const auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 4});
  for (const Case& c : {Case{1000, 10, 1}, Case{1000, 10, 10}, Case{1000, 10, 100},
                        Case{999, 10, 13}, Case{3, 10, 0}, Case{5, 0, 2}, Case{0, 4, 1}}) {
    std::vector<std::atomic<int>> runs(c.pieces);
    const Result<void> result =
        parallelize_until(pool, c.pieces, [&](std::size_t piece) { ++runs[piece]; },
                          {.workers = c.workers, .chunk_size = c.chunk_size}, {});
    EXPECT_TRUE(result);
    for (const auto& count : runs) EXPECT_EQ(count.load(), 1);
  }
}

TEST(ParallelizeUntil, WorkersRunAtTheSameTime) {
  std::latch together(3);
  const auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 2});
  EXPECT_TRUE(parallelize_until(pool, 3, [&](std::size_t) { together.arrive_and_wait(); },
                                {.workers = 3}, {}));
}

TEST(ParallelizeUntil, PAR_02_StopEndsItBeforeTheNextPiece) {
  const auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 3});
  std::stop_source stop;
  std::atomic<int> begun = 0;
  std::atomic<int> finished = 0;
  const Result<void> result = parallelize_until(
      pool, 1000,
      [&](std::size_t) {
        if (++begun == 5) stop.request_stop();
        ++finished;
      },
      {.workers = 4, .chunk_size = 100}, stop.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(begun.load(), finished.load());
  EXPECT_LT(begun.load(), 1000);
}

TEST(ParallelizeUntil, StoppedBeforeTheStartRunsNothing) {
  const auto executor = std::make_shared<SeededExecutor>(1);
  std::stop_source stop;
  stop.request_stop();
  int runs = 0;
  const Result<void> result = parallelize_until(
      executor, 10, [&](std::size_t) { ++runs; }, {.workers = 2}, stop.get_token());
  EXPECT_FALSE(result);
  EXPECT_EQ(runs, 0);
  executor->run_ready();
  EXPECT_EQ(runs, 0) << "helpers that start late find the job closed";
}

TEST(ParallelizeUntil, ExceptionEndsItWithAnError) {
  const auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 2});
  const Result<void> result = parallelize_until(pool, 100,
                                                [](std::size_t piece) {
                                                  if (piece == 7) throw std::runtime_error("boom");
                                                },
                                                {.workers = 3, .chunk_size = 4}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::Internal);
  EXPECT_THAT(result.error().message(), HasSubstr("piece 7"));
  EXPECT_THAT(result.error().message(), HasSubstr("boom"));
}

TEST(ParallelizeUntil, BusyExecutorCostsOnlyParallelism) {
  const auto never_runs = std::make_shared<SeededExecutor>(1);
  int runs = 0;
  EXPECT_TRUE(parallelize_until(never_runs, 10, [&](std::size_t) { ++runs; }, {.workers = 4}, {}));
  EXPECT_EQ(runs, 10);
}

// The first task is inside f when the executor refuses the second: f must outlive it.
TEST(ParallelizeUntil, AnExecutorThatThrowsCostsOnlyParallelism) {
  struct Refusing final : Executor {
    void submit(Task task) override {
      if (++submits > 1) throw std::runtime_error("no threads left");
      below.submit(std::move(task));
    }
    Timer submit_at(TimePoint when, Task task) override {
      return below.submit_at(when, std::move(task));
    }
    const std::shared_ptr<Clock>& clock() const override { return below.clock(); }
    ThreadPool below{{.threads = 1}};
    int submits = 0;
  };
  std::atomic<int> runs = 0;
  EXPECT_TRUE(parallelize_until(std::make_shared<Refusing>(), 100, [&](std::size_t) { ++runs; },
                                {.workers = 4}, {}));
  EXPECT_EQ(runs, 100);
}

}  // namespace
}  // namespace kube
