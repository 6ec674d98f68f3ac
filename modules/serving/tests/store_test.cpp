// SPDX-License-Identifier: Apache-2.0
//
// The store without HTTP: revisions, history, snapshots, waiting.
#include "storage/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <random>
#include <thread>

#include <kube/testing/seeds.hpp>

#include "forms/json_encoding.hpp"

namespace kube::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Resource things() {
  Resource resource;
  resource.gvk = {"", "v1", "Thing"};
  resource.list_kind = "ThingList";
  resource.plural = "things";
  resource.stored_gvk = resource.gvk;
  resource.storage = "/things";
  return resource;
}

std::unique_ptr<StoredObject> object(std::string_view namespace_, std::string_view name,
                                     std::string_view value = {}) {
  const json::Value content = json::Object{
      {"metadata", json::Object{{"name", name}, {"namespace", namespace_}, {"uid", "u"}}},
      {"value", value}};
  return prepare_object(content, things());
}

class StoreTest : public ::testing::Test {
 protected:
  explicit StoreTest(EventLog::Bounds bounds = {100, 1'000'000})
      : store_({bounds, 100, [this](std::function<void()> task) {
                  ++posted_;
                  task();
                }}) {}

  ObjectPtr put(std::string_view namespace_, std::string_view name, std::string_view value = {}) {
    auto next = object(namespace_, name, value);
    const ObjectPtr current = things_.get(next->key());
    return *store_.put(things_, current, std::move(next));
  }
  void remove(std::string_view key) { ASSERT_TRUE(store_.remove(things_, things_.get(key))); }
  static std::vector<std::string> keys(const Snapshot& snapshot) {
    std::vector<std::string> out;
    for (const ObjectPtr& stored : snapshot.objects) out.push_back(stored->key());
    return out;
  }
  Snapshot at(std::uint64_t revision, Scope scope = {}) {
    Collection::Page page;
    page.at = revision;
    Snapshot out;
    EXPECT_EQ(things_.page(scope, page, out), ReadError::None);
    return out;
  }

  int posted_ = 0;
  Store store_;
  Collection& things_ = store_.collection("/things");
};

TEST_F(StoreTest, EveryWriteTakesTheNextRevision) {
  EXPECT_EQ(put("n", "a")->revision, 101U);
  EXPECT_EQ(put("n", "b")->revision, 102U);
  Collection& others = store_.collection("/others");
  EXPECT_EQ((*store_.put(others, nullptr, object("n", "a")))->revision, 103U);
  EXPECT_EQ(store_.revision(), 103U);
  EXPECT_EQ(store_.writes(), 3U);
}

TEST_F(StoreTest, AWriteToAnotherStateThanTheCurrentIsRefused) {
  const ObjectPtr first = put("n", "a", "1");
  const ObjectPtr second = put("n", "a", "2");
  EXPECT_EQ(*store_.put(things_, first, object("n", "a", "3")), nullptr);
  EXPECT_EQ(*store_.put(things_, nullptr, object("n", "a", "3")), nullptr);
  EXPECT_EQ(*store_.remove(things_, first), 0U);
  EXPECT_EQ(store_.revision(), 102U);
  EXPECT_EQ(*store_.remove(things_, second), 103U);
}

