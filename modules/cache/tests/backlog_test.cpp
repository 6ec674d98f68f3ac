// SPDX-License-Identifier: Apache-2.0
//
// What waits for a slow handler: every event, the latest state of each object, and the bound.
#include "backlog.hpp"

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/detail/typed_cell.hpp>
#include <kube/cache/informer_health.hpp>
#include <kube/testing/recording_logger.hpp>
#include <kube/testing/seeds.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using kube::testing::RecordingLogger;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::Recorder;
using testing::ScriptedCall;

CellRef cell(std::string_view name, std::string_view version) {
  return Cell::make(cell_type<Unstructured>(), {.namespace_ = "x",
                                                .name = name,
                                                .uid = "u",
                                                .resource_version = version,
                                                .encoding = Encoding::Json,
                                                .body = "{}"});
}

Delta added(CellRef object, bool is_initial = false) {
  return {.type = DeltaType::Added, .is_initial = is_initial, .cell = std::move(object)};
}
Delta updated(CellRef old, CellRef object) {
  return {.type = DeltaType::Updated, .cell = std::move(object), .old = std::move(old)};
}
Delta deleted(CellRef object, bool inferred = false) {
  return {.type = DeltaType::Deleted, .final_state_unknown = inferred, .cell = std::move(object)};
}
const Delta kSynced{.type = DeltaType::Bookmark, .is_initial = true};

std::string show(const Delta& one) {
  const auto text = [](const CellRef& object) {
    return std::string(object->name()) + "@" + std::string(object->resource_version());
  };
  if (one.type == DeltaType::Bookmark) return "synced";
  if (one.type == DeltaType::Added) return (one.is_initial ? "*add " : "add ") + text(one.cell);
  if (one.type == DeltaType::Updated) return "update " + text(one.old) + " -> " + text(one.cell);
  return "delete " + text(one.cell) + (one.final_state_unknown ? " (inferred)" : "");
}

class BacklogTest : public ::testing::Test {
 protected:
  void push(const Delta& one, TimePoint now = TimePoint()) {
    backlog.push({&one, 1}, now, released);
  }
  void add(std::string_view name, std::string_view version) { push(added(cell(name, version))); }
  void update(std::string_view name, std::string_view old, std::string_view version) {
    push(updated(cell(name, old), cell(name, version)));
  }
  void remove(std::string_view name, std::string_view version, bool inferred = false) {
    push(deleted(cell(name, version), inferred));
  }
  std::vector<std::string> take(std::size_t count = 1000) {
    std::vector<Backlog::Item> items;
    backlog.take(count, items);
    std::vector<std::string> texts;
    for (const Backlog::Item& item : items) texts.push_back(show(item.delta));
    return texts;
  }
  std::vector<Delta> released;
  Backlog backlog{{.delivery = HandlerDelivery::LatestState}};
};

TEST_F(BacklogTest, EveryEventIsKeptByDefault) {
  backlog = Backlog(HandlerOptions());
  add("a", "1");
  update("a", "1", "2");
  remove("a", "3");
  EXPECT_EQ(backlog.size(), 3U);
  EXPECT_THAT(take(), ElementsAre("add a@1", "update a@1 -> a@2", "delete a@3"));
}

TEST_F(BacklogTest, AnUpdateIsReplacedAndKeepsTheOldestOldObject) {
  update("a", "1", "2");
  update("b", "1", "2");
  update("a", "2", "3");
  update("a", "3", "4");
  EXPECT_EQ(backlog.size(), 2U);
  EXPECT_EQ(backlog.merged(), 2U);
  EXPECT_THAT(take(), ElementsAre("update a@1 -> a@4", "update b@1 -> b@2"));
  update("a", "4", "5");
  EXPECT_THAT(take(), ElementsAre("update a@4 -> a@5")) << "what was taken is not merged into";
}

