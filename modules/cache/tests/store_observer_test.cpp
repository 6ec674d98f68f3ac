// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/store_observer.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using testing::bookmark_text;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::object_text;
using testing::ScriptedCall;

class WritingObserver final : public StoreObserver {
 public:
  void on_replaced(std::vector<CellRef> objects, std::string_view version, bool changed) override {
    std::vector<std::string> keys;
    for (const CellRef& each : objects) keys.emplace_back(each->key());
    std::ranges::sort(keys);
    std::string line = changed ? "replaced" : "same";
    for (const std::string& key : keys) line += " " + key;
    log.push_back(line + " @" + std::string(version));
  }
  void on_stored(const CellRef& object) override { note("stored", object); }
  void on_removed(const CellRef& object, bool final_state_unknown) override {
    note(final_state_unknown ? "lost" : "removed", object);
  }
  void on_progress(std::string_view version) override {
    log.push_back("progress @" + std::string(version));
  }
  void on_condition(InformerCondition condition) override {
    log.emplace_back(to_string(condition));
  }
  std::vector<std::string> take() { return std::exchange(log, {}); }

 private:
  void note(const char* what, const CellRef& object) {
    log.push_back(std::string(what) + " " + std::string(object->key()) + "@" +
                  std::string(object->resource_version()));
  }
  std::vector<std::string> log;
};

class StoreObserverTest : public testing::InformerFixture {};

TEST_F(StoreObserverTest, SeesListsEventsAndBookmarksInOrder) {
  make();
  const auto observer = std::make_shared<WritingObserver>();
  informer->add_store_observer(observer);
  ScriptedCall watch = start();
  EXPECT_THAT(observer->take(), ElementsAre("replaced x/a @10"));
  watch.data(added("x/b", "11") + deleted("x/a", "12") + bookmark_text("20"));
  run();
  EXPECT_THAT(observer->take(),
              ElementsAre("Healthy", "stored x/b@11", "removed x/a@12", "progress @20"));
}

TEST_F(StoreObserverTest, OfARemovalWhoseFinalStateIsRefusedTheVersionFollows) {
  make();
  bool refuses = false;
  ASSERT_TRUE(informer->set_transform([&](Unstructured pod) -> Result<Unstructured> {
    if (refuses) throw std::runtime_error("not this one");
    return pod;
  }));
  const auto observer = std::make_shared<WritingObserver>();
  informer->add_store_observer(observer);
  ScriptedCall watch = start();
  observer->take();
  refuses = true;
  watch.data(deleted("x/a", "12") + bookmark_text("20"));
  run();
  EXPECT_THAT(observer->take(),
              ElementsAre("Healthy", "lost x/a@5", "progress @12", "progress @20"));
}

TEST_F(StoreObserverTest, SeesARelistAsSuchAndWhetherItHasChangedAnything) {
  make();
  const auto observer = std::make_shared<WritingObserver>();
  informer->add_store_observer(observer);
  ScriptedCall watch = start();
  observer->take();
  watch = relist(std::move(watch), {object_text("x/a", "5")}, "30");
  EXPECT_THAT(observer->take(), ElementsAre("Healthy", "same x/a @30"));
  watch = relist(std::move(watch), {object_text("x/c", "35")}, "40");
  EXPECT_THAT(observer->take(), ElementsAre("replaced x/c @40"));
}

TEST_F(StoreObserverTest, OneThatIsAddedLateBeginsWithTheState) {
  ScriptedCall watch = start();
  watch.data(modified("x/a", "12"));
  run();
  const auto observer = std::make_shared<WritingObserver>();
  informer->add_store_observer(observer);
  run();
  EXPECT_THAT(observer->take(), ElementsAre("replaced x/a @12", "Healthy"));
}

TEST_F(StoreObserverTest, SeesThatTheServerHasNoSuchResourceAndAListBeforeAllElse) {
  ScriptedCall watch = start();
  watch.head();
  run();
  const auto observer = std::make_shared<WritingObserver>();
  informer->add_store_observer(observer);
  run();
  EXPECT_THAT(observer->take(), ElementsAre("replaced x/a @10", "Healthy"));
  run_for(std::chrono::seconds(2));
  watch.end();
  watch = next_watch();
  testing::respond_status(watch, 404, "NotFound", "no");
  run();
  EXPECT_THAT(observer->take(), ElementsAre("Missing"));
  const auto late = std::make_shared<WritingObserver>();
  informer->add_store_observer(late);
  run();
  EXPECT_THAT(late->take(), ElementsAre("replaced x/a @10", "Missing"));
  run_for(std::chrono::seconds(10));
  next_list().respond(200, testing::list_text({object_text("x/b", "20")}, "20"));
  next_watch().head();
  run();
  EXPECT_THAT(observer->take(), ElementsAre("replaced x/b @20", "Healthy"));
}

TEST_F(StoreObserverTest, OneThatIsGoneIsForgotten) {
  make();
  auto observer = std::make_shared<WritingObserver>();
  informer->add_store_observer(observer);
  ScriptedCall watch = start();
  EXPECT_THAT(observer->take(), ElementsAre("replaced x/a @10"));
  observer.reset();
  watch.data(modified("x/a", "12"));
  run();
  EXPECT_EQ(informer->last_sync_resource_version(), "12");
}

}  // namespace
}  // namespace kube::cache