TEST_F(StoreTest, AGuardsErrorStopsTheWrite) {
  const auto refused = store_.put(things_, nullptr, object("n", "a"), []() -> Result<void> {
    return Error(ErrorCode::InvalidArgument, "no");
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "no");
  EXPECT_EQ(store_.revision(), 100U);
}

TEST_F(StoreTest, SnapshotsAreOrderedByTheWholeKey) {
  for (const std::string_view namespace_ : {"b", "a", "a-b"}) put(namespace_, "x");
  put("a", "a");
  EXPECT_THAT(keys(things_.snapshot({})), ElementsAre("a-b/x", "a/a", "a/x", "b/x"));
  EXPECT_THAT(keys(things_.snapshot({"a"})), ElementsAre("a/a", "a/x"));
  EXPECT_THAT(keys(things_.snapshot({"a-"})), IsEmpty());
  EXPECT_EQ(things_.size("a"), 2U);
}

TEST_F(StoreTest, ReadersBetweenTwoWritesShareTheState) {
  put("n", "a");
  put("m", "a");
  const SharedSnapshot all = things_.shared_snapshot({});
  EXPECT_EQ(all.revision, 102U);
  EXPECT_EQ(all.objects->size(), 2U);
  const SharedSnapshot part = things_.shared_snapshot({"n"});
  EXPECT_EQ(part.objects->size(), 1U);
  // A write to another collection changes only the revision.
  (void)*store_.put(store_.collection("/others"), nullptr, object("n", "a"));
  EXPECT_EQ(things_.shared_snapshot({}).objects, all.objects);
  EXPECT_EQ(things_.shared_snapshot({}).revision, 103U);
  EXPECT_EQ(things_.shared_snapshot({"n"}).objects, part.objects);
  put("n", "b");
  EXPECT_EQ(things_.shared_snapshot({}).objects->size(), 3U);
  EXPECT_EQ(all.objects->size(), 2U);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_THAT(*things_.shared_snapshot({std::to_string(i)}).objects, IsEmpty());
  }
  EXPECT_EQ(things_.shared_snapshot({"n"}).objects->size(), 2U);
}

TEST_F(StoreTest, ThePastCanBeReadAsItWas) {
  put("n", "a", "1");
  put("n", "b");
  const std::uint64_t then = store_.revision();
  put("n", "a", "2");
  remove("n/b");
  put("n", "c");
  put("n", "b", "again");
  const Snapshot past = at(then);
  EXPECT_EQ(past.revision, then);
  EXPECT_THAT(keys(past), ElementsAre("n/a", "n/b"));
  EXPECT_EQ(past.objects[0]->revision, 101U);
  EXPECT_THAT(keys(at(100)), IsEmpty());
  EXPECT_THAT(keys(at(then, {"m"})), IsEmpty());
}

TEST_F(StoreTest, PagesCountWhatRemains) {
  for (const std::string_view name : {"a", "b", "c", "d"}) put("n", name);
  put("m", "x");
  Collection::Page page;
  page.limit = 3;
  Snapshot out;
  ASSERT_EQ(things_.page({"n"}, page, out), ReadError::None);
  EXPECT_EQ(out.remaining, 1U);
  remove("n/a");
  page.at = 105;
  page.limit = 1;
  Snapshot past;
  ASSERT_EQ(things_.page({"n"}, page, past), ReadError::None);
  EXPECT_EQ(past.remaining, 3U);
}

TEST_F(StoreTest, WhatIsCompactedOrToComeCanNotBeRead) {
  put("n", "a");
  put("n", "b");
  store_.compact(101);
  Collection::Page page;
  Snapshot out;
  page.at = 100;
  EXPECT_EQ(things_.page({}, page, out), ReadError::Expired);
  page.at = 101;
  EXPECT_EQ(things_.page({}, page, out), ReadError::None);
  page.at = 103;
  EXPECT_EQ(things_.page({}, page, out), ReadError::TooNew);
  std::uint64_t oldest = 0;
  EXPECT_EQ(things_.check_start(100, oldest), ReadError::Expired);
  EXPECT_EQ(oldest, 101U);
  // This holds for an unused collection too.
  EXPECT_EQ(store_.collection("/late").check_start(100, oldest), ReadError::Expired);
}

TEST_F(StoreTest, AReaderGetsEventsInOrderAndIsWokenByTheNext) {
  int woken = 0;
  const auto waker = std::make_shared<const Waker>([&] { ++woken; });
  put("n", "a");
  Collection::Events events;
  ASSERT_EQ(things_.read(100, 10, waker, events), ReadError::None);
  ASSERT_EQ(events.events.size(), 1U);
  EXPECT_EQ(events.events[0]->type, EventType::Added);

  Collection::Events none;
  ASSERT_EQ(things_.read(101, 10, waker, none), ReadError::None);
  EXPECT_THAT(none.events, IsEmpty());
  EXPECT_EQ(none.revision, 101U);
  EXPECT_EQ(woken, 0);
  put("n", "a", "2");
  EXPECT_EQ(woken, 1);
  put("n", "a", "3");
  EXPECT_EQ(woken, 1) << "a reader that is not waiting is not woken";
  Collection::Events two;
  ASSERT_EQ(things_.read(101, 10, waker, two), ReadError::None);
  EXPECT_EQ(two.events.size(), 2U);
}

