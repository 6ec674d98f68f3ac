// SPDX-License-Identifier: Apache-2.0
//
// Indexes of an informer: added early and late, and functions that fail.
#include <kube/cache/indexer.hpp>

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/shared_informer.hpp>
#include <kube/meta/errors.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using ::testing::ElementsAre;
using testing::event_text;
using testing::object_text;
using testing::ScriptedCall;
using ::testing::UnorderedElementsAre;

class IndexerTest : public testing::InformerFixture {};

TEST_F(IndexerTest, INF_01_IndexesMayComeBeforeAndAfterTheStart) {
  make();
  const auto by_app = [](const Cached<Unstructured>& pod) {
    const labels::Set labels = pod->labels();
    const auto app = labels.find("app");
    return app == labels.end() ? std::vector<std::string>{} : std::vector<std::string>{app->second};
  };
  ASSERT_TRUE(informer->add_index("early", by_app));
  ScriptedCall watch = start({object_text("x/a", "5", R"("labels":{"app":"web"})")});
  ASSERT_TRUE(informer->add_index("late", by_app));
  const auto indexer = informer->indexer();
  EXPECT_EQ(indexer.by_index("early", "web").value().size(), 1U);
  EXPECT_EQ(indexer.by_index("late", "web").value().size(), 1U);
  watch.data(event_text("ADDED", object_text("x/b", "11", R"("labels":{"app":"web"})")) +
             event_text("MODIFIED", object_text("x/a", "12", R"("labels":{"app":"db"})")));
  run();
  for (const char* index : {"early", "late"}) {
    EXPECT_THAT(*indexer.index_keys(index, "web"), ElementsAre("x/b"));
    EXPECT_THAT(*indexer.index_keys(index, "db"), ElementsAre("x/a"));
    EXPECT_THAT(indexer.list_index_values(index), UnorderedElementsAre("web", "db"));
    EXPECT_EQ(indexer.count(index, "web"), 1U);
    const auto b = indexer.get_by_key("x/b");
    EXPECT_EQ(indexer.index(index, b).value().size(), 1U);
  }
  EXPECT_FALSE(informer->add_index("late", by_app));
  EXPECT_EQ(indexer.by_index("none", "x").error().code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(indexer.index_names(), ElementsAre("namespace", "early", "late"));
}

TEST_F(IndexerTest, AnIndexFunctionThatThrowsIsCountedAndTheObjectKept) {
  make();
  ASSERT_TRUE(informer->add_index(
      "bad", [](const auto&) -> std::vector<std::string> { throw std::runtime_error("no"); }));
  start();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_EQ(informer->indexer().size(), 1U);
  EXPECT_EQ(informer->status().processing_errors, 1U);
}

TEST_F(IndexerTest, NoIndexAfterTheEnd) {
  start();
  informer->stop_and_wait();
  EXPECT_FALSE(informer->add_index("late", [](const auto&) { return std::vector<std::string>{}; }));
}

}  // namespace
}  // namespace kube::cache
