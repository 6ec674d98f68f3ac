// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include <kube/patch/patch.hpp>

namespace kube::meta {
namespace {

using ::testing::HasSubstr;

json::Value parse(std::string_view text) {
  return json::parse(text).value();
}

std::string merge_patched(std::string_view document, std::string_view patch) {
  return json::dump(apply_merge_patch(parse(document), parse(patch)));
}

std::string create(std::string_view from, std::string_view to) {
  return json::dump(create_merge_patch(parse(from), parse(to)));
}

// Appendix A of RFC 7386, in its order.
TEST(MergePatch, SMP_01_AppliesTheExamplesOfTheRfc) {
  EXPECT_EQ(merge_patched(R"({"a":"b"})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merge_patched(R"({"a":"b"})", R"({"b":"c"})"), R"({"a":"b","b":"c"})");
  EXPECT_EQ(merge_patched(R"({"a":"b"})", R"({"a":null})"), "{}");
  EXPECT_EQ(merge_patched(R"({"a":"b","b":"c"})", R"({"a":null})"), R"({"b":"c"})");
  EXPECT_EQ(merge_patched(R"({"a":["b"]})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merge_patched(R"({"a":"c"})", R"({"a":["b"]})"), R"({"a":["b"]})");
  EXPECT_EQ(merge_patched(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})"),
            R"({"a":{"b":"d"}})");
  EXPECT_EQ(merge_patched(R"({"a":[{"b":"c"}]})", R"({"a":[1]})"), R"({"a":[1]})");
  EXPECT_EQ(merge_patched(R"(["a","b"])", R"(["c","d"])"), R"(["c","d"])");
  EXPECT_EQ(merge_patched(R"({"a":"b"})", R"(["c"])"), R"(["c"])");
  EXPECT_EQ(merge_patched(R"({"a":"foo"})", "null"), "null");
  EXPECT_EQ(merge_patched(R"({"a":"foo"})", R"("bar")"), R"("bar")");
  EXPECT_EQ(merge_patched(R"({"e":null})", R"({"a":1})"), R"({"e":null,"a":1})");
  EXPECT_EQ(merge_patched("[1,2]", R"({"a":"b","c":null})"), R"({"a":"b"})");
  EXPECT_EQ(merge_patched("{}", R"({"a":{"bb":{"ccc":null}}})"), R"({"a":{"bb":{}}})");
}

TEST(MergePatch, ForServersNullsInListsAreDropped) {
  const auto served = [](std::string_view document, std::string_view patch) {
    return json::dump(apply_merge_patch(parse(document), parse(patch), MergePatchRules::ApiServer));
  };
  EXPECT_EQ(served("{}", R"({"l":[{"a":null,"b":{"c":null}},null,[{"d":null}]]})"),
            R"({"l":[{"b":{}},null,[{}]]})");
  EXPECT_EQ(served(R"({"l":[1]})", R"({"l":[{"a":null}]})"), R"({"l":[{}]})");
  EXPECT_EQ(served(R"({"l":1})", R"({"l":{"m":[{"a":null}]}})"), R"({"l":{"m":[{}]}})");
  EXPECT_EQ(served(R"({"l":{}})", R"({"l":[{"a":null}]})"), R"({"l":[{"a":null}]})");
  EXPECT_EQ(merge_patched("{}", R"({"l":[{"a":null}]})"), R"({"l":[{"a":null}]})");
}

TEST(MergePatch, SMP_01_CreatesWhatTurnsOneIntoTheOther) {
  EXPECT_EQ(
      create(R"({"a":1,"b":{"c":2,"d":3},"l":[1]})", R"({"a":1,"b":{"c":4},"l":[1,2],"n":{}})"),
      R"({"b":{"c":4,"d":null},"l":[1,2],"n":{}})");
  EXPECT_EQ(create(R"({"a":1})", R"({"a":1})"), "{}");
  EXPECT_EQ(create(R"({"a":1})", R"({"a":1.0})"), "{}");
  EXPECT_EQ(create("[1]", R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(create(R"({"a":1})", "[1]"), "[1]");
  EXPECT_EQ(create(R"({"a":{"b":1}})", R"({"a":"x"})"), R"({"a":"x"})");
}

TEST(MergePatch, SMP_08_NumbersSurvive) {
  EXPECT_EQ(create(R"({"a":9223372036854775806})", R"({"a":9223372036854775807})"),
            R"({"a":9223372036854775807})");
  EXPECT_EQ(merge_patched("{}", R"({"i":9223372036854775807,"f":1.7976931348623157e+308})"),
            R"({"i":9223372036854775807,"f":1.7976931348623157e+308})");
  EXPECT_EQ(create(R"({"f":1.7976931348623157e+308})", R"({"f":1.7976931348623157e+308})"), "{}");
}

/// A document of objects, arrays and scalars, without nulls.
json::Value random_document(std::mt19937& random, int depth) {
  const auto pick = [&random](int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random);
  };
  if (depth > 0 && pick(3) > 0) {
    json::Object object;
    for (int n = pick(4); n > 0; --n)
      object.set(std::string(1, "abcde"[pick(5)]), random_document(random, depth - 1));
    return object;
  }
  if (pick(4) == 0) return json::Array{pick(3), pick(3)};
  return pick(3);
}

TEST(MergePatch, CreatedPatchesLeadToTheTarget) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    const json::Value from = random_document(random, 4);
    const json::Value to = random_document(random, 4);
    const json::Value patch = create_merge_patch(from, to);
    EXPECT_EQ(apply_merge_patch(from, patch), to) << json::dump(from) << ' ' << json::dump(to);
  }
}

std::string three_way(std::string_view original, std::string_view modified,
                      std::string_view current,
                      const std::vector<PatchPrecondition>& preconditions = {}) {
  const Result<json::Value> patch = create_three_way_json_merge_patch(
      parse(original), parse(modified), parse(current), preconditions);
  return patch ? json::dump(*patch) : "error: " + patch.error().message();
}

TEST(ThreeWayJsonMergePatch, SMP_02_TakesDeletionsFromTheOriginal) {
  EXPECT_EQ(three_way(R"({"a":1,"b":2})", R"({"a":1})", R"({"a":1,"b":2,"c":3})"), R"({"b":null})");
  EXPECT_EQ(three_way(R"({"a":1})", R"({"a":2,"d":{"x":1}})", R"({"a":1,"c":3})"),
            R"({"a":2,"d":{"x":1}})");
  EXPECT_EQ(three_way(R"({"a":{"x":1,"y":2}})", R"({"a":{"y":3}})", R"({"a":{"x":1,"y":2,"z":4}})"),
            R"({"a":{"x":null,"y":3}})");
  EXPECT_EQ(three_way(R"({"a":{"x":1}})", R"({"a":{}})", R"({"a":{"x":1}})"),
            R"({"a":{"x":null}})");
}

TEST(ThreeWayJsonMergePatch, SMP_02_EmptyInputsCountAsEmptyObjects) {
  EXPECT_EQ(three_way("null", "null", "null"), "{}");
  EXPECT_EQ(three_way("null", R"({"a":1})", "null"), R"({"a":1})");
  EXPECT_EQ(three_way(R"({"a":1})", "null", "null"), R"({"a":null})");
  EXPECT_THAT(three_way("[]", "{}", "{}"), HasSubstr("invalid JSON document"));
}

TEST(ThreeWayJsonMergePatch, SMP_02_PreconditionsMayVeto) {
  EXPECT_EQ(three_way("null", R"({"a":1})", "null", {require_key_unchanged("b")}), R"({"a":1})");
  const Result<json::Value> patch =
      create_three_way_json_merge_patch(json::Value(), parse(R"({"metadata":{"name":"x"}})"),
                                        json::Value(), {require_metadata_key_unchanged("name")});
  ASSERT_FALSE(patch);
  EXPECT_TRUE(is_precondition_failed(patch.error()));
  EXPECT_FALSE(is_patch_conflict(patch.error()));
  EXPECT_EQ(patch.error().message(), "precondition failed for a patch of [metadata]");
}

}  // namespace
}  // namespace kube::meta