TEST_F(StoreTest, AReaderThatHasGoneIsNotWoken) {
  int woken = 0;
  const auto waker = std::make_shared<const Waker>([&] { ++woken; });
  Collection::Events events;
  ASSERT_EQ(things_.read(100, 10, waker, events), ReadError::None);
  things_.forget(waker);
  put("n", "a");
  EXPECT_EQ(woken, 0);
  EXPECT_EQ(posted_, 0);
}

TEST_F(StoreTest, AReaderOfANamespaceIsWokenByItsEventsAlone) {
  int woken = 0;
  const auto waker = std::make_shared<const Waker>([&] { ++woken; });
  Collection::Events events;
  ASSERT_EQ(things_.read(100, 10, waker, events, 0, {"n"}), ReadError::None);
  put("others", "a");
  EXPECT_EQ(woken, 0);
  put("n", "a");
  EXPECT_EQ(woken, 1);
  ASSERT_EQ(things_.read(100, 10, waker, events, 0, {"n"}), ReadError::None);
  ASSERT_EQ(events.events.size(), 1U) << "what came while it waited is not for it";
  EXPECT_EQ(events.events[0]->object->key(), "n/a");

  Collection::Events none;
  ASSERT_EQ(things_.read(102, 10, waker, none, 0, {"n"}), ReadError::None);
  things_.forget(waker, {"n"});
  put("n", "a", "2");
  EXPECT_EQ(woken, 1);
}

TEST_F(StoreTest, ManyWaitersCostTheWriterOnePost) {
  int woken = 0;
  std::vector<WakerPtr> wakers;
  for (int i = 0; i < 1000; ++i) {
    wakers.push_back(std::make_shared<const Waker>([&] { ++woken; }));
    Collection::Events events;
    ASSERT_EQ(things_.read(100, 10, wakers.back(), events), ReadError::None);
  }
  put("n", "a");
  EXPECT_EQ(posted_, 1);
  EXPECT_EQ(woken, 1000);
}

TEST_F(StoreTest, WhoWaitsForARevisionIsWokenWhenItComes) {
  int woken = 0;
  const auto waker = std::make_shared<const Waker>([&] { ++woken; });
  store_.when_reached(102, waker);
  put("n", "a");
  EXPECT_EQ(woken, 0);
  put("n", "b");
  EXPECT_EQ(woken, 1);
  store_.when_reached(102, waker);
  EXPECT_EQ(woken, 2);
  store_.when_reached(200, waker);
  store_.forget(waker);
}

class BoundedStore : public StoreTest {
 protected:
  BoundedStore() : StoreTest({3, 1'000'000}) {}
};

TEST_F(BoundedStore, AReaderThatWaitsLosesNothingWhenOthersFillTheHistory) {
  int woken = 0;
  const auto waker = std::make_shared<const Waker>([&] { ++woken; });
  Collection::Events events;
  ASSERT_EQ(things_.read(100, 10, waker, events, 0, {"n"}), ReadError::None);
  for (int i = 0; i < 10; ++i) put("others", "a", std::to_string(i));
  // A bookmark is due: nothing has woken it.
  ASSERT_EQ(things_.read(100, 10, waker, events, 0, {"n"}), ReadError::None);
  EXPECT_THAT(events.events, IsEmpty());
  EXPECT_EQ(events.revision, 110U);
  for (int i = 0; i < 10; ++i) put("others", "a", std::to_string(i));
  put("n", "a");
  put("others", "b");
  EXPECT_EQ(woken, 1);
  ASSERT_EQ(things_.read(110, 10, waker, events, 0, {"n"}), ReadError::None);
  ASSERT_EQ(events.events.size(), 2U);
  EXPECT_EQ(events.events[0]->object->key(), "n/a");
  // Woken, it does not wait any more: what it leaves unread may be lost to it.
  for (int i = 0; i < 10; ++i) put("others", "a", std::to_string(i));
  EXPECT_EQ(things_.read(121, 10, waker, events, 0, {"n"}), ReadError::Expired);
}

