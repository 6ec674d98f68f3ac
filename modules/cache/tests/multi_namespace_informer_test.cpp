// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/multi_namespace_informer.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/object_matchers.hpp>

#include "informer_fixture.hpp"

namespace kube::cache::testing {
namespace {

using kube::testing::HasKey;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class MultiNamespaceInformerTest : public InformerFixture {
 protected:
  using Pods = MultiNamespaceInformer<Unstructured>;

  /// Answers the list of a namespace; hands out the watch that follows.
  ScriptedCall answer(const std::string& namespace_, const std::vector<std::string>& items) {
    run();
    const std::string path = "/api/v1/namespaces/" + namespace_ + "/pods";
    transport->take_request("GET", path).value().respond(200, list_text(items, "10"));
    run();
    return transport->take_request("GET", path).value();
  }
};

TEST_F(MultiNamespaceInformerTest, HasTheObjectsOfItsNamespacesAlone) {
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  ASSERT_TRUE(view.start());
  answer("x", {object_text("x/a", "5")});
  EXPECT_FALSE(view.has_synced()) << "y has not";
  ScriptedCall watch = answer("y", {object_text("y/a", "6")});
  EXPECT_TRUE(view.has_synced());
  EXPECT_TRUE(view.wait_for_sync({}));
  EXPECT_THAT(view.lister().list(), UnorderedElementsAre(HasKey("x/a"), HasKey("y/a")));

  watch.data(added("y/b", "11"));
  run();
  EXPECT_EQ(view.lister().size(), 3U);
  EXPECT_EQ(transport->requests().size(), 4U) << "a list and a watch of each, none of the cluster";
  EXPECT_EQ(view.status().at("y").objects, 2U);
}

TEST_F(MultiNamespaceInformerTest, OneRegistrationIsThatOfAllInformers) {
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  Recorder recorder;
  auto registration = view.add_event_handler(recorder.handler(), {.name = "mine"});
  ASSERT_TRUE(view.start());
  ScriptedCall x = answer("x", {object_text("x/a", "5")});
  EXPECT_FALSE(registration.has_synced());
  ScriptedCall y = answer("y", {object_text("y/a", "6")});
  EXPECT_TRUE(registration.has_synced());
  EXPECT_TRUE(registration.wait_for_sync({}));
  EXPECT_THAT(recorder.take(), UnorderedElementsAre("*add x/a@5", "*add y/a@6"));
  x.data(modified("x/a", "11"));
  y.data(deleted("y/a", "12"));
  run();
  EXPECT_THAT(recorder.take(), UnorderedElementsAre("update x/a@5 -> x/a@11", "delete y/a@12"));
  EXPECT_EQ(registration.status().name, "mine");
  EXPECT_EQ(registration.status().delivered, 4U);
  EXPECT_TRUE(registration.status().synced);

  registration.unregister();
  x.data(modified("x/a", "13"));
  y.data(added("y/b", "14"));
  run();
  EXPECT_THAT(recorder.take(), IsEmpty());
  EXPECT_EQ(view.lister().size(), 2U) << "the caches go on";
}

TEST_F(MultiNamespaceInformerTest, NoNamespaceIsAllOfThem) {
  for (const std::vector<std::string>& namespaces :
       {std::vector<std::string>{}, std::vector<std::string>{"x", ""}}) {
    Pods view(client(), pods(), namespaces, {.watch_list = false});
    ASSERT_TRUE(view.start());
    next_list().respond(200, list_text({object_text("x/a", "5"), object_text("z/a", "6")}, "10"));
    const ScriptedCall watch = next_watch();
    EXPECT_EQ(watch.path(), "/api/v1/pods");
    run();
    EXPECT_EQ(view.lister().size(), 2U);
    EXPECT_TRUE(view.lister().get("z/a"));
    EXPECT_EQ(view.informers().size(), 1U);
  }
}

TEST_F(MultiNamespaceInformerTest, ADuplicateNamespaceIsListedOnceAndAClusterScopedResourceToo) {
  Pods twice(client(), pods(), {"x", "x"});
  EXPECT_EQ(twice.informers().size(), 1U);
  Pods nodes(client(), {"", "v1", "Node", "nodes", "node", false}, {"x", "y"});
  ASSERT_EQ(nodes.informers().size(), 1U);
  EXPECT_EQ(nodes.informers().begin()->first, "");
}

TEST_F(MultiNamespaceInformerTest, IndexesAndTransformsAreThoseOfEachInformer) {
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  ASSERT_TRUE(view.add_index("name", [](const Cached<Unstructured>& pod) {
    return std::vector<std::string>{std::string(pod.name())};
  }));
  ASSERT_TRUE(view.set_transform([](const Unstructured& pod) -> Result<Unstructured> {
    Unstructured changed = pod;
    changed.set_labels({{"seen", "yes"}});
    return changed;
  }));
  ASSERT_TRUE(view.start());
  answer("x", {object_text("x/a", "5"), object_text("x/b", "5")});
  answer("y", {object_text("y/a", "6")});
  EXPECT_THAT(view.lister().by_index("name", "a").value(),
              UnorderedElementsAre(HasKey("x/a"), HasKey("y/a")));
  EXPECT_FALSE(view.lister().by_index("no such", "a"));
  EXPECT_EQ(view.lister().list(labels::parse("seen=yes").value()).value().size(), 3U);

  const auto again = view.add_index("name", {});
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().to_string(), HasSubstr("namespace \"x\""));
  EXPECT_FALSE(view.start());
}

TEST_F(MultiNamespaceInformerTest, AStopEndsAllWatches) {
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  ASSERT_TRUE(view.start());
  const ScriptedCall x = answer("x", {});
  const ScriptedCall y = answer("y", {});
  view.stop_and_wait();
  run();
  EXPECT_TRUE(x.cancelled());
  EXPECT_TRUE(y.cancelled());
  EXPECT_TRUE(view.is_stopped());
}

TEST_F(MultiNamespaceInformerTest, WhenOneInformerStopsTheViewIsNotWhole) {
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  EXPECT_FALSE(view.is_stopped());
  view.informers().at("y")->stop();
  EXPECT_TRUE(view.is_stopped());
  EXPECT_FALSE(view.wait_for_sync({}));
}

TEST_F(MultiNamespaceInformerTest, OneThatCanNotBeStartedKeepsNoOtherFromIt) {
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  ASSERT_TRUE(view.informers().at("x")->start());
  const auto started = view.start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().to_string(), HasSubstr("namespace \"x\""));
  answer("x", {object_text("x/a", "5")});
  answer("y", {object_text("y/a", "6")});
  EXPECT_TRUE(view.has_synced());
}

