// SPDX-License-Identifier: Apache-2.0
//
// Handlers: added early and late, removed, throwing, destroying what calls them; resyncs; stopping.
#include <functional>
#include <map>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/detail/typed_cell.hpp>

#include "informer_fixture.hpp"
#include "processor.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::Recorder;
using testing::ScriptedCall;
using ::testing::UnorderedElementsAre;

class HandlerTest : public testing::InformerFixture {
 protected:
  /// One step of the executor at a time until `done`.
  void step_until(const std::function<bool()>& done) {
    ASSERT_TRUE(executor->run_until(done, 10'000)) << "never happened";
  }
};

// ---- late handlers [I3]

TEST_F(HandlerTest, INF_18_INF_19_ALateHandlerIsToldOfTheStoreFirstAndSyncsByItself) {
  make();
  Recorder early;
  const auto first = add(early);
  EXPECT_FALSE(first.has_synced());
  ScriptedCall watch = start({object_text("x/a", "5"), object_text("x/b", "6")});
  EXPECT_TRUE(first.has_synced());
  early.take();

  int told = 0;
  HandlerRegistration second;
  Recorder late;
  ResourceEventHandler<Unstructured> recording = late.handler();
  second = informer->add_event_handler({.on_add =
                                            [&](const Cached<Unstructured>& object, bool initial) {
                                              EXPECT_FALSE(second.has_synced())
                                                  << "before the call for " << object.key()
                                                  << " ended";
                                              ++told;
                                              recording.on_add(object, initial);
                                            },
                                        .on_update = recording.on_update,
                                        .on_delete = recording.on_delete});
  EXPECT_FALSE(second.has_synced());
  std::stop_source at_once;
  at_once.request_stop();
  EXPECT_FALSE(second.wait_for_sync(at_once.get_token())) << "as has_synced() says";
  EXPECT_TRUE(informer->has_synced());
  run();
  EXPECT_EQ(told, 2);
  EXPECT_TRUE(second.has_synced());
  EXPECT_TRUE(second.wait_for_sync({}));
  EXPECT_THAT(late.take(), UnorderedElementsAre("*add x/a@5", "*add x/b@6"));
  EXPECT_THAT(early.take(), IsEmpty()) << "has heard of them";

  watch.data(modified("x/a", "11") + deleted("x/b", "12"));
  run();
  EXPECT_THAT(early.take(), ElementsAre("update x/a@5 -> x/a@11", "delete x/b@12"));
  EXPECT_THAT(late.take(), ElementsAre("update x/a@5 -> x/a@11", "delete x/b@12"));
}

// Added while a change is on its way, a handler hears of it as part of the store or as an update,
// never of both or neither; the seeds bring both.
TEST_F(HandlerTest, AHandlerAddedDuringAChangeMissesNothingAndHearsNothingTwice) {
  int as_part_of_the_store = 0;
  int as_an_update = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    testing::ScriptedRun run_with(seed);
    SharedInformer<Unstructured> one(run_with.client(), testing::pods(), {.watch_list = false});
    ASSERT_TRUE(one.start());
    run_with.next_list().respond(
        200, list_text({object_text("x/a", "5"), object_text("x/b", "6")}, "10"));
    ScriptedCall watch = run_with.next_watch();
    run_with.run();
    watch.data(modified("x/a", "11"));
    const std::size_t steps = seed % 5;
    run_with.executor->run_until([] { return false; }, steps);
    Recorder recorder;
    const auto registration = one.add_event_handler(recorder.handler());
    run_with.run();
    EXPECT_TRUE(registration.has_synced());
    if (recorder.log.size() == 2) {
      ++as_part_of_the_store;
      EXPECT_THAT(recorder.log, UnorderedElementsAre("*add x/a@11", "*add x/b@6")) << seed;
    } else {
      ++as_an_update;
      ASSERT_EQ(recorder.log.size(), 3U) << seed;
      EXPECT_EQ(recorder.log[2], "update x/a@5 -> x/a@11") << seed;
      recorder.log.pop_back();
      EXPECT_THAT(recorder.log, UnorderedElementsAre("*add x/a@5", "*add x/b@6")) << seed;
    }
  }
  EXPECT_GT(as_part_of_the_store, 0);
  EXPECT_GT(as_an_update, 0);
}

// [I4] for handlers, in every schedule.
TEST_F(HandlerTest, RFIFO_36_AHandlerIsNotSyncedBeforeItsLastInitialAddReturned) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    testing::ScriptedRun run_with(seed);
    SharedInformer<Unstructured> one(run_with.client(), testing::pods(), {.watch_list = false});
    HandlerRegistration registration;
    int told = 0;
    bool was_synced_early = false;
    registration = one.add_event_handler({.on_add = [&](const auto&, bool initial) {
      EXPECT_TRUE(initial);
      was_synced_early = was_synced_early || registration.has_synced();
      ++told;
    }});
    ASSERT_TRUE(one.start());
    run_with.next_list().respond(
        200, list_text({object_text("x/a", "5"), object_text("x/b", "6")}, "10"));
    while (run_with.executor->run_ready() > 0) {
    }
    EXPECT_FALSE(was_synced_early);
    EXPECT_EQ(told, 2);
    EXPECT_TRUE(registration.has_synced());
    EXPECT_TRUE(one.has_synced());
  }
}

