// SPDX-License-Identifier: Apache-2.0
//
// What a list frees, and when that is given back. That it is, bench_informer_memory and the fault
// scenarios show: no test that shares its process can say so.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory_return.hpp"
#include "reflector_fixture.hpp"

namespace kube::cache {
namespace {

using testing::event_text;
using testing::list_text;
using testing::object_text;
using testing::ScriptedCall;

class MemoryReturnTest : public testing::ReflectorFixture {
 protected:
  static std::vector<std::string> items() {
    return std::vector<std::string>(
        20, object_text("x/a", "5", {}, R"("data":")" + std::string(1000, 'z') + '"'));
  }
  static constexpr std::size_t kBytes = 20 * 1000;
};

TEST_F(MemoryReturnTest, AListThatFailsFreesWhatItBrought) {
  start();
  const std::string list = list_text(items(), "10");
  next_list().data(list.substr(0, list.size() - 10)).data("BROKEN").end();
  run();
  EXPECT_EQ(target.errors.size(), 1U);
  EXPECT_GT(target.freed_bytes, kBytes);
  EXPECT_LT(target.freed_bytes, 2 * kBytes);
}

TEST_F(MemoryReturnTest, DecodedObjectsCountThoughTheirCellsAreSmall) {
  start({.storage = StoragePolicy::Decoded});
  next_list().respond(200, list_text(items(), "10", "token"));
  next_list().refuse();
  run();
  EXPECT_GT(target.freed_bytes, 20 * type->object_size);
}

TEST_F(MemoryReturnTest, AListThatIsTakenFreesNothingYet) {
  start();
  next_list().respond(200, list_text(items(), "10"));
  next_watch();
  EXPECT_EQ(target.freed_bytes, 0U);
}

TEST_F(MemoryReturnTest, AStreamedInitialStateThatBreaksOffFreesWhatItBrought) {
  streams = true;
  start();
  ScriptedCall watch = next_watch();
  for (int i = 0; i < 20; ++i) {
    watch.data(event_text("ADDED", object_text("x/" + std::to_string(i), "5", {},
                                               R"("data":")" + std::string(1000, 'z') + '"')));
  }
  run();
  watch.reset();
  next_watch();
  EXPECT_GT(target.freed_bytes, kBytes);
}

TEST_F(MemoryReturnTest, OneWalkThroughTheAllocatorIsEnoughForManyLists) {
  int walks = 0;
  MemoryReturn memory(strand, [&] { ++walks; });
  for (int i = 0; i < 1000; ++i) memory.freed(MemoryReturn::kWorthIt / 100);
  EXPECT_EQ(walks, 0);
  run_for(MemoryReturn::kDelay);
  EXPECT_EQ(walks, 1);
  memory.freed(MemoryReturn::kWorthIt);
  run_for(MemoryReturn::kDelay);
  EXPECT_EQ(walks, 2);
}

TEST_F(MemoryReturnTest, ListsThatFailOftenDoNotPutItOff) {
  int walks = 0;
  MemoryReturn memory(strand, [&] { ++walks; });
  for (int i = 0; i < 10; ++i) {
    memory.freed(MemoryReturn::kWorthIt);
    run_for(MemoryReturn::kDelay / 2);
  }
  EXPECT_EQ(walks, 5);
}

TEST_F(MemoryReturnTest, LittleIsNotWorthAWalk) {
  int walks = 0;
  MemoryReturn memory(strand, [&] { ++walks; });
  memory.freed(MemoryReturn::kWorthIt - 1);
  run_for(10 * MemoryReturn::kDelay);
  EXPECT_EQ(walks, 0);
}

TEST_F(MemoryReturnTest, OnceStoppedItWalksNoMore) {
  int walks = 0;
  MemoryReturn memory(strand, [&] { ++walks; });
  memory.freed(MemoryReturn::kWorthIt);
  memory.stop();
  run_for(10 * MemoryReturn::kDelay);
  EXPECT_EQ(walks, 0);
}

}  // namespace
}  // namespace kube::cache
