// SPDX-License-Identifier: Apache-2.0
#include <kube/json/object_members.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube::json {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> members_of(std::string_view text, Result<void>& walked,
                                    Extent extent = Extent::Whole) {
  std::vector<std::string> found;
  walked = for_each_member(
      text,
      [&](const Member& member) {
        found.push_back(std::string(member.key) + "=" + std::string(member.value));
        return member.key != "last";
      },
      extent);
  return found;
}

TEST(ObjectMembers, AreVisitedInOrderUntilTheVisitorHasEnough) {
  Result<void> walked;
  EXPECT_THAT(members_of(R"( {"a": [1,{"b":2}] ,"\u0062":"x\"", "last":null,"more":1})", walked),
              ElementsAre(R"(a=[1,{"b":2}])", R"(b="x\"")", "last=null"));
  EXPECT_TRUE(walked);
}

TEST(ObjectMembers, TextThatIsWrongIsNamedByItsPlace) {
  Result<void> walked;
  members_of(R"({"a":1,})", walked);
  EXPECT_EQ(walked.error().to_string(), "expected a member, or '}' at byte 7");
  members_of("[]", walked);
  EXPECT_EQ(walked.error().to_string(), "expected '{' at byte 0");
}

TEST(ObjectMembers, OfABeginningTheMemberThatIsCutIsVisited) {
  Result<void> walked;
  EXPECT_THAT(members_of(R"({"a":1,"b":{"c":[)", walked, Extent::Beginning),
              ElementsAre("a=1", R"(b={"c":[)"));
  EXPECT_FALSE(walked);
  EXPECT_THAT(members_of(R"({"a":1,"b":{"c":[)", walked), ElementsAre("a=1"));
}

TEST(StringValue, IsTheTextOfAString) {
  std::string storage;
  EXPECT_EQ(string_value(R"("abc")", storage).value(), "abc");
  EXPECT_EQ(storage, "") << "a view into the value";
  EXPECT_EQ(string_value(R"("a\u0062\n")", storage).value(), "ab\n");
  for (const std::string_view text : {"", "5", "null", "\"", "{}"}) {
    EXPECT_FALSE(string_value(text, storage)) << text;
  }
}

}  // namespace
}  // namespace kube::json