TEST_F(HandlerTest, INF_12_TheSameFunctionsMayBeRegisteredTwice) {
  make();
  Recorder recorder;
  auto one = add(recorder);
  auto two = add(recorder);
  ScriptedCall watch = start();
  EXPECT_THAT(recorder.take(), ElementsAre("*add x/a@5", "*add x/a@5"));
  one.unregister();
  watch.data(modified("x/a", "11"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("update x/a@5 -> x/a@11"));
}

// ---- removal

TEST_F(HandlerTest, INF_10_INF_13_INF_17_ARemovedHandlerHearsNothingMore) {
  make();
  Recorder a;
  Recorder b;
  auto first = add(a);
  auto second = add(b);
  ScriptedCall watch = start();
  EXPECT_EQ(informer->status().handlers.size(), 2U);
  first.unregister();
  first.unregister();
  a.take();
  watch.data(modified("x/a", "11"));
  run();
  EXPECT_THAT(a.take(), IsEmpty());
  EXPECT_EQ(informer->status().handlers.size(), 1U);
  second = HandlerRegistration();  // assigning over one removes it
  watch.data(modified("x/a", "12"));
  run();
  EXPECT_EQ(informer->status().handlers.size(), 0U);
  EXPECT_EQ(b.log.size(), 2U);
}

TEST_F(HandlerTest, TheDestructorOfARegistrationRemovesTheHandler) {
  make();
  Recorder recorder;
  ScriptedCall watch = start();
  {
    const auto registration = add(recorder);
    run();
  }
  recorder.take();
  watch.data(modified("x/a", "11"));
  run();
  EXPECT_THAT(recorder.take(), IsEmpty());
}

TEST_F(HandlerTest, INF_32_WhatWaitsForARemovedHandlerIsDropped) {
  make();
  int calls = 0;
  auto registration = informer->add_event_handler({.on_add = [&](const auto&, bool) { ++calls; }});
  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i) many.push_back(object_text("x/" + std::to_string(i), "5"));
  ASSERT_TRUE(informer->start());
  next_list().respond(200, list_text(many, "10"));
  step_until([&] { return calls > 0; });
  EXPECT_LT(calls, 1000);
  EXPECT_GT(registration.status().pending, 0U);
  registration.unregister_and_wait();
  const int before = calls;
  run();
  EXPECT_EQ(calls, before);
  EXPECT_EQ(registration.status().pending, 0U);
}