TEST_F(MultiNamespaceInformerTest, AnIndexThatOneInformerHasIsAddedToTheOthers) {
  Pods view(client(), pods(), {"x", "y", "z"}, {.watch_list = false});
  const IndexFunc<Unstructured> name = [](const Cached<Unstructured>& pod) {
    return std::vector<std::string>{std::string(pod.name())};
  };
  ASSERT_TRUE(view.informers().at("y")->add_index("name", name));
  const auto result = view.add_index("name", name);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().to_string(), HasSubstr("namespace \"y\""));
  for (const auto& [namespace_, part] : view.informers()) {
    EXPECT_THAT(part->indexer().index_names(), ::testing::Contains("name")) << namespace_;
  }
}

TEST_F(MultiNamespaceInformerTest, AWaitForTheSyncEndsWithAnyInformerThatStops) {
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  ASSERT_TRUE(view.start());
  executor->submit([&] { view.informers().at("y")->stop(); });
  EXPECT_FALSE(view.wait_for_sync({})) << "x is not answered";

  Pods second(client(), pods(), {"v", "w"}, {.watch_list = false});
  ASSERT_TRUE(second.start());
  answer("v", {});
  second.informers().at("v")->stop();
  std::stop_source stop;
  executor->submit([&] { stop.request_stop(); });
  EXPECT_FALSE(second.wait_for_sync(stop.get_token())) << "v has synced, w has not";
  answer("w", {});
  EXPECT_TRUE(second.wait_for_sync({})) << "what is synced counts";
}

TEST_F(MultiNamespaceInformerTest, TheStatusOfARegistrationHasTheLongestLagAndAllMerges) {
  const auto slow = std::make_shared<SeededExecutor>(2);
  runtime.handlers = slow;
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  Recorder recorder;
  auto registration = view.add_event_handler(recorder.handler(), {.max_pending = 1});
  ASSERT_TRUE(view.start());
  answer("x", {object_text("x/a", "5")});
  run_for(std::chrono::seconds(5));
  ScriptedCall y = answer("y", {object_text("y/a", "6")});
  EXPECT_EQ(registration.status().lag, std::chrono::seconds(5)) << "that of x";
  EXPECT_FALSE(registration.status().merges);
  EXPECT_EQ(registration.status().overflows, 0U);
  for (int version = 11; version < 15; ++version) {
    y.data(modified("y/a", std::to_string(version)));
    run();
  }
  const HandlerStatus status = registration.status();
  EXPECT_TRUE(status.merges);
  EXPECT_EQ(status.overflows, 1U);
  EXPECT_GE(status.merged, 3U);
  registration.unregister();
  slow->stop();
}