/// A reader as a watch is one, and what it has to get.
class ModelReader {
 public:
  ModelReader(Collection& things, Scope scope) : things_(things), scope_(std::move(scope)) {
    begin(0);
  }
  ~ModelReader() { things_.forget(waker_, scope_); }
  ModelReader(const ModelReader&) = delete;
  ModelReader& operator=(const ModelReader&) = delete;

  /// Begins again, as a client does after a 410, or when its watch is over.
  void begin(std::uint64_t ahead) {
    if (waker_) things_.forget(waker_, scope_);
    waker_ = std::make_shared<const Waker>([this] { ++woken_; });
    needs_after_ = position_ = things_.revision() + ahead;
    epoch_ = things_.epoch();
    unread_.clear();
    waits_ = false;
  }

  void on_event(std::string_view namespace_, std::uint64_t revision) {
    if (!scope_.namespace_.empty() && scope_.namespace_ != namespace_) return;
    if (revision > position_) unread_.push_back(revision);
    stop_waiting(revision - 1);
  }
  /// Woken by something else, when it is sure to have what is up to a revision.
  void stop_waiting(std::uint64_t revision) {
    if (!std::exchange(waits_, false)) return;
    ++to_be_woken_;
    needs_after_ = std::max(needs_after_, revision);
  }
  bool is_woken_as_often_as_it_has_to() const { return woken_ == to_be_woken_; }

  /// `dropped`: the newest event that the history has dropped.
  void read(std::size_t max, std::uint64_t dropped) {
    const bool may_have_missed = !waits_ && needs_after_ < dropped;
    Collection::Events events;
    const ReadError error = things_.read(position_, max, waker_, events, epoch_, scope_);
    ASSERT_EQ(error == ReadError::Expired, may_have_missed || epoch_ != things_.epoch())
        << "at " << position_ << " in \"" << scope_.namespace_ << '"';
    if (error == ReadError::Expired) return begin(0);
    for (const EventPtr& event : events.events) {
      position_ = event->revision;
      const std::string& in = event->object->namespace_;
      if (!scope_.namespace_.empty() && scope_.namespace_ != in) continue;
      ASSERT_FALSE(unread_.empty()) << position_ << " came twice";
      ASSERT_EQ(position_, unread_.front()) << "a gap";
      unread_.pop_front();
    }
    if (events.events.empty()) {
      ASSERT_TRUE(unread_.empty()) << "it would wait for what has happened";
      ASSERT_EQ(events.revision, std::max(position_, things_.revision()));
      position_ = events.revision;
      waits_ = true;
    }
    needs_after_ = position_;
  }

 private:
  Collection& things_;
  const Scope scope_;
  WakerPtr waker_;
  std::uint64_t position_ = 0;     ///< As a watch knows it.
  std::uint64_t needs_after_ = 0;  ///< While it does not wait.
  std::uint64_t epoch_ = 0;
  std::deque<std::uint64_t> unread_;  ///< Events in its scope.
  bool waits_ = false;
  int woken_ = 0;
  int to_be_woken_ = 0;
};

