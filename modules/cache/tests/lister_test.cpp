// SPDX-License-Identifier: Apache-2.0
//
// Listers: get and list from the store.
#include <kube/cache/lister.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/shared_informer.hpp>
#include <kube/meta/errors.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using ::testing::HasSubstr;
using testing::object_text;
using testing::pods;
using testing::show;

class ListerTest : public testing::InformerFixture {};

TEST_F(ListerTest, LST_03_LST_05_ListersAnswerAsAServerWould) {
  start({object_text("x/a", "5"), object_text("x/b", "6"), object_text("y/a", "7")});
  const auto lister = informer->lister();
  EXPECT_EQ(lister.list().size(), 3U);
  EXPECT_EQ(lister.in_namespace("x").list().size(), 2U);
  EXPECT_EQ(lister.in_namespace("").list().size(), 3U);
  EXPECT_EQ(lister.in_namespace("z").list().size(), 0U);
  EXPECT_EQ(show(lister.in_namespace("y").get("a").value()), "y/a@7");
  EXPECT_EQ(show(lister.get("y/a").value()), "y/a@7");
  EXPECT_EQ(show(lister.get("y", "a").value()), "y/a@7");
  EXPECT_EQ(show(lister.get(ObjectKey{"y", "a"}).value()), "y/a@7");
  EXPECT_TRUE(lister.find(ObjectKey{"y", "a"}));
  EXPECT_FALSE(lister.find("y/b"));
  EXPECT_FALSE(lister.in_namespace("y").find("b"));

  const auto missing = lister.in_namespace("y").get("b");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(is_not_found(missing.error()));
  EXPECT_EQ(missing.error().message(), "pods \"b\" not found");
  EXPECT_TRUE(is_not_found(lister.get("a").error())) << "the bare name of a namespaced object";
  EXPECT_EQ(lister.get("y/b").error().message(), "pods \"b\" not found");
}

TEST_F(ListerTest, LST_01_SelectorsReadLabelsWithoutDecoding) {
  std::vector<std::string> items;
  for (int i = 0; i < 100'000; ++i) {
    items.push_back(
        object_text("x/" + std::to_string(i), "5",
                    i % 10 == 0 ? R"("labels":{"app":"web"})" : R"("labels":{"app":"db"})"));
  }
  // One that no decoder would take; labels are read all the same.
  items.push_back(
      R"({"metadata":{"name":"odd","namespace":"y","labels":{"app":"web"}},"spec":{,}})");
  start(items);
  const auto lister = informer->lister();
  EXPECT_EQ(lister.list(*labels::parse("app=web")).value().size(), 10'001U);
  EXPECT_EQ(lister.list(labels::Selector()).value().size(), 100'001U);
  EXPECT_EQ(lister.list(*labels::parse("app=none")).value().size(), 0U);
  EXPECT_EQ(lister.list(labels::Selector::nothing()).value().size(), 0U);
  EXPECT_EQ(lister.in_namespace("y").list(*labels::parse("app=web")).value().size(), 1U);
}

// There is no store that could be asked.
TEST_F(ListerTest, LST_02_ASelectorThatMatchesNothingDoesNotTouchTheStore) {
  const Lister<Unstructured> everywhere(nullptr);
  EXPECT_EQ(everywhere.list(labels::Selector::nothing()).value().size(), 0U);
  EXPECT_EQ(everywhere.in_namespace("x").list(labels::Selector::nothing()).value().size(), 0U);
}

TEST_F(ListerTest, LST_06_LabelsThatCannotBeReadAreAnError) {
  start({object_text("x/a", "5", R"("labels":{"app":7})")});
  const auto listed = informer->lister().list(*labels::parse("app=web"));
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code(), ErrorCode::Decode);
  EXPECT_THAT(listed.error().to_string(), HasSubstr("x/a"));
}

TEST_F(ListerTest, ListersStayReadableWhenTheInformerIsGone) {
  start();
  const auto lister = informer->lister();
  informer.reset();
  EXPECT_TRUE(lister.find("x/a"));
}

}  // namespace
}  // namespace kube::cache
