// SPDX-License-Identifier: Apache-2.0
#include <kube/patch/json_pointer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/json/text.hpp>

namespace kube::meta::detail {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(JsonPointer, ReadsTokensWithTheirEscapes) {
  EXPECT_THAT(parse_pointer("").value(), IsEmpty());
  EXPECT_THAT(parse_pointer("/").value(), ElementsAre(""));
  EXPECT_THAT(parse_pointer("/a/b~1c/d~0e/0").value(), ElementsAre("a", "b/c", "d~e", "0"));
  for (const std::string_view wrong : {"a", "/a~", "/a~2"}) {
    const auto pointer = parse_pointer(wrong);
    ASSERT_FALSE(pointer) << wrong;
    EXPECT_EQ(pointer.error().code(), ErrorCode::InvalidArgument) << wrong;
  }
}

TEST(JsonPointer, ALooseOneHasNoErrors) {
  EXPECT_THAT(parse_loose_pointer("x/a/b~1c"), ElementsAre("a", "b/c"));
  EXPECT_THAT(parse_loose_pointer("x"), IsEmpty());
  EXPECT_THAT(parse_loose_pointer("/a~2"), ElementsAre("a~2"));
}

TEST(JsonPointer, AnIndexCountsFromEitherEnd) {
  EXPECT_EQ(parse_index("1", 3), 1U);
  EXPECT_EQ(parse_index("-1", 3), 2U);
  for (const std::string_view wrong : {"3", "-4", "x", "", "1x"}) {
    EXPECT_EQ(parse_index(wrong, 3), std::nullopt) << wrong;
  }
}

TEST(JsonPointer, LeadsToAValueOrToNone) {
  json::Value document = json::parse(R"({"a":[{"b":1}],"c":"text"})").value();
  const json::Value* found = resolve(document, {"a", "0", "b"}, 3);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(*found, json::Value(1));
  EXPECT_EQ(resolve(document, {"a", "0", "b"}, 0), &document);
  EXPECT_EQ(resolve(document, {"a", "1"}, 2), nullptr);
  EXPECT_EQ(resolve(document, {"c", "0"}, 2), nullptr);
  EXPECT_EQ(step(document, "none"), nullptr);
}

}  // namespace
}  // namespace kube::meta::detail
