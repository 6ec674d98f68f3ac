// SPDX-License-Identifier: Apache-2.0
//
// RawList: lists whose items are not decoded.
#include <kube/client/list.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kPods =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"c",)"
    R"("remainingItemCount":12},"items":[ {"a":1} ,{"b":[{}]}],"extra":{"items":1}})";

Result<RawList> parse_list(std::string_view text) {
  return RawList::parse(std::string(text));
}

TEST(RawList, KeepsWhatAListSaysAboutItself) {
  const auto list = parse_list(kPods);
  ASSERT_TRUE(list) << list.error().to_string();
  EXPECT_EQ(list->kind(), "PodList");
  EXPECT_EQ(list->api_version(), "v1");
  EXPECT_EQ(list->info(), (ListInfo{"7", "c", 12}));
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ(list->item(0), R"({"a":1})");
  EXPECT_EQ(list->item(1), R"({"b":[{}]})");
}

TEST(RawList, EmptyAndNullItemsAreEmptyLists) {
  EXPECT_EQ(parse_list(R"({"items":[]})").value().size(), 0U);
  EXPECT_EQ(parse_list(R"({"items":null,"metadata":null})").value().size(), 0U);
}

TEST(RawList, WhatSaysThatItIsAListMayBeWithoutItems) {
  const auto empty = parse_list(R"({"kind":"PodList","metadata":{"resourceVersion":"7"}})");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->size(), 0U);
  EXPECT_EQ(empty->info().resource_version, "7");
}

TEST(RawList, WhatIsNoListSaysSo) {
  const auto failure = [](std::string_view text) {
    const auto list = parse_list(text);
    if (list) return std::string("no error");
    EXPECT_EQ(list.error().code(), ErrorCode::Decode) << text;
    return list.error().to_string();
  };
  EXPECT_EQ(failure("{}"), "expected a list, found an object without items and kind");
  EXPECT_EQ(failure(R"({"kind":"Pod"})"), "expected a list, found kind \"Pod\"");
  EXPECT_EQ(failure(R"({"items":{}})"), "expected an array of items");
  EXPECT_EQ(failure(R"({"items":[{},5]})"), "expected an object at byte 13 of the list");
  EXPECT_THAT(failure(R"({"items":[{}],"items":[{}]})"), HasSubstr("duplicate field \"items\""));
  EXPECT_THAT(failure(R"({"items":[{},)"), HasSubstr("json: offset 13: unexpected end"));
  EXPECT_THAT(failure(R"({"items":[{}]} x)"), HasSubstr("json: offset 15: invalid character 'x'"));
  EXPECT_THAT(failure("<html>"), HasSubstr("json: offset 0"));
}

TEST(RawList, EveryTruncationOfAListIsAnError) {
  for (std::size_t size = 0; size < kPods.size(); ++size) {
    const auto cut = parse_list(kPods.substr(0, size));
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().code(), ErrorCode::Decode) << size;
  }
}

}  // namespace
}  // namespace kube