TEST_F(HandlerTest, INF_32_WhatWaitsWhenTheInformerStopsIsDropped) {
  make();
  int calls = 0;
  const auto registration =
      informer->add_event_handler({.on_add = [&](const auto&, bool) { ++calls; }});
  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i) many.push_back(object_text("x/" + std::to_string(i), "5"));
  ASSERT_TRUE(informer->start());
  next_list().respond(200, list_text(many, "10"));
  step_until([&] { return calls > 0; });
  informer->stop_and_wait();
  const int before = calls;
  run_for(60s);
  EXPECT_EQ(calls, before);
  EXPECT_LT(calls, 1000);
}

TEST_F(HandlerTest, INF_24_RemovingFromAnInformerThatNeverStartedReturnsAtOnce) {
  make();
  Recorder recorder;
  auto registration = add(recorder);
  registration.unregister_and_wait();
  EXPECT_FALSE(registration.has_synced());
}

TEST_F(HandlerTest, AfterTheStopHandlersMayBeAddedAndRemovedButAreNeverCalled) {
  make();
  start();
  Recorder early;
  auto before = add(early);
  informer->stop_and_wait();
  Recorder late;
  auto after = add(late);
  run();
  EXPECT_THAT(late.take(), IsEmpty());
  EXPECT_FALSE(after.has_synced());
  EXPECT_FALSE(after.wait_for_sync({})) << "will never be";
  before.unregister();
  after.unregister_and_wait();
}

TEST_F(HandlerTest, WaitingForSyncEndsWithTheInformerAlsoWhenItsExecutorStoppedFirst) {
  make();
  start();
  executor->stop();
  Recorder recorder;
  const auto registration = add(recorder);
  informer->stop_and_wait();
  EXPECT_FALSE(registration.wait_for_sync({}));
}

TEST_F(HandlerTest, ARegistrationMayOutliveItsInformer) {
  make();
  Recorder recorder;
  auto registration = add(recorder);
  start();
  informer.reset();
  run();
  EXPECT_TRUE(registration.has_synced());
  registration.unregister();
  registration.unregister_and_wait();
}

TEST_F(HandlerTest, INF_11_ARegistrationRemovesNothingOfAnotherInformer) {
  make();
  SharedInformer<Unstructured> other(client(), testing::pods(),
                                     {.namespace_ = "x", .watch_list = false});
  Recorder here;
  Recorder there;
  const auto kept = add(here);
  auto foreign = other.add_event_handler(there.handler());
  ScriptedCall watch = start();
  here.take();
  foreign.unregister();
  foreign.unregister_and_wait();
  watch.data(modified("x/a", "11"));
  run();
  EXPECT_THAT(here.take(), ElementsAre("update x/a@5 -> x/a@11"));
  EXPECT_EQ(informer->status().handlers.size(), 1U);
  EXPECT_TRUE(other.status().handlers.empty());
}

TEST_F(HandlerTest, INF_35_HandlersMayBeAddedAndRemovedFromInsideAHandler) {
  make();
  Recorder inner;
  HandlerRegistration outer_registration;
  HandlerRegistration inner_registration;
  int calls = 0;
  outer_registration = informer->add_event_handler({.on_add = [&](const auto&, bool) {
    ++calls;
    inner_registration = add(inner);
    outer_registration.unregister_and_wait();  // does not wait for itself
  }});
  ScriptedCall watch = start({object_text("x/a", "5"), object_text("x/b", "6")});
  EXPECT_EQ(calls, 1) << "no further call";
  EXPECT_THAT(inner.take(), UnorderedElementsAre("*add x/a@5", "*add x/b@6"));
}

TEST_F(HandlerTest, TheInformerMayBeStoppedAndDestroyedFromInsideAHandler) {
  for (const bool destroy : {false, true}) {
    make();
    int calls = 0;
    const auto registration = informer->add_event_handler({.on_add = [&](const auto&, bool) {
      ++calls;
      if (destroy) {
        informer.reset();
      } else {
        informer->stop_and_wait();
      }
    }});
    ASSERT_TRUE(informer->start());
    next_list().respond(200, list_text({object_text("x/a", "5"), object_text("x/b", "6")}, "10"));
    run_for(60s);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(transport->open(), 0U);
    informer.reset();
    while (transport->take_request()) {
    }
  }
}

