// SPDX-License-Identifier: Apache-2.0
//
// Indexes of an informer: added early and late, and functions that fail.
#include <kube/cache/indexer.hpp>

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/index_functions.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/cache/store.hpp>
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

TEST_F(IndexerTest, IDX_11_IndexesAreAddedAllOrNone) {
  make();
  const auto by_version = [](const Cached<Unstructured>& pod) {
    return std::vector<std::string>{std::string(pod.resource_version())};
  };
  ASSERT_TRUE(informer->add_indexers({{"one", by_version}, {"two", by_version}}));
  start();
  EXPECT_FALSE(informer->add_indexers({{"three", by_version}, {"two", by_version}}));
  EXPECT_FALSE(informer->add_indexers({{"namespace", by_version}, {"three", by_version}}));
  EXPECT_THAT(informer->indexer().index_names(), ElementsAre("namespace", "one", "two"));
  EXPECT_THAT(*informer->indexer().index_keys("two", "5"), ElementsAre("x/a"));
}

TEST_F(IndexerTest, TheFunctionsOfItsIndexesServeAnotherStore) {
  make();
  ASSERT_TRUE(informer->add_indexers({
      {"app", index_by_label<Unstructured>("app")},
      {"bad", [](const auto&) -> std::vector<std::string> { throw std::runtime_error("no"); }},
  }));
  start({object_text("x/a", "5", R"("labels":{"app":"web"})")});
  const Indexers<Unstructured> indexers = informer->indexer().get_indexers();
  ASSERT_EQ(indexers.size(), 2U);
  const Cached<Unstructured> a = informer->indexer().get_by_key("x/a");
  EXPECT_THAT(indexers.at("app")(a), ElementsAre("web"));
  EXPECT_THROW(indexers.at("bad")(a), std::runtime_error);

  kube::Store<Unstructured> other({.indexers = indexers});
  ASSERT_TRUE(other.add(a));
  EXPECT_THAT(*other.index_keys("app", "web"), ElementsAre("x/a"));
  EXPECT_EQ(other.get_indexers().size(), 2U);
  EXPECT_EQ(other.add_indexers(indexers).error().code(), ErrorCode::InvalidArgument);
  informer->stop_and_wait();
  EXPECT_THROW(indexers.at("bad")(a), ApiException) << "a stopped informer calls no user code";
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