TEST_F(BacklogTest, AnUpdateOfAnUndeliveredAddIsAnAdd) {
  add("a", "1");
  update("a", "1", "2");
  push(added(cell("b", "1"), true));
  update("b", "1", "2");
  EXPECT_THAT(take(), ElementsAre("add a@2", "*add b@2"));
}

TEST_F(BacklogTest, AddAndDeleteCancelOut) {
  add("a", "1");
  update("a", "1", "2");
  add("b", "1");
  remove("a", "3");
  EXPECT_EQ(backlog.size(), 1U);
  EXPECT_EQ(backlog.merged(), 3U);
  EXPECT_THAT(take(), ElementsAre("add b@1"));
  EXPECT_TRUE(backlog.empty());
}

TEST_F(BacklogTest, ADeletionReplacesAnUpdateAndKeepsItsKind) {
  update("a", "1", "2");
  remove("a", "2", true);
  update("b", "1", "2");
  remove("b", "3");
  EXPECT_THAT(take(), ElementsAre("delete a@2 (inferred)", "delete b@3"));
}

TEST_F(BacklogTest, AnAddAfterADeletionFollowsIt) {
  remove("a", "2");
  add("a", "3");
  update("a", "3", "4");
  EXPECT_EQ(backlog.size(), 2U);
  EXPECT_THAT(take(1), ElementsAre("delete a@2"));
  update("a", "4", "5");
  EXPECT_THAT(take(), ElementsAre("add a@5"));
}

TEST_F(BacklogTest, ADeletionCancelsTheAddThatFollowedAnotherDeletion) {
  remove("a", "2", true);
  add("a", "3");
  remove("a", "4");
  EXPECT_EQ(backlog.size(), 1U);
  add("a", "5");
  EXPECT_THAT(take(), ElementsAre("delete a@2 (inferred)", "add a@5"));
}

// The server may report what no handler heard of.
TEST_F(BacklogTest, OfTwoDeletionsTheObservedOneStays) {
  remove("a", "2", true);
  remove("a", "3");
  remove("b", "2");
  remove("b", "3", true);
  EXPECT_THAT(take(), ElementsAre("delete a@3", "delete b@2"));
}

TEST_F(BacklogTest, TheEndOfTheInitialStateStaysInItsPlace) {
  push(added(cell("a", "1"), true));
  push(added(cell("b", "1"), true));
  push(kSynced);
  add("c", "2");
  update("a", "1", "3");
  remove("b", "4");
  EXPECT_THAT(take(), ElementsAre("*add a@3", "synced", "add c@2"));
}

TEST_F(BacklogTest, WhatIsPutBackComesBeforeWhatCameMeanwhile) {
  update("a", "1", "2");
  update("b", "1", "2");
  std::vector<Backlog::Item> burst;
  backlog.take(2, burst);
  remove("b", "3");
  add("b", "4");
  remove("b", "5");
  backlog.put_back(std::span(burst).subspan(1));
  add("b", "6");
  EXPECT_THAT(take(), ElementsAre("update b@1 -> b@2", "delete b@3", "add b@6"));
}

TEST_F(BacklogTest, TheAgeIsThatOfTheFirstDeltaThatWasMerged) {
  const TimePoint start{};
  EXPECT_EQ(backlog.oldest(), std::nullopt);
  push(updated(cell("a", "1"), cell("a", "2")), start + 1s);
  push(updated(cell("b", "1"), cell("b", "2")), start + 2s);
  push(updated(cell("a", "2"), cell("a", "3")), start + 3s);
  EXPECT_EQ(backlog.oldest(), start + 1s);
  take(1);
  EXPECT_EQ(backlog.oldest(), start + 2s);
  push(added(cell("c", "1")), start + 4s);
  take(1);
  EXPECT_EQ(backlog.oldest(), start + 4s);
  push(deleted(cell("c", "2")), start + 5s);
  EXPECT_EQ(backlog.oldest(), std::nullopt);
}