TEST_F(MultiNamespaceInformerTest, AVersionIsThatOfTheObjectsNamespace) {
  using std::chrono::seconds;
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  ASSERT_TRUE(view.start());
  answer("x", {object_text("x/a", "5")});
  ScriptedCall y = answer("y", {object_text("y/a", "6")});
  const auto owner = std::make_shared<int>();
  int called = 0;
  ASSERT_TRUE(view.on_version(
      "y", "12", [&] { ++called; }, owner));
  EXPECT_FALSE(view.on_version(
      "z", "1", [&] { ++called; }, owner));
  y.data(modified("y/a", "12"));
  run();
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(view.has_version("y", "12"));
  EXPECT_FALSE(view.has_version("x", "12"));
  EXPECT_FALSE(view.has_version("z", "1"));
  EXPECT_TRUE(view.wait_for("y", "12", seconds(1)));
  EXPECT_EQ(view.wait_for("x", "12", seconds(1)).error().code(), ErrorCode::Timeout);
  const auto elsewhere = view.wait_for("z", "12", seconds(1));
  EXPECT_EQ(elsewhere.error().code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(elsewhere.error().to_string(), HasSubstr("namespace \"z\" is not watched"));
  EXPECT_TRUE(view.lister().wait_for("y", "12", seconds(1)));
  EXPECT_EQ(view.lister().wait_for("z", "12", seconds(1)).error().code(),
            ErrorCode::InvalidArgument);
}

TEST_F(MultiNamespaceInformerTest, TheListerHasTheQueriesByKeyAndIndexOfAll) {
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  ASSERT_TRUE(view.add_index("name", [](const Cached<Unstructured>& object) {
    return std::vector<std::string>{std::string(object.name())};
  }));
  ASSERT_TRUE(view.start());
  answer("x", {object_text("x/a", "5"), object_text("x/b", "6")});
  answer("y", {object_text("y/a", "7")});
  const auto lister = view.lister();
  EXPECT_TRUE(lister.find("y/a"));
  EXPECT_FALSE(lister.find("z/a"));
  EXPECT_THAT(*lister.index_keys("name", "a"), ElementsAre("x/a", "y/a"));
  EXPECT_FALSE(lister.index_keys("other", "a"));
  EXPECT_EQ(lister.count("name", "a"), 2U);
  EXPECT_THAT(lister.list_index_values("name"), ElementsAre("a", "b"));
  EXPECT_EQ(lister.parts().size(), 2U);
}

TEST_F(MultiNamespaceInformerTest, AHandlerThatFallsBehindInOneNamespaceEndsInAll) {
  const auto slow = std::make_shared<SeededExecutor>(2);
  runtime.handlers = slow;
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  Recorder recorder;
  int ended = 0;
  auto registration =
      view.add_event_handler(recorder.handler(), {.max_pending = 1,
                                                  .overflow = HandlerOverflow::Unregister,
                                                  .on_fell_behind = [&] { ++ended; }});
  ASSERT_TRUE(view.start());
  ScriptedCall x = answer("x", {});
  ScriptedCall y = answer("y", {});
  y.data(added("y/a", "11"));
  run();
  EXPECT_FALSE(registration.status().fell_behind);
  EXPECT_TRUE(check_health(view));
  y.data(added("y/b", "12"));
  run();
  EXPECT_TRUE(registration.status().fell_behind);
  EXPECT_EQ(ended, 1);
  EXPECT_THAT(check_health(view).error().to_string(), HasSubstr("pods in y: handler"));
  x.data(added("x/a", "13"));
  run();
  slow->run_ready();
  EXPECT_THAT(recorder.take(), IsEmpty()) << "neither of x nor of y";
  registration.unregister();
  slow->stop();
}

TEST_F(MultiNamespaceInformerTest, OneOfAllNamespacesHasTheVersionOfEach) {
  Pods view(client(), pods(), {}, {.watch_list = false});
  ASSERT_TRUE(view.start());
  run();
  transport->take_request("GET", "/api/v1/pods").value().respond(200, list_text({}, "10"));
  run();
  EXPECT_TRUE(view.has_version("x", "10"));
  EXPECT_TRUE(view.has_version("", "10"));
}

TEST_F(MultiNamespaceInformerTest, ItHasSyncedOnceWithTheLastNamespace) {
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  int synced = 0;
  view.on_synced([&] { ++synced; });
  ASSERT_TRUE(view.start());
  answer("x", {});
  run();
  EXPECT_EQ(synced, 0);
  answer("y", {});
  run();
  EXPECT_EQ(synced, 1);
}

TEST_F(MultiNamespaceInformerTest, ConditionsComeWithTheirNamespace) {
  Pods view(client(), pods(), {"x", "y"}, {.watch_list = false});
  std::vector<std::string> conditions;
  ASSERT_TRUE(view.set_condition_handler(
      [&](std::string_view namespace_, InformerCondition condition, const Optional<Error>&) {
        conditions.push_back(std::string(namespace_) + " " + std::string(to_string(condition)));
      }));
  std::vector<std::string> errors;
  ASSERT_TRUE(view.set_watch_error_handler(
      [&](std::string_view namespace_, const Error&) { errors.emplace_back(namespace_); }));
  ASSERT_TRUE(view.start());
  run();
  transport->take_request("GET", "/api/v1/namespaces/x/pods").value().respond(403, "{}");
  run();
  EXPECT_THAT(conditions, ElementsAre("x Forbidden"));
  EXPECT_THAT(errors, ElementsAre("x"));
  EXPECT_FALSE(view.set_condition_handler({})) << "it was started";
}

}  // namespace
}  // namespace kube::cache::testing
