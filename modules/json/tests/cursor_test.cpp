// SPDX-License-Identifier: Apache-2.0
#include <kube/json/cursor.hpp>

#include <gtest/gtest.h>

namespace kube::json {
namespace {

using More = Cursor::More;

TEST(Cursor, WalksMembersAndSkipsTheirValues) {
  Cursor at(R"( {"a" : {"b":["}"]} , "c\n":"x,y" ,"d":-1.5e3 } )");
  std::string_view key;
  std::string_view value;
  ASSERT_TRUE(at.enter('{'));
  ASSERT_EQ(at.next_member(key), More::Yes);
  ASSERT_TRUE(at.skip(value));
  EXPECT_EQ(key, "a");
  EXPECT_EQ(value, R"({"b":["}"]})");
  ASSERT_EQ(at.next_member(key), More::Yes);
  ASSERT_TRUE(at.skip(value));
  EXPECT_TRUE(is_key(key, "c\n"));
  EXPECT_EQ(key_text(key), "c\n");
  EXPECT_EQ(value, R"("x,y")");
  ASSERT_EQ(at.next_member(key), More::Yes);
  ASSERT_TRUE(at.skip(value));
  EXPECT_EQ(value, "-1.5e3");
  EXPECT_EQ(at.next_member(key), More::No);
}

TEST(Cursor, LeavesWhatItHasEnteredAndGoesOnAfterIt) {
  Cursor at(R"({"a":{"b":[]},"c":[1 ] })");
  std::string_view key;
  std::string_view value;
  ASSERT_TRUE(at.enter('{'));
  ASSERT_EQ(at.next_member(key), More::Yes);
  ASSERT_TRUE(at.enter('{'));
  EXPECT_FALSE(at.leave('}')) << "a member is next";
  ASSERT_EQ(at.next_member(key), More::Yes);
  ASSERT_TRUE(at.enter('['));
  ASSERT_EQ(at.next_element(), More::No);
  ASSERT_TRUE(at.leave(']'));
  ASSERT_EQ(at.next_member(key), More::No);
  ASSERT_TRUE(at.leave('}'));
  ASSERT_EQ(at.next_member(key), More::Yes);
  EXPECT_EQ(key, "c");
  ASSERT_TRUE(at.enter('['));
  ASSERT_EQ(at.next_element(), More::Yes);
  ASSERT_TRUE(at.skip(value));
  ASSERT_TRUE(at.leave(']'));
  EXPECT_EQ(at.next_member(key), More::No);
  EXPECT_TRUE(at.leave('}'));
}

TEST(Cursor, WalksElements) {
  Cursor at("[1, [2],{}]");
  std::string_view value;
  ASSERT_TRUE(at.enter('['));
  for (const std::string_view expected : {"1", "[2]", "{}"}) {
    ASSERT_EQ(at.next_element(), More::Yes);
    ASSERT_TRUE(at.skip(value));
    EXPECT_EQ(value, expected);
  }
  EXPECT_EQ(at.next_element(), More::No);
}

TEST(Cursor, ReportsWhatIsWrongWhereItLooks) {
  std::string_view key;
  std::string_view value;
  EXPECT_FALSE(Cursor("[").enter('{'));
  for (const std::string_view text : {"{", "{a", "{\"a", "{\"a\"", "{\"a\":", "{\"a\" 1"}) {
    Cursor at(text);
    ASSERT_TRUE(at.enter('{'));
    EXPECT_EQ(at.next_member(key), More::Wrong) << text;
  }
  for (const std::string_view text : {"", " ", "\"a", "\"a\\", "{\"a\":1", "[[]", ","}) {
    EXPECT_FALSE(Cursor(text).skip(value)) << text;
  }
  Cursor at("[1 2]");
  ASSERT_TRUE(at.enter('['));
  ASSERT_EQ(at.next_element(), More::Yes);
  ASSERT_TRUE(at.skip(value));
  EXPECT_EQ(at.next_element(), More::Wrong);
  EXPECT_EQ(at.offset(), 3U);
}

}  // namespace
}  // namespace kube::json
