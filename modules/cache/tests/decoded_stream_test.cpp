// SPDX-License-Identifier: Apache-2.0
//
// How the objects of a body travel to the strand: in which batches, and in which order.
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "decoded_stream.hpp"
#include "list_decoder.hpp"
#include "watch_decoder.hpp"

#include <kube/base/executor.hpp>
#include <kube/cache/detail/object_cell.hpp>
#include <kube/codec/unstructured.hpp>

namespace kube::cache {
namespace {

constexpr std::size_t kObjectBytes = 5'000;

std::string object(std::size_t number) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + std::to_string(number) +
         R"(","resourceVersion":"1"},"data":")" + std::string(kObjectBytes, 'x') + R"("})";
}

template <class Decoder>
class Body {
 public:
  using Stream = DecodedStream<Decoder>;

  explicit Body(bool is_whole)
      : stream_(std::make_shared<Stream>(
            Strand(executor_), std::make_shared<ProofOfLife>(),
            typename Stream::Receiver{[] {},
                                      [this](std::vector<Arrived> items) {
                                        batches.push_back(items.size());
                                        for (const Arrived& item : items) {
                                          if (item.delta.cell) {
                                            names.emplace_back(item.delta.cell->name());
                                          }
                                        }
                                      },
                                      [this](auto summary) {
                                        ended = true;
                                        failed = !summary;
                                      },
                                      is_whole},
            "list pods", cell_type<Unstructured>(), StoragePolicy::Wire)) {
    stream_->on_head({200, {{"Content-Type", "application/json"}}});
  }
  transport::Flow data(std::string_view bytes) { return stream_->on_data(bytes); }
  void end() { stream_->on_end({}); }
  void run() { executor_->run_ready(); }

  std::vector<std::size_t> batches;
  std::vector<std::string> names;
  bool ended = false;
  bool failed = false;

 private:
  std::shared_ptr<SeededExecutor> executor_ = std::make_shared<SeededExecutor>(1);
  std::shared_ptr<Stream> stream_;
};

std::string event(std::size_t number) {
  return R"({"type":"ADDED","object":)" + object(number) + "}\n";
}
constexpr std::string_view kListBegin =
    R"({"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"1"},"items":[)";

void expect_in_order(const std::vector<std::string>& names, std::size_t count) {
  ASSERT_EQ(names.size(), count);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(names[i], "p" + std::to_string(i));
}

TEST(DecodedStream, AListComesInFewBatches) {
  constexpr std::size_t kObjects = 2'000;
  Body<ListDecoder> list(true);
  list.data(kListBegin);
  for (std::size_t i = 0; i < kObjects; ++i) {
    list.data((i > 0 ? "," : "") + object(i));
    list.run();
  }
  list.data("]}");
  list.end();
  list.run();
  EXPECT_TRUE(list.ended && !list.failed);
  expect_in_order(list.names, kObjects);
  // 10 MB in batches of 512 KiB, and some smaller ones at the beginning.
  EXPECT_LT(list.batches.size(), 60U);
}

TEST(DecodedStream, TheFirstObjectsOfAListComeAtOnce) {
  Body<ListDecoder> list(true);
  list.data(std::string(kListBegin) + object(0));
  list.run();
  EXPECT_EQ(list.names.size(), 1U);
  list.data("," + object(1));
  list.run();
  EXPECT_EQ(list.names.size(), 2U);
}

TEST(DecodedStream, TheEndOfAListBringsTheRest) {
  Body<ListDecoder> list(true);
  list.data(kListBegin);
  for (std::size_t i = 0; i < 50; ++i) list.data((i > 0 ? "," : "") + object(i));
  list.data("]}");
  list.end();
  list.run();
  EXPECT_TRUE(list.ended);
  expect_in_order(list.names, 50);
}

TEST(DecodedStream, ABodyThatBreaksBringsWhatCameBefore) {
  Body<ListDecoder> list(true);
  list.data(kListBegin);
  for (std::size_t i = 0; i < 50; ++i) list.data((i > 0 ? "," : "") + object(i));
  list.data("BROKEN");
  list.end();
  list.run();
  EXPECT_TRUE(list.failed);
  expect_in_order(list.names, 50);
}

TEST(DecodedStream, EventsOfAWatchComeAtOnce) {
  Body<WatchDecoder> watch(false);
  for (std::size_t i = 0; i < 100; ++i) {
    watch.data(event(i));
    watch.run();
    EXPECT_EQ(watch.names.size(), i + 1);
  }
  expect_in_order(watch.names, 100);
}

TEST(DecodedStream, EventsThatComeWhileTheStrandIsBusyAreOneBatch) {
  Body<WatchDecoder> watch(false);
  for (std::size_t i = 0; i < 100; ++i) watch.data(event(i));
  watch.run();
  EXPECT_EQ(watch.batches, std::vector<std::size_t>{100});
  expect_in_order(watch.names, 100);
}

TEST(DecodedStream, AStreamedInitialStateComesInFewBatchesAndItsEventsAtOnce) {
  constexpr std::size_t kObjects = 1'000;
  Body<WatchDecoder> watch(true);
  for (std::size_t i = 0; i < kObjects; ++i) {
    watch.data(event(i));
    watch.run();
  }
  EXPECT_LT(watch.batches.size(), 40U);
  watch.data(R"({"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"Pod","metadata":{)"
             R"("resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}})"
             "\n");
  watch.run();
  EXPECT_EQ(watch.names.size(), kObjects + 1);  // the bookmark has no name
  watch.data(event(7));
  watch.run();
  EXPECT_EQ(watch.names.size(), kObjects + 2);
}

/// Has no memory for tasks, when told so.
class RefusingExecutor final : public Executor {
 public:
  void submit(Task task) override {
    if (refuses) throw std::bad_alloc();
    inner.submit(std::move(task));
  }
  Timer submit_at(TimePoint when, Task task) override {
    return inner.submit_at(when, std::move(task));
  }
  const std::shared_ptr<Clock>& clock() const override { return inner.clock(); }

  SeededExecutor inner{1};
  bool refuses = false;
};

TEST(DecodedStream, WhatCouldNotBePostedIsNotWaitedFor) {
  const auto executor = std::make_shared<RefusingExecutor>();
  const auto life = std::make_shared<ProofOfLife>();
  using Stream = DecodedStream<WatchDecoder>;
  const auto stream =
      std::make_shared<Stream>(Strand(executor), life,
                               Stream::Receiver{[] {}, [](const std::vector<Arrived>&) {},
                                                [](const Result<void>&) {}, false},
                               "watch pods", cell_type<Unstructured>(), StoragePolicy::Wire);
  stream->on_head({200, {{"Content-Type", "application/json"}}});
  executor->inner.run_ready();
  executor->refuses = true;
  EXPECT_THROW(stream->on_data(event(0)), std::bad_alloc);
  executor->inner.run_for(std::chrono::seconds(1));
  life->seen(executor->clock()->now());
  EXPECT_EQ(life->in_cache(), life->last());
}

TEST(DecodedStream, ASlowStrandPausesTheServer) {
  Body<WatchDecoder> watch(false);
  std::size_t sent = 0;
  while (watch.data(event(sent)) == transport::Flow::Continue) {
    ASSERT_LT(++sent, 2'000U);  // 10 MB
  }
  EXPECT_GT(sent * kObjectBytes, std::size_t{3} << 20);
  watch.run();  // A task that never runs keeps its stream.
}

}  // namespace
}  // namespace kube::cache