TEST_F(BacklogTest, ObjectsThatComeAndGoLeaveNothingBehind) {
  update("z", "1", "2");
  for (int i = 0; i < 100'000; ++i) {
    add("a", "1");
    remove("a", "2");
    released.clear();
  }
  EXPECT_EQ(backlog.size(), 1U);
  EXPECT_LT(backlog.clear().size(), 1000U) << "places of cancelled ones";
}

// The objects that only the backlog held are destroyed by its caller, without a lock.
TEST_F(BacklogTest, ReplacedObjectsAreHandedOut) {
  add("a", "1");
  update("a", "1", "2");
  ASSERT_EQ(released.size(), 1U);
  EXPECT_EQ(released[0].cell->resource_version(), "1");
  remove("a", "3");
  ASSERT_EQ(released.size(), 2U);
  EXPECT_EQ(released[1].cell->resource_version(), "2");
}

TEST_F(BacklogTest, OverItsBoundItMergesUntilItWasEmpty) {
  backlog = Backlog({.max_pending = 3});
  const auto fill = [&](int from, int to) {
    std::vector<Delta> events;
    for (int i = from; i < to; ++i) {
      events.push_back(updated(cell("a", std::to_string(i)), cell("a", std::to_string(i + 1))));
    }
    return backlog.push(events, TimePoint(), released);
  };
  EXPECT_FALSE(fill(0, 3));
  EXPECT_FALSE(backlog.merges());
  EXPECT_TRUE(fill(3, 4)) << "one more";
  EXPECT_TRUE(backlog.merges());
  EXPECT_FALSE(fill(4, 9)) << "reported once";
  EXPECT_THAT(take(), ElementsAre("update a@0 -> a@9"));
  EXPECT_FALSE(backlog.merges());
  EXPECT_FALSE(fill(9, 11));
  EXPECT_THAT(take(), ElementsAre("update a@9 -> a@10", "update a@10 -> a@11"));
}

TEST_F(BacklogTest, TheInitialStateDoesNotCountForTheBound) {
  backlog = Backlog({.max_pending = 2});
  std::vector<Delta> initial;
  for (int i = 0; i < 100; ++i) {
    initial.push_back(added(cell(std::to_string(i), "1"), true));
  }
  EXPECT_FALSE(backlog.push(initial, TimePoint(), released));
  take(50);
  const std::vector<Delta> two(2, added(cell("a", "1")));
  EXPECT_FALSE(backlog.push(two, TimePoint(), released));
  EXPECT_TRUE(backlog.push(two, TimePoint(), released));
}

// ---- against a model: a consumer that hears of whatever is left of a legal history

class Consumer {
 public:
  void hear(const Delta& one) {
    if (one.type == DeltaType::Bookmark) {
      EXPECT_FALSE(std::exchange(synced, true));
      return;
    }
    const std::string key(one.cell->key());
    const auto known = objects.find(key);
    if (one.type == DeltaType::Added) {
      EXPECT_EQ(known, objects.end()) << "added twice: " << show(one);
      EXPECT_EQ(one.is_initial, !synced) << show(one);
      objects[key] = one.cell;
    } else if (one.type == DeltaType::Updated) {
      ASSERT_NE(known, objects.end()) << "never added: " << show(one);
      EXPECT_EQ(known->second, one.old) << "another old object: " << show(one);
      known->second = one.cell;
    } else {
      ASSERT_NE(known, objects.end()) << "never added: " << show(one);
      objects.erase(known);
    }
  }
  std::map<std::string, CellRef> objects;
  bool synced = false;
};