TEST_F(BoundedStore, ReadersGetEachEventOnceAndExpireOnlyWhenTheyHaveMissedSome) {
  constexpr std::array<std::string_view, 3> kNamespaces = {"n", "m", "o"};
  Collection& others = store_.collection("/others");
  for (const std::uint64_t seed : kube::testing::chosen_seeds(300)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    store_.restart(things_, {}, store_.revision());
    std::vector<std::uint64_t> all = {store_.revision()};  // dropped, and the events since then
    std::vector<std::unique_ptr<ModelReader>> readers;
    for (const char* of : {"", "n", "m", "n"}) {
      readers.push_back(std::make_unique<ModelReader>(things_, Scope{of}));
    }
    const auto happened = [&](std::string_view namespace_) {
      all.push_back(store_.revision());
      for (const auto& each : readers) each->on_event(namespace_, store_.revision());
    };
    const auto woken_otherwise = [&] {
      for (const auto& each : readers) each->stop_waiting(store_.revision());
    };
    for (int step = 0; step < 150; ++step) {
      const std::string_view in = kNamespaces[random() % 3];
      ModelReader& reader = *readers[random() % readers.size()];
      const std::uint64_t next = store_.revision() + 1 + random() % 3;
      switch (random() % 24) {
        case 0:
          store_.wake_watches(things_);
          woken_otherwise();
          break;
        case 1:
          store_.advance(things_, next);
          break;
        case 2:
          store_.compact(store_.revision() - random() % 4);
          break;
        case 3:
          reader.begin(random() % 3);
          break;
        case 4: {  // another server's removal of what is not here is no event
          auto gone = object(in, "never");
          set_revision(*gone, next);
          ASSERT_TRUE(store_.follow(things_, EventType::Deleted, std::move(gone)));
          break;
        }
        case 5: {
          auto given = object(in, "followed", std::to_string(step));
          set_revision(*given, next);
          ASSERT_TRUE(store_.follow(things_, EventType::Modified, std::move(given)));
          happened(in);
          break;
        }
        case 6:
          if (random() % 4 != 0) break;
          store_.restart(things_, {}, next);
          woken_otherwise();
          all = {next};
          break;
        case 7:
          ASSERT_TRUE(store_.put(others, others.get(std::string(in) + "/x"), object(in, "x")));
          break;
        case 8:
          if (things_.get(std::string(in) + "/a") == nullptr) break;
          remove(std::string(in) + "/a");
          happened(in);
          break;
        case 9:
        case 10:
        case 11:
        case 12:
        case 13:
        case 14:
          put(in, "a", std::to_string(step));
          happened(in);
          break;
        default:
          reader.read(1 + random() % 3, all[all.size() - 1 - things_.history_size()]);
      }
      ASSERT_FALSE(HasFatalFailure()) << "step " << step;
      for (const auto& each : readers) ASSERT_TRUE(each->is_woken_as_often_as_it_has_to());
    }
  }
}

TEST_F(BoundedStore, HistoryForgetsTheOldestAndLateReadersAreTold) {
  for (int i = 0; i < 5; ++i) put("n", "a", std::to_string(i));
  EXPECT_EQ(things_.history_size(), 3U);
  Collection::Events events;
  EXPECT_EQ(things_.read(101, 10, nullptr, events), ReadError::Expired);
  EXPECT_EQ(events.oldest, 102U);
  EXPECT_EQ(things_.read(102, 10, nullptr, events), ReadError::None);
  EXPECT_EQ(events.events.size(), 3U);
}

class SmallStore : public StoreTest {
 protected:
  SmallStore() : StoreTest({1000, 1000}) {}
};

TEST_F(SmallStore, HistoryIsBoundedInBytesToo) {
  const std::string large(400, 'x');
  for (int i = 0; i < 50; ++i) put("n", "a", large + std::to_string(i));
  EXPECT_LE(things_.history_size(), 3U);
  EXPECT_GE(things_.history_size(), 1U);
}

TEST_F(StoreTest, ParallelWritersGetDistinctRevisionsAndLoseNothing) {
  constexpr int kWriters = 4;
  constexpr int kEach = 200;
  {
    std::vector<std::jthread> threads;
    for (int w = 0; w < kWriters; ++w) {
      threads.emplace_back([this, w] {
        for (int i = 0; i < kEach; ++i) {
          put("n" + std::to_string(w), "o" + std::to_string(i % 10), std::to_string(i));
        }
      });
    }
    // A reader that follows sees increasing revisions without a missing event.
    std::uint64_t seen = 100;
    while (seen < 100 + kWriters * kEach) {
      Collection::Events events;
      const ReadError error = things_.read(seen, 16, nullptr, events);
      if (error == ReadError::Expired) {
        seen = events.oldest;
        continue;
      }
      for (const EventPtr& event : events.events) {
        ASSERT_EQ(event->revision, seen + 1);
        seen = event->revision;
      }
    }
  }
  EXPECT_EQ(store_.revision(), 100U + kWriters * kEach);
}

TEST(StoredObjects, RevisionIsPutIntoTheTextAndCanBeShownAsAnother) {
  auto stored = object("n", "a");
  set_revision(*stored, 7);
  EXPECT_EQ(
      stored->body,
      R"("metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"},"value":""})");
  std::string other;
  append_body(*stored, 12345, other);
  EXPECT_EQ(
      other,
      R"("metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"12345"},"value":""})");
  std::string event;
  make_json_encoding({})->event(things(), EventType::Deleted, *stored, 9, true, event);
  EXPECT_EQ(
      event,
      R"({"type":"DELETED","object":{"kind":"Thing","apiVersion":"v1","metadata":{"name":"a",)"
      R"("namespace":"n","uid":"u","resourceVersion":"9"},"value":""}})"
      "\n");
}