TEST_F(HandlerTest, WhatAHandlerCapturedIsFreedWhenItHasBeenRemoved) {
  make();
  auto captured = std::make_shared<int>(7);
  const std::weak_ptr<int> alive = captured;
  auto registration =
      informer->add_event_handler({.on_add = [captured](const auto&, bool) { ++*captured; }});
  captured.reset();
  start();
  registration.unregister_and_wait();
  EXPECT_TRUE(alive.expired());
}

// ---- exceptions

TEST_F(HandlerTest, AHandlerThatThrowsIsCountedAndServedOn) {
  make();
  int calls = 0;
  const auto bad = informer->add_event_handler({.on_add =
                                                    [&](const auto&, bool) {
                                                      ++calls;
                                                      if (calls % 2 == 0)
                                                        throw std::runtime_error("no");
                                                      throw 7;
                                                    }},
                                               {.name = "bad"});
  Recorder good;
  const auto other = add(good);
  start({object_text("x/a", "5"), object_text("x/b", "6"), object_text("x/c", "7")});
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(good.log.size(), 3U);
  EXPECT_TRUE(bad.has_synced()) << "told is told";
  EXPECT_EQ(bad.status().failures, 3U);
  EXPECT_EQ(bad.status().delivered, 3U);
  EXPECT_EQ(executor->failed_tasks(), 0U);
}

TEST_F(HandlerTest, AnObjectThatIsNotOfItsTypeHarmsOnlyWhoLooksInside) {
  make();
  int decoded = 0;
  const auto bad = informer->add_event_handler({.on_add = [&](const auto& object, bool) {
    EXPECT_EQ(object.key(), "x/a");
    static_cast<void>(object->content);
    ++decoded;
  }});
  Recorder good;
  const auto other = add(good);
  start(
      {R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"x","uid":"u","resourceVersion":"5"},"spec":{,}})"});
  EXPECT_EQ(decoded, 0);
  EXPECT_EQ(bad.status().failures, 1U);
  EXPECT_THAT(good.take(), ElementsAre("*add x/a@5"));
}

// ---- resync

class ResyncTest : public HandlerTest {
 protected:
  std::map<std::string, int> adds;
  std::map<std::string, int> updates;
  HandlerRegistration count(const std::string& name,
                            std::optional<std::chrono::milliseconds> period) {
    return informer->add_event_handler({.on_add = [this, name](const auto&, bool) { ++adds[name]; },
                                        .on_update =
                                            [this, name](const auto& old, const auto& now) {
                                              EXPECT_EQ(old, now) << "the same cell";
                                              ++updates[name];
                                            }},
                                       {.resync_period = period, .name = name});
  }
};

TEST_F(ResyncTest, INF_02_CTL_15_EachHandlerIsResyncedInItsOwnPeriod) {
  make({.resync_period = 1s});
  const auto never = count("never", 0ms);
  const auto two = count("two", 2s);
  const auto three = count("three", 3s);
  const auto as_informer = count("informer", std::nullopt);
  ScriptedCall watch = start();
  watch.head();
  for (const char* name : {"never", "two", "three", "informer"}) EXPECT_EQ(adds[name], 1) << name;
  run_for(1500ms);
  EXPECT_EQ(updates["two"], 0);
  EXPECT_EQ(updates["informer"], 1);
  run_for(1s);
  EXPECT_EQ(updates["two"], 1);
  EXPECT_EQ(updates["three"], 0);
  run_for(1s);
  EXPECT_EQ(updates["two"], 1);
  EXPECT_EQ(updates["three"], 1);
  run_for(10s);
  EXPECT_EQ(updates["two"], 6);
  EXPECT_EQ(updates["three"], 4);
  EXPECT_EQ(updates["informer"], 13);
  EXPECT_EQ(updates["never"], 0);
  EXPECT_EQ(transport->requests().size(), 2U) << "a resync asks no server";
}