void run_random(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t below) { return random() % below; };
  const bool latest = pick(2) == 0;
  Backlog backlog({.delivery = latest ? HandlerDelivery::LatestState : HandlerDelivery::EveryEvent,
                   .max_pending = latest ? 0U : 5U});
  std::map<std::string, CellRef> store;
  Consumer consumer;
  std::vector<Delta> released;
  int version = 0;
  const auto next_event = [&](bool initial) -> Delta {
    const std::string name(1, static_cast<char>('a' + pick(4)));
    const auto at = store.find(name);
    const std::string text = std::to_string(++version);
    if (at == store.end()) {
      store[name] = cell(name, text);
      return added(store[name], initial);
    }
    if (pick(3) == 0) {
      const CellRef last = std::move(at->second);
      store.erase(at);
      return pick(2) == 0 ? deleted(last, true) : deleted(cell(name, text));
    }
    const CellRef old = std::exchange(at->second, pick(4) == 0 ? at->second : cell(name, text));
    return updated(old, at->second);
  };
  const std::uint64_t synced_at = pick(10);
  for (std::uint64_t step = 0; step < 60; ++step) {
    std::vector<Delta> events;
    for (std::uint64_t i = pick(8); i > 0; --i) events.push_back(next_event(step <= synced_at));
    if (step == synced_at) events.push_back(kSynced);
    backlog.push(events, TimePoint(), released);
    EXPECT_TRUE(!latest || backlog.size() <= 2 * 4 + 1 + 4) << "what was put back, too";
    if (pick(3) != 0 && step + 1 < 60) continue;
    std::vector<Backlog::Item> burst;
    backlog.take(step + 1 < 60 ? 1 + pick(4) : 10'000, burst);
    const std::uint64_t delivered = step + 1 < 60 ? pick(burst.size() + 1) : burst.size();
    for (std::size_t i = 0; i < delivered; ++i) consumer.hear(burst[i].delta);
    if (pick(2) == 0) {  // while it was delivering, more came
      events = {next_event(step < synced_at)};
      backlog.push(events, TimePoint(), released);
    }
    backlog.put_back(std::span(burst).subspan(delivered));
  }
  std::vector<Backlog::Item> rest;
  backlog.take(10'000, rest);
  for (const Backlog::Item& item : rest) consumer.hear(item.delta);
  EXPECT_TRUE(backlog.empty());
  EXPECT_TRUE(consumer.synced);
  ASSERT_EQ(consumer.objects.size(), store.size());
  for (const auto& [name, object] : store) EXPECT_EQ(consumer.objects["x/" + name], object);
}

TEST(BacklogModel, AConsumerHearsALegalHistoryAndEndsWithTheStore) {
  for (const std::uint64_t seed : kube::testing::chosen_seeds(2000)) {
    run_random(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

// ---- the whole informer

class SlowHandlerTest : public testing::InformerFixture {
 protected:
  /// Handlers run on an executor that stands still until run_handlers().
  void make_slow(InformerOptions options = {}) {
    runtime.handlers = handlers;
    runtime.logger = log;
    make(std::move(options));
  }
  void run_handlers() { handlers->run_ready(); }
  ~SlowHandlerTest() override { handlers->stop(); }
  const HandlerStatus& status() {
    last = informer->status();
    return last.handlers.front();
  }
  std::shared_ptr<SeededExecutor> handlers = std::make_shared<SeededExecutor>(1);
  std::shared_ptr<RecordingLogger> log = std::make_shared<RecordingLogger>(LogLevel::Warning);
  InformerStatus last;
};

TEST_F(SlowHandlerTest, ReceivesTheLatestStateWhenItAsksForIt) {
  make_slow();
  Recorder every;
  Recorder latest;
  const auto first = add(every);
  const auto second = add(latest, {.delivery = HandlerDelivery::LatestState});
  ScriptedCall watch = start({object_text("x/a", "5"), object_text("x/b", "6")});
  EXPECT_FALSE(second.has_synced());
  run_handlers();
  EXPECT_TRUE(second.has_synced());
  every.take();
  EXPECT_EQ(latest.take(), (std::vector<std::string>{"*add x/a@5", "*add x/b@6"}));
  watch.data(modified("x/a", "11") + modified("x/a", "12") + added("x/c", "13") +
             deleted("x/c", "14") + deleted("x/b", "15") + added("x/b", "16"));
  run();
  EXPECT_EQ(first.status().pending, 6U);
  EXPECT_EQ(second.status().pending, 3U);
  EXPECT_EQ(second.status().merged, 3U);
  EXPECT_TRUE(second.status().merges);
  run_handlers();
  EXPECT_EQ(every.log.size(), 6U);
  EXPECT_THAT(latest.take(), ElementsAre("update x/a@5 -> x/a@12", "delete x/b@15", "add x/b@16"));
}

TEST_F(SlowHandlerTest, ItsLagIsTheAgeOfItsOldestDelta) {
  make_slow();
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start();
  run_handlers();
  EXPECT_EQ(status().lag, 0s);
  watch.data(modified("x/a", "11"));
  run();
  run_for(3s);
  watch.data(modified("x/a", "12"));
  run_for(4s);
  EXPECT_EQ(status().pending, 2U);
  EXPECT_EQ(status().lag, Duration(7s));
  run_handlers();
  EXPECT_EQ(status().pending, 0U);
  EXPECT_EQ(status().lag, 0s);
}

// As long as it is in a call, the event of that call is its oldest.
TEST_F(SlowHandlerTest, ItsLagGrowsWhileItIsInACall) {
  make();
  Duration lag_inside{};
  const auto registration = informer->add_event_handler({.on_add = [&](const auto&, bool) {
    executor->run_for(5s);
    lag_inside = informer->status().handlers.front().lag;
  }});
  start();
  EXPECT_EQ(lag_inside, Duration(5s));
}

TEST_F(SlowHandlerTest, TheLatestStateIsAllThatIsHeld) {
  make_slow();
  const auto registration =
      informer->add_event_handler({}, {.delivery = HandlerDelivery::LatestState});
  ScriptedCall watch = start();
  for (int i = 0; i < 1000; ++i) {
    watch.data(modified("x/a", std::to_string(11 + i)));
    if (i % 50 == 0) run();
  }
  run();
  EXPECT_EQ(status().pending, 2U) << "the add, and the mark of the sync";
  EXPECT_EQ(status().merged, 1000U);
}

TEST_F(SlowHandlerTest, OneThatMustHaveEveryEventEndsWhenItFallsBehind) {
  make_slow();
  Recorder strict;
  Recorder other;
  const auto first =
      add(strict, {.name = "audit", .max_pending = 10, .overflow = HandlerOverflow::Unregister});
  const auto second = add(other);
  ScriptedCall watch = start();
  run_handlers();
  strict.take();
  other.take();
  for (int i = 0; i < 10; ++i) watch.data(modified("x/a", std::to_string(11 + i)));
  run();
  EXPECT_FALSE(first.status().fell_behind);
  EXPECT_TRUE(check_health(*informer));
  watch.data(modified("x/a", "21"));
  run();
  EXPECT_TRUE(first.status().fell_behind);
  EXPECT_EQ(first.status().overflows, 1U);
  EXPECT_EQ(first.status().pending, 0U) << "what waited is dropped";
  EXPECT_THAT(log->take_lines(), ElementsAre(HasSubstr("handler fell behind and is unregistered")));
  EXPECT_THAT(check_health(*informer).error().to_string(),
              HasSubstr("pods: handler audit fell behind and is unregistered"));
  watch.data(modified("x/a", "22"));
  run();
  run_handlers();
  EXPECT_THAT(strict.take(), IsEmpty());
  EXPECT_THAT(other.take(), ::testing::SizeIs(12)) << "the other handler misses nothing";
  EXPECT_EQ(second.status().overflows, 0U);
}

TEST_F(SlowHandlerTest, WhatTheCacheBringsByItselfIsNoOverflow) {
  make_slow({.resync_period = 10s});
  Recorder recorder;
  std::vector<std::string> objects;
  for (int i = 0; i < 20; ++i) objects.push_back(object_text("x/" + std::to_string(i), "5"));
  int ended = 0;
  const auto registration = add(recorder, {.max_pending = 3,
                                           .overflow = HandlerOverflow::Unregister,
                                           .on_fell_behind = [&] { ++ended; }});
  ScriptedCall watch = start(objects);
  EXPECT_EQ(status().pending, 21U) << "the initial state, and the mark of its end";
  run_handlers();
  watch = relist(watch, objects, "30");
  EXPECT_GE(status().pending, 20U);
  run_for(10s);
  EXPECT_GE(status().pending, 40U) << "a relist and a resync";
  for (int i = 0; i < 3; ++i) watch.data(modified("x/1", std::to_string(31 + i)));
  run();
  EXPECT_FALSE(status().fell_behind);
  EXPECT_THAT(log->lines_with("fell behind"), IsEmpty());
  watch.data(modified("x/1", "40"));
  run();
  EXPECT_TRUE(status().fell_behind) << "the fourth event";
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(status().lag, 0s);
}

TEST_F(SlowHandlerTest, AnOverflowThatNeverComesIsWarnedOf) {
  make_slow();
  Recorder recorder;
  const auto first = add(recorder, {.overflow = HandlerOverflow::Unregister});
  const auto second = add(recorder, {.delivery = HandlerDelivery::LatestState,
                                     .max_pending = 3,
                                     .overflow = HandlerOverflow::Unregister});
  EXPECT_THAT(log->take_lines(), ElementsAre(HasSubstr("handler never overflows"),
                                             HasSubstr("handler never overflows")));
}

TEST_F(SlowHandlerTest, AnOverflowIsInStatusLogAndMetricsAndEndsByItself) {
  struct Values final : metrics::Provider {
    struct Set final : metrics::GaugeImpl, metrics::CounterImpl {
      explicit Set(double& to) : value(to) {}
      void set(double to) override { value = to; }
      void add(double amount) override { value += amount; }
      double& value;
    };
    std::shared_ptr<metrics::CounterImpl> counter(std::string_view name,
                                                  const metrics::Labels&) override {
      return std::make_shared<Set>(values[std::string(name)]);
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
  make_slow();
  Recorder recorder;
  const auto registration = add(recorder, {.name = "slow", .max_pending = 10});
  ScriptedCall watch = start();
  run_handlers();
  recorder.take();
  const auto burst = [&](int from, int count) {
    for (int i = 0; i < count; ++i) watch.data(modified("x/a", std::to_string(from + i)));
    run();
  };
  burst(11, 10);
  EXPECT_EQ(status().pending, 10U);
  EXPECT_FALSE(status().merges);
  burst(21, 10);
  EXPECT_EQ(status().pending, 1U);
  EXPECT_TRUE(status().merges);
  EXPECT_EQ(status().overflows, 1U);
  EXPECT_EQ(values->values["informer_handler_overflows_total"], 1);
  EXPECT_EQ(values->values["informer_handler_merged_total"], 19);
  EXPECT_THAT(log->take_lines(), ElementsAre(HasSubstr("handler falls behind")));
  run_for(3s);
  EXPECT_GE(values->values["informer_handler_lag_seconds"], 2);
  run_handlers();
  EXPECT_THAT(recorder.take(), ElementsAre("update x/a@5 -> x/a@30"));
  EXPECT_FALSE(status().merges);
  run_for(1s);
  EXPECT_EQ(values->values["informer_handler_lag_seconds"], 0);
  burst(31, 11);
  run_handlers();
  EXPECT_EQ(status().overflows, 2U);
  EXPECT_THAT(log->take_lines(), IsEmpty()) << "once a minute";
  EXPECT_THAT(recorder.take(), ElementsAre("update x/a@30 -> x/a@41"));
}

}  // namespace
}  // namespace kube::cache
