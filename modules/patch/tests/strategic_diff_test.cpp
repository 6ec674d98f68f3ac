// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include <kube/patch/patch.hpp>

#include "merge_item.hpp"

namespace kube::meta {
namespace {

using test::merge_item;
using ::testing::HasSubstr;

json::Value document(std::string_view text) {
  return json::parse(text).value();
}

std::string two_way(std::string_view original, std::string_view modified) {
  const Result<json::Value> patch =
      create_two_way_merge_patch(document(original), document(modified), merge_item());
  return patch ? json::dump(*patch) : "error: " + patch.error().message();
}

std::string strategic_three_way(std::string_view original, std::string_view modified,
                                std::string_view current, bool overwrite = false) {
  const Result<json::Value> patch = create_three_way_merge_patch(
      document(original), document(modified), document(current), merge_item(), overwrite);
  return patch ? json::dump(*patch) : "error: " + patch.error().message();
}

TEST(TwoWayMergePatch, SMP_09_EqualDocumentsGiveNothing) {
  EXPECT_EQ(two_way("{}", "{}"), "{}");
  EXPECT_EQ(two_way("null", "null"), "{}");
  const char* item =
      R"({"name":"a","mergingList":[{"name":"x"}],"mergingIntList":[1,2],"simpleMap":{"a":"b"},"count":1})";
  EXPECT_EQ(two_way(item, item), "{}");
  EXPECT_THAT(two_way("[]", "{}"), HasSubstr("invalid JSON document"));
  EXPECT_THAT(two_way("{}", "1"), HasSubstr("invalid JSON document"));
}

TEST(TwoWayMergePatch, SMP_08_EqualNumbersGiveNoDifference) {
  EXPECT_EQ(two_way(R"({"count":9223372036854775807})", R"({"count":9223372036854775807})"), "{}");
  EXPECT_EQ(two_way(R"({"count":1})", R"({"count":1.0})"), "{}");
}

TEST(TwoWayMergePatch, AddsChangesAndDeletesFields) {
  EXPECT_EQ(two_way(R"({"name":"a","value":"1"})", R"({"name":"b","other":"o"})"),
            R"({"name":"b","other":"o","value":null})");
  EXPECT_EQ(two_way(R"({"item":{"name":"a","value":"1"}})", R"({"item":{"name":"a"}})"),
            R"({"item":{"value":null}})");
  EXPECT_EQ(two_way(R"({"nonMergingIntList":[1]})", R"({"nonMergingIntList":[1,2]})"),
            R"({"nonMergingIntList":[1,2]})");
  EXPECT_EQ(two_way(R"({"name":"a"})", R"({"name":["a"]})"), R"({"name":["a"]})");
}

TEST(TwoWayMergePatch, ListsOfObjectsDifferItemByItem) {
  EXPECT_EQ(
      two_way(R"({"mergingList":[{"name":"a","value":"1"},{"name":"b"}]})",
              R"({"mergingList":[{"name":"c"},{"name":"a","value":"2"}]})"),
      R"({"$setElementOrder/mergingList":[{"name":"c"},{"name":"a"}],)"
      R"("mergingList":[{"name":"c"},{"value":"2","name":"a"},{"name":"b","$patch":"delete"}]})");
  EXPECT_EQ(two_way(R"({"mergingList":[{"name":"a"},{"name":"b"}]})",
                    R"({"mergingList":[{"name":"b"},{"name":"a"}]})"),
            R"({"$setElementOrder/mergingList":[{"name":"b"},{"name":"a"}]})");
  EXPECT_EQ(two_way(R"({"mergingList":[]})", R"({"mergingList":[{"name":"a"}]})"),
            R"({"mergingList":[{"name":"a"}]})");
  EXPECT_EQ(two_way(R"({"mergingList":[{"name":"a"}]})", R"({"mergingList":[]})"),
            R"({"mergingList":[{"name":"a","$patch":"delete"}]})");
}

TEST(TwoWayMergePatch, ListsOfScalarsDifferAsSets) {
  EXPECT_EQ(two_way(R"({"mergingIntList":[1,2,3]})", R"({"mergingIntList":[3,4,2]})"),
            R"({"$setElementOrder/mergingIntList":[3,4,2],"mergingIntList":[4],)"
            R"("$deleteFromPrimitiveList/mergingIntList":[1]})");
  EXPECT_EQ(two_way(R"({"mergingIntList":[1,1]})", R"({"mergingIntList":[1]})"),
            R"({"$setElementOrder/mergingIntList":[1]})");
}

TEST(TwoWayMergePatch, RetainKeysAreListed) {
  EXPECT_EQ(two_way(R"({"retainKeysItem":{"name":"a","value":"v"}})",
                    R"({"retainKeysItem":{"other":"o","name":"a"}})"),
            R"({"retainKeysItem":{"other":"o","value":null,"$retainKeys":["name","other"]}})");
  EXPECT_EQ(two_way(R"({"retainKeysList":[{"name":"a","value":"1"}]})",
                    R"({"retainKeysList":[{"name":"a"}]})"),
            R"({"$setElementOrder/retainKeysList":[{"name":"a"}],)"
            R"("retainKeysList":[{"value":null,"$retainKeys":["name"],"name":"a"}]})");
}

TEST(TwoWayMergePatch, SMP_06_SMP_10_WhatItCannotComputeIsAnError) {
  EXPECT_THAT(two_way(R"({"mergingList":[{"value":"1"}]})", R"({"mergingList":[{"name":"a"}]})"),
              HasSubstr("map: [value] does not contain declared merge key: name"));
  EXPECT_THAT(two_way(R"({"mergingList":[["a"]]})", R"({"mergingList":[]})"),
              HasSubstr("lists of lists"));
  EXPECT_THAT(two_way(R"({"foo":{"a":1}})", R"({"foo":{"a":2}})"),
              HasSubstr("unable to find api field"));
  EXPECT_EQ(two_way(R"({"foo":{"a":1}})", R"({"foo":{"a":1}})"), "{}");
}

TEST(TwoWayMergePatch, PreconditionsMayVeto) {
  const Result<json::Value> patch =
      create_two_way_merge_patch(document(R"({"name":"a"})"), document(R"({"name":"b"})"),
                                 merge_item(), {require_key_unchanged("name")});
  ASSERT_FALSE(patch);
  EXPECT_TRUE(is_precondition_failed(patch.error()));
}

TEST(ThreeWayMergePatch, SMP_02_KeepsWhatOthersAdded) {
  EXPECT_EQ(strategic_three_way(R"({"name":"a","value":"1"})", R"({"name":"a","other":"o"})",
                                R"({"name":"a","value":"1","count":3})"),
            R"({"value":null,"other":"o"})");
  EXPECT_EQ(strategic_three_way(R"({"mergingList":[{"name":"a"},{"name":"b"}]})",
                                R"({"mergingList":[{"name":"a","value":"1"}]})",
                                R"({"mergingList":[{"name":"a"},{"name":"b"},{"name":"server"}]})"),
            R"({"$setElementOrder/mergingList":[{"name":"a"}],)"
            R"("mergingList":[{"value":"1","name":"a"},{"name":"b","$patch":"delete"}]})");
  EXPECT_EQ(
      strategic_three_way(R"({"mergingIntList":[1,2]})", R"({"mergingIntList":[1,3]})",
                          R"({"mergingIntList":[1,2,9]})"),
      R"({"$setElementOrder/mergingIntList":[1,3],"$deleteFromPrimitiveList/mergingIntList":[2],"mergingIntList":[3]})");
  EXPECT_EQ(strategic_three_way("null", R"({"name":"a"})", "null"), R"({"name":"a"})");
}

TEST(ThreeWayMergePatch, SMP_02_ContradictionsAreConflictsUnlessOverwritten) {
  const Result<json::Value> patch =
      create_three_way_merge_patch(document(R"({"name":"a"})"), document(R"({"name":"b"})"),
                                   document(R"({"name":"c"})"), merge_item(), false);
  ASSERT_FALSE(patch);
  EXPECT_TRUE(is_patch_conflict(patch.error()));
  EXPECT_EQ(patch.error().message(),
            "patch of [name] conflicts with changes made from original to current of [name]");
  EXPECT_EQ(strategic_three_way(R"({"name":"a"})", R"({"name":"b"})", R"({"name":"c"})", true),
            R"({"name":"b"})");
  EXPECT_THAT(strategic_three_way(R"({"mergingList":[{"name":"a","value":"1"}]})",
                                  R"({"mergingList":[{"name":"a","value":"2"}]})",
                                  R"({"mergingList":[{"name":"a","value":"3"}]})"),
              HasSubstr("conflicts"));
  EXPECT_THAT(
      strategic_three_way(R"({"mergingList":[{"name":"a"}]})",
                          R"({"mergingList":[{"name":"a","value":"2"}]})", R"({"mergingList":[]})"),
      HasSubstr("conflicts"))
      << "one changes what the other deletes";
  EXPECT_EQ(strategic_three_way(R"({"name":"a"})", R"({"name":"c"})", R"({"name":"c"})"), "{}")
      << "both did the same";
}

TEST(ThreeWayMergePatch, ReplacedListsConflictByTheirContent) {
  const auto conflicts = [](std::string_view modified, std::string_view current) {
    const Result<json::Value> patch = create_three_way_merge_patch(
        json::Value(), document(modified), document(current), merge_item(), false);
    return !patch && is_patch_conflict(patch.error());
  };
  EXPECT_FALSE(conflicts(R"({"nonMergingIntList":[1,2]})", R"({"nonMergingIntList":[2,1]})"));
  EXPECT_TRUE(conflicts(R"({"nonMergingIntList":[1,2]})", R"({"nonMergingIntList":[1,3]})"));
  EXPECT_TRUE(conflicts(R"({"nonMergingIntList":[1,2]})", R"({"nonMergingIntList":[1]})"));
  EXPECT_FALSE(conflicts(R"({"nonMergingList":[{"name":"a","value":"1"}]})",
                         R"({"nonMergingList":[{"name":"a","other":"2"}]})"));
  EXPECT_TRUE(conflicts(R"({"nonMergingList":[{"name":"a","value":"1"}]})",
                        R"({"nonMergingList":[{"name":"a","value":"2"}]})"));
  EXPECT_FALSE(conflicts(R"({"mergingIntList":[1]})", R"({"mergingIntList":[2]})")) << "sets";
}

/// A valid document of the type: lists have distinct merge keys.
json::Value random_item(std::mt19937& random, int depth) {
  const auto pick = [&random](int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random);
  };
  json::Object item;
  if (pick(2) == 0) item.set("value", std::string(1, "uvw"[pick(3)]));
  if (pick(2) == 0) item.set("count", pick(3));
  if (pick(3) == 0)
    item.set("simpleMap", json::Object{{std::string(1, "ab"[pick(2)]), "x"},
                                       {"c", std::string(1, "yz"[pick(2)])}});
  for (const char* name : {"mergingIntList", "nonMergingIntList"}) {
    if (pick(2) == 0) continue;
    std::vector<int> numbers{1, 2, 3, 4, 5};
    std::shuffle(numbers.begin(), numbers.end(), random);
    numbers.resize(static_cast<std::size_t>(pick(5)));
    item.set(name, json::Array(numbers.begin(), numbers.end()));
  }
  if (depth == 0) return item;
  for (const char* name : {"item", "retainKeysItem"}) {
    if (pick(2) == 0) item.set(name, random_item(random, depth - 1));
  }
  for (const char* name : {"mergingList", "retainKeysList", "nonMergingList"}) {
    if (pick(2) == 0) continue;
    std::vector<std::string> names{"a", "b", "c", "d"};
    std::shuffle(names.begin(), names.end(), random);
    names.resize(static_cast<std::size_t>(pick(5)));
    json::Array list;
    for (const std::string& item_name : names) {
      json::Value element = random_item(random, depth - 1);
      element.if_object()->set("name", item_name);
      list.push_back(std::move(element));
    }
    item.set(name, std::move(list));
  }
  return item;
}

TEST(TwoWayMergePatch, AppliedToTheOriginalGivesTheModified) {
  std::mt19937 random(17);
  for (int round = 0; round < 1000; ++round) {
    const json::Value original = random_item(random, 2);
    const json::Value modified = random_item(random, 2);
    const Result<json::Value> patch = create_two_way_merge_patch(original, modified, merge_item());
    ASSERT_TRUE(patch) << patch.error().message();
    const Result<json::Value> result = apply_strategic_merge_patch(original, *patch, merge_item());
    ASSERT_TRUE(result) << result.error().message();
    ASSERT_EQ(*result, modified) << json::dump(original) << '\n'
                                 << json::dump(*patch) << '\n'
                                 << json::dump(*result);
  }
}

TEST(ThreeWayMergePatch, WithoutForeignChangesGivesTheModified) {
  std::mt19937 random(19);
  for (int round = 0; round < 1000; ++round) {
    const json::Value original = random_item(random, 2);
    const json::Value modified = random_item(random, 2);
    const Result<json::Value> patch =
        create_three_way_merge_patch(original, modified, original, merge_item());
    ASSERT_TRUE(patch) << patch.error().message();
    const Result<json::Value> result = apply_strategic_merge_patch(original, *patch, merge_item());
    ASSERT_TRUE(result) << result.error().message();
    ASSERT_EQ(*result, modified) << json::dump(original) << '\n'
                                 << json::dump(*patch) << '\n'
                                 << json::dump(*result);
  }
}

}  // namespace
}  // namespace kube::meta
