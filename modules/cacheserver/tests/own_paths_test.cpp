// SPDX-License-Identifier: Apache-2.0
//
// GET paths of a program's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster_fixture.hpp"

namespace kube::cacheserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class OwnPathsTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.paths["/own/"] = [](std::string_view rest) -> Result<json::Value> {
      if (rest == "wrong") return Error(ErrorCode::InvalidArgument, "expected another");
      return json::Value(json::Object{{"rest", rest}});
    };
    return options;
  }
};

TEST_F(OwnPathsTest, AnswerWithTheAgeOfTheOldestCache) {
  serve(pods());
  serve(secrets());
  const Answer answer = ask_cache("/own/a/b");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.at({"rest"}), "a/b");
  EXPECT_THAT(answer.header("age"), MatchesRegex("[0-9]+"));
  EXPECT_EQ(answer.header("warning"), "");
  const Answer wrong = ask_cache("/own/wrong");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.header("age"), MatchesRegex("[0-9]+"));
}

TEST_F(OwnPathsTest, AreA503UntilEachInformerHasSynced) {
  serve(pods());
  AnyInformer late(client->rest(), secrets());
  ASSERT_TRUE(cache->add(late));
  const Answer early = ask_cache("/own/a");
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(early.at({"message"}), "the cache of secrets can't be served: it has not synced yet");
  EXPECT_EQ(early.header("retry-after"), "1");
  EXPECT_EQ(ask_cache("/api/v1/secrets").header("retry-after"), "1");
  ASSERT_TRUE(late.start());
  ASSERT_TRUE(late.wait_for_sync({}));
  EXPECT_EQ(ask_cache("/own/a").status, 200);
}

class OldOwnPathsTest : public OwnPathsTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = OwnPathsTest::cache_options();
    options.max_age = Duration(1);  // every cache is older
    options.paths_before_sync = true;
    return options;
  }
};

TEST_F(OldOwnPathsTest, WarnWhenACacheIsTooOld) {
  serve(pods());
  EXPECT_THAT(ask_cache("/own/a").header("warning"), HasSubstr("the cache of pods has heard"));
}

TEST_F(OldOwnPathsTest, CanBeAnsweredBeforeTheSync) {
  AnyInformer late(client->rest(), pods());
  ASSERT_TRUE(cache->add(late));
  const Answer early = ask_cache("/own/a");
  EXPECT_EQ(early.status, 200);
  EXPECT_EQ(early.header("age"), "") << "nothing was heard of the cluster yet";
}

}  // namespace
}  // namespace kube::cacheserver::test