// Of three that ask for more often than the informer's twelve hours, and one for never.
TEST_F(ResyncTest, INF_04_AShorterPeriodBeforeTheStartChangesNoEarlierHandlersPeriod) {
  make({.resync_period = 12h});
  const auto never = count("never", 0ms);
  const auto minute = count("minute", 1min);
  const auto fifty_five = count("fifty-five", 55s);
  const auto five = count("five", 5s);
  start().head();
  const auto after = [&](Duration duration) {
    run_for(duration);
    return std::vector<int>{updates["never"], updates["minute"], updates["fifty-five"],
                            updates["five"]};
  };
  // A millisecond for the work of each check, which the timers are armed after.
  EXPECT_THAT(after(54s), ElementsAre(0, 0, 0, 10));
  EXPECT_THAT(after(2s), ElementsAre(0, 0, 1, 11));
  EXPECT_THAT(after(3s), ElementsAre(0, 0, 1, 11));
  EXPECT_THAT(after(2s), ElementsAre(0, 1, 1, 12));
  EXPECT_THAT(after(48s), ElementsAre(0, 1, 1, 21));
  EXPECT_THAT(after(2s), ElementsAre(0, 1, 2, 22));
}

TEST_F(ResyncTest, INF_31_AnInformerWithoutPeriodNeverResyncs) {
  make();
  const auto eager = count("eager", 1s);
  start().head();
  run_for(60s);
  EXPECT_EQ(updates["eager"], 0);
}

TEST_F(ResyncTest, INF_06_AfterTheFirstCheckOnlyThoseBeingSyncedHearOfNoChange) {
  make({.resync_period = 1s});
  Recorder lazy;
  Recorder eager;
  const auto none = add(lazy, {.resync_period = 0ms});
  const auto each = add(eager, {.resync_period = 1s});
  ScriptedCall watch = start({object_text("x/a", "5"), object_text("x/b", "6")});
  watch.head();
  run_for(1500ms);
  lazy.take();
  eager.take();
  watch.data(testing::event_text("ERROR", testing::status_text(410, "Expired", "old")));
  run_for(800ms);
  next_list().respond(
      200, list_text({object_text("x/a", "5"), object_text("x/b", "16"), object_text("x/c", "17")},
                     "20"));
  run();
  EXPECT_THAT(lazy.take(), ElementsAre("update x/b@6 -> x/b@16", "add x/c@17"));
  EXPECT_THAT(eager.take(),
              ElementsAre("update x/a@5 -> x/a@5", "update x/b@6 -> x/b@16", "add x/c@17"));
}

TEST_F(ResyncTest, ADeletionWithTheStoredVersionIsReportedToThoseWithoutResyncToo) {
  make({.resync_period = 1s});
  Recorder lazy;
  const auto none = add(lazy, {.resync_period = 0ms});
  ScriptedCall watch = start({object_text("x/a", "5")});
  watch.head();
  run_for(1500ms);
  lazy.take();
  watch.data(testing::event_text("DELETED", object_text("x/a", "5")));
  run();
  EXPECT_THAT(lazy.take(), ElementsAre("delete x/a@5"));
}

TEST_F(ResyncTest, AnotherObjectOfAnUnchangedVersionIsToldToThoseWithoutResyncToo) {
  make({.resync_period = 1s});
  Recorder lazy;
  const auto none = add(lazy, {.resync_period = 0ms});
  ScriptedCall watch = start({object_text("x/a", "5")});
  watch.head();
  run_for(1500ms);
  lazy.take();
  watch.data(testing::event_text("MODIFIED", object_text("x/a", "5", {}, {}, "another-uid")));
  run();
  EXPECT_THAT(lazy.take(), ElementsAre("update x/a@5 -> x/a@5"));
}

