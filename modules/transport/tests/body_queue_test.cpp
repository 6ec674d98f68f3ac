// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/body_queue.hpp>

#include <memory>
#include <stop_token>
#include <string>

#include <gtest/gtest.h>

namespace kube::transport {
namespace {

class BodyQueueTest : public ::testing::Test {
 protected:
  static std::string taken(const Result<BodyQueue::Taken>& taken) {
    if (taken->piece) return *taken->piece;
    if (!taken->end) return "(stopped)";
    return *taken->end ? "(end)" : taken->end->error().message();
  }
  std::string take() { return taken(queue.take({})); }

  BodyQueue queue{real_clock()};
};

TEST_F(BodyQueueTest, PiecesComeInOrderAndThenTheEnd) {
  EXPECT_EQ(queue.put({"a", "b"}), Flow::Continue);
  EXPECT_EQ(queue.put({"c"}), Flow::Continue);
  queue.end({});
  for (const char* piece : {"a", "b", "c"}) EXPECT_EQ(take(), piece);
  EXPECT_EQ(take(), "(end)");
  EXPECT_EQ(take(), "(end)") << "again";
}

TEST_F(BodyQueueTest, OnlyTheFirstEndCounts) {
  queue.end(Error(ErrorCode::Unreachable, "reset"));
  queue.end({});
  EXPECT_EQ(queue.end_reason().error().message(), "reset");
  EXPECT_EQ(take(), "reset");
  EXPECT_EQ(queue.put({"late"}), Flow::Pause);
}

TEST_F(BodyQueueTest, AFullQueuePausesUntilHalfOfItIsTaken) {
  const std::string piece(BodyQueue::kMaxBufferedBytes / 4, 'x');
  for (int i = 0; i < 4; ++i) EXPECT_EQ(queue.put({piece}), Flow::Continue);
  EXPECT_EQ(queue.put({piece}), Flow::Pause);
  EXPECT_FALSE(queue.take({}).value().resume);
  EXPECT_FALSE(queue.take({}).value().resume);
  EXPECT_TRUE(queue.take({}).value().resume);
  EXPECT_FALSE(queue.take({}).value().resume) << "once";
}

TEST_F(BodyQueueTest, AStopRequestEndsTheWaitAndNotTheQueue) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(taken(queue.take(stop.get_token())), "(stopped)");
  EXPECT_FALSE(queue.wait_for_head(stop.get_token()));
  queue.put({"a"});
  EXPECT_EQ(taken(queue.take(stop.get_token())), "a");
}

TEST_F(BodyQueueTest, AfterStopThereIsOnlyTheEnd) {
  queue.put({"a"});
  queue.stop();
  EXPECT_EQ(take(), "(end)");
  EXPECT_EQ(queue.put({"b"}), Flow::Pause);
}

TEST_F(BodyQueueTest, TheHeadOrWhyThereIsNone) {
  BodyQueue failed{real_clock()};
  failed.end(Error(ErrorCode::Unreachable, "refused"));
  EXPECT_EQ(failed.wait_for_head({})->error().message(), "refused");
  BodyQueue empty{real_clock()};
  empty.end({});
  EXPECT_EQ(empty.wait_for_head({})->error().message(), "the response ended before it began");
  queue.begin({.status = 200});
  queue.end({});
  EXPECT_EQ(queue.wait_for_head({})->value().status, 200);
}

}  // namespace
}  // namespace kube::transport