TEST(StoredObjects, ANameThatLooksLikeTheRevisionsKeyIsHarmless) {
  const json::Value content = *json::parse(
      R"({"metadata":{"name":"resourceVersion","annotations":{"resourceVersion":"9"},"resourceVersion":"1"}})");
  auto stored = prepare_object(content, things());
  set_revision(*stored, 42);
  EXPECT_EQ(
      stored->body,
      R"("metadata":{"name":"resourceVersion","resourceVersion":"42","annotations":{"resourceVersion":"9"}}})");
}

TEST(StoredObjects, WithoutARevisionTheKeyIsLeftOut) {
  auto stored = object("", "a");
  drop_revision(*stored);
  EXPECT_EQ(stored->body, R"("metadata":{"name":"a","uid":"u"},"value":""})");
  std::string metadata;
  make_json_encoding({MediaType::Json, Transform::MetadataOnly})
      ->object(things(), *stored, metadata);
  EXPECT_EQ(
      metadata,
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","uid":"u"}})");
}

class HeldStateTest : public StoreTest {
 protected:
  HeldStateTest() : StoreTest({4, 1'000'000}) {}

  HeldStatePtr hold_all() {
    const SharedSnapshot all = things_.shared_snapshot({});
    return things_.hold(all.revision, all.objects);
  }
};

TEST_F(HeldStateTest, AStateIsHeldAsLongAsTheHistoryReachesBackToIt) {
  std::weak_ptr<const StoredObject> first = put("n", "a", "0");
  put("n", "b");
  const HeldStatePtr held = hold_all();
  const HeldStatePtr same = hold_all();
  EXPECT_EQ(held->objects(), same->objects());
  for (int i = 1; i <= 4; ++i) put("n", "a", std::to_string(i));
  EXPECT_EQ(things_.held_states(), 2U);
  ASSERT_TRUE(held->objects());
  EXPECT_EQ(held->objects()->front(), first.lock());
  put("n", "a", "5");
  EXPECT_FALSE(held->objects());
  EXPECT_FALSE(same->objects());
  EXPECT_TRUE(first.expired()) << "a reader keeps what the history has dropped";
  EXPECT_EQ(things_.held_states(), 0U);
}

TEST_F(HeldStateTest, AStateThatTheHistoryHasLostAlreadyIsNotHeld) {
  put("n", "a");
  const SharedSnapshot old = things_.shared_snapshot({});
  for (int i = 0; i < 5; ++i) put("n", "a", std::to_string(i));
  EXPECT_FALSE(things_.hold(old.revision, old.objects)->objects());
  EXPECT_EQ(things_.held_states(), 0U);
}

TEST_F(HeldStateTest, AStateIsHeldOverOneNewBeginningOfTheHistory) {
  put("n", "a");
  const HeldStatePtr held = hold_all();
  const auto revision = store_.revision();
  store_.restart(things_, {}, revision + 10);
  EXPECT_TRUE(held->objects());
  const HeldStatePtr later = hold_all();
  store_.restart(things_, {}, revision + 20);
  EXPECT_FALSE(held->objects());
  EXPECT_TRUE(later->objects());
  for (int i = 0; i < 5; ++i) put("n", "a", std::to_string(i));
  EXPECT_FALSE(later->objects());
}

TEST_F(HeldStateTest, CompactionReleasesTheStatesBeforeIt) {
  put("n", "a");
  const HeldStatePtr held = hold_all();
  put("n", "a", "1");
  const HeldStatePtr now = hold_all();
  store_.compact(store_.revision());
  EXPECT_FALSE(held->objects());
  EXPECT_TRUE(now->objects());
}

TEST_F(HeldStateTest, AReaderThatIsDoneHoldsNothing) {
  put("n", "a");
  hold_all();
  EXPECT_EQ(things_.held_states(), 0U);
}

}  // namespace
}  // namespace kube::serving