class ProcessorTest : public ::testing::Test {
 protected:
  std::shared_ptr<Listener> listener() {
    return std::make_shared<Listener>(Runtime{.executor = executor}, calls, CellHandler{},
                                      HandlerOptions{.name = "h"}, metrics::Labels{});
  }
  std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  std::shared_ptr<CallbackGate> calls = std::make_shared<CallbackGate>();
};

TEST_F(ProcessorTest, INF_03_AStartAfterTheFirstDistributionKeepsTheSchedule) {
  std::vector<int> updates(3);
  std::vector<int> adds(3);
  std::vector<std::shared_ptr<Listener>> listeners;
  Processor processor(1s, executor->clock(), nullptr);
  const auto cell = Cell::make(cell_type<Unstructured>(), {.namespace_ = "x",
                                                           .name = "a",
                                                           .uid = "u",
                                                           .resource_version = "1",
                                                           .encoding = Encoding::Json,
                                                           .body = "{}"});
  const Delta add{.type = DeltaType::Added, .cell = cell};
  const Delta sync{.type = DeltaType::Updated, .cell = cell, .old = cell};
  for (std::size_t i = 0; i < 3; ++i) {
    listeners.push_back(std::make_shared<Listener>(
        Runtime{.executor = executor}, calls,
        [&, i](const Delta& change) { ++(change.type == DeltaType::Added ? adds : updates)[i]; },
        HandlerOptions{.name = "h"}, metrics::Labels{}));
    processor.add(listeners.back(), std::vector<Duration>{0s, 2s, 3s}[i], {});
  }
  processor.should_resync();
  processor.distribute({&add, 1});
  executor->run_for(1s);
  processor.start();
  EXPECT_THAT(adds, ElementsAre(1, 1, 1));
  const auto at_second = [&](int) {
    if (processor.should_resync()) processor.distribute({&sync, 1});
    executor->run_ready();
    return std::exchange(updates, std::vector<int>(3));
  };
  EXPECT_THAT(at_second(1), ElementsAre(0, 0, 0));
  executor->run_for(1s);
  EXPECT_THAT(at_second(2), ElementsAre(0, 1, 0));
  executor->run_for(1s);
  EXPECT_THAT(at_second(3), ElementsAre(0, 0, 1));
  executor->run_for(1s);
  EXPECT_THAT(at_second(4), ElementsAre(0, 1, 0));
}

TEST_F(ProcessorTest, INF_04_BeforeTheStartTheShortestPeriodBecomesTheChecks) {
  Processor processor(12h, executor->clock(), nullptr);
  processor.add(listener(), Duration(0), {});
  EXPECT_EQ(processor.check_period(), 12h);
  processor.add(listener(), 1min, {});
  EXPECT_EQ(processor.check_period(), 1min);
  processor.add(listener(), 55s, {});
  EXPECT_EQ(processor.check_period(), 55s);
  processor.add(listener(), 5s, {});
  EXPECT_EQ(processor.check_period(), 5s);
}

TEST_F(ProcessorTest, INF_31_PeriodsAreAtLeastASecondAndAtLeastTheChecksOnceStarted) {
  Processor early(10s, executor->clock(), nullptr);
  early.add(listener(), 500ms, {});
  EXPECT_EQ(early.check_period(), 1s);
  executor->run_for(999ms);
  EXPECT_FALSE(early.should_resync());
  executor->run_for(1ms);
  EXPECT_TRUE(early.should_resync());

  Processor started(10s, executor->clock(), nullptr);
  started.start();
  started.add(listener(), 2s, {});
  EXPECT_EQ(started.check_period(), 10s);
  executor->run_for(10s - 1ms);
  EXPECT_FALSE(started.should_resync()) << "the handler's period is the informer's";
  executor->run_for(1ms);
  EXPECT_TRUE(started.should_resync());

  Processor never(Duration(0), executor->clock(), nullptr);
  never.add(listener(), 1s, {});
  EXPECT_EQ(never.check_period(), Duration(0));
  EXPECT_FALSE(never.should_resync());
}

}  // namespace
}  // namespace kube::cache
