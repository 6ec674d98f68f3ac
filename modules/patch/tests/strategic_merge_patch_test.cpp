// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include <kube/codec/converter.hpp>
#include <kube/meta/object_meta.hpp>
#include <kube/meta/partial_object_metadata.hpp>
#include <kube/patch/patch.hpp>

#include "merge_item.hpp"

namespace kube::meta {
namespace {

using test::merge_item;
using ::testing::HasSubstr;

std::string strategic_patched(std::string_view document, std::string_view patch) {
  const json::Value before = json::parse(document).value();
  const json::Value change = json::parse(patch).value();
  const Result<json::Value> after = apply_strategic_merge_patch(before, change, merge_item());
  EXPECT_EQ(before, json::parse(document).value());
  EXPECT_EQ(change, json::parse(patch).value());
  if (after) return json::dump(*after);
  EXPECT_EQ(after.error().code(), ErrorCode::InvalidArgument);
  return after.error().message();
}

TEST(StrategicMergePatch, SMP_03_ObjectsMergeAndNullDeletes) {
  EXPECT_EQ(strategic_patched(R"({"name":"a","item":{"name":"x","value":"1"},"value":"v"})",
                              R"({"item":{"value":"2","other":"o"},"value":null,"inlined":"i"})"),
            R"({"name":"a","item":{"name":"x","value":"2","other":"o"},"inlined":"i"})");
  EXPECT_EQ(strategic_patched(R"({"simpleMap":{"a":"1","b":"2"}})",
                              R"({"simpleMap":{"a":null,"c":"3"}})"),
            R"({"simpleMap":{"b":"2","c":"3"}})");
  EXPECT_EQ(strategic_patched("null", R"({"name":"a"})"), R"({"name":"a"})");
  EXPECT_EQ(strategic_patched(R"({"name":"a"})", "null"), R"({"name":"a"})");
  EXPECT_EQ(strategic_patched("{}", "{}"), "{}");
}

TEST(StrategicMergePatch, SMP_03_ListsAreReplacedUnlessTheyMerge) {
  EXPECT_EQ(strategic_patched(R"({"nonMergingList":[{"name":"1"},{"name":"2"}]})",
                              R"({"nonMergingList":[{"name":"3"}]})"),
            R"({"nonMergingList":[{"name":"3"}]})");
  EXPECT_EQ(strategic_patched(R"({"nonMergingIntList":[1,2]})", R"({"nonMergingIntList":[3]})"),
            R"({"nonMergingIntList":[3]})");
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a","value":"1"},{"name":"b"}]})",
                              R"({"mergingList":[{"name":"a","value":"2"}]})"),
            R"({"mergingList":[{"name":"a","value":"2"},{"name":"b"}]})");
  EXPECT_EQ(strategic_patched(R"({"mergingIntList":[1,2,3]})", R"({"mergingIntList":[3,4]})"),
            R"({"mergingIntList":[1,2,3,4]})");
  EXPECT_EQ(strategic_patched(R"({"mergingIntList":[]})", R"({"mergingIntList":[]})"),
            R"({"mergingIntList":[]})");
}

TEST(StrategicMergePatch, SMP_03_NewItemsComeFirstWithoutAnOrder) {
  // The server's items keep their relative places only to items that it knew.
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"},{"name":"b"}]})",
                              R"({"mergingList":[{"name":"c"}]})"),
            R"({"mergingList":[{"name":"c"},{"name":"a"},{"name":"b"}]})");
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"},{"name":"b"}]})",
                              R"({"mergingList":[{"name":"b","value":"x"},{"name":"c"}]})"),
            R"({"mergingList":[{"name":"a"},{"name":"b","value":"x"},{"name":"c"}]})");
}

TEST(StrategicMergePatch, SMP_03_ListsInItemsMergeToo) {
  EXPECT_EQ(
      strategic_patched(
          R"({"mergingList":[{"name":"a","mergingList":[{"name":"x","value":"1"}],"mergingIntList":[1]}]})",
          R"({"mergingList":[{"name":"a","mergingList":[{"name":"x","other":"2"}],"mergingIntList":[2]}]})"),
      R"({"mergingList":[{"name":"a","mergingList":[{"name":"x","value":"1","other":"2"}],"mergingIntList":[2,1]}]})");
}

TEST(StrategicMergePatch, SMP_04_ReplaceInAMap) {
  EXPECT_EQ(strategic_patched(R"({"item":{"name":"a","value":"v"}})",
                              R"({"item":{"$patch":"replace","other":"o","value":null}})"),
            R"({"item":{"other":"o"}})");
  EXPECT_EQ(strategic_patched(R"({"name":"a"})", R"({"$patch":"replace","value":"v"})"),
            R"({"value":"v"})");
  EXPECT_EQ(strategic_patched("{}", R"({"item":{"$patch":"replace","other":"o"}})"),
            R"({"item":{"other":"o"}})");
}

TEST(StrategicMergePatch, SMP_04_DeleteInAMap) {
  EXPECT_EQ(strategic_patched(R"({"item":{"name":"a"}})", R"({"item":{"$patch":"delete"}})"),
            R"({"item":{}})");
  EXPECT_EQ(strategic_patched("{}", R"({"item":{"$patch":"delete"}})"), "{}");
  EXPECT_EQ(strategic_patched(R"({"name":"a"})", R"({"$patch":"delete"})"), "{}");
}

TEST(StrategicMergePatch, SMP_04_MergeIsTheDefault) {
  EXPECT_EQ(
      strategic_patched(R"({"item":{"name":"a"}})", R"({"item":{"$patch":"merge","value":"v"}})"),
      R"({"item":{"name":"a","value":"v"}})");
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"}]})",
                              R"({"mergingList":[{"name":"a","$patch":"merge"}]})"),
            "merging lists cannot yet be specified in the patch");
}

TEST(StrategicMergePatch, SMP_04_DeletesAndReplacesListItems) {
  EXPECT_EQ(
      strategic_patched(R"({"mergingList":[{"name":"a"},{"name":"b"},{"name":"a","value":"2"}]})",
                        R"({"mergingList":[{"name":"a","$patch":"delete"}]})"),
      R"({"mergingList":[{"name":"b"}]})");
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"}]})",
                              R"({"mergingList":[{"name":"x","$patch":"delete"}]})"),
            R"({"mergingList":[{"name":"a"}]})");
  EXPECT_EQ(
      strategic_patched(R"({"mergingList":[{"name":"a"},{"name":"b"}]})",
                        R"({"mergingList":[{"name":"c"},{"$patch":"replace"},{"name":"d"}]})"),
      R"({"mergingList":[{"name":"c"},{"name":"d"}]})");
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"}]})",
                              R"({"mergingList":[{"$patch":"replace"}]})"),
            R"({"mergingList":[]})");
}

TEST(StrategicMergePatch, SMP_04_UnknownDirectivesAreErrors) {
  EXPECT_EQ(strategic_patched("{}", R"({"$patch":"x","name":"secret"})"),
            "unknown patch type: x in map: [$patch name]");
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"}]})",
                              R"({"mergingList":[{"name":"a","$patch":"x"}]})"),
            "unknown patch type: x in map: [name $patch]");
  EXPECT_THAT(strategic_patched("{}", R"({"$patch":7})"), HasSubstr("unknown patch type: 7"));
}

TEST(StrategicMergePatch, ErrorsSayByAFactWhatIsWrong) {
  const auto error = [](std::string_view patch) {
    const json::Value before = json::parse(R"({"mergingList":[{"name":"a"}]})").value();
    return apply_strategic_merge_patch(before, json::parse(patch).value(), merge_item()).error();
  };
  const Error unknown = error(R"({"$patch":"x"})");
  const Error wrong = error(R"({"$retainKeys":1})");
  const Error lists = error(R"({"mergingList":[["x"]]})");
  const Error other = error(R"({"mergingList":["x"]})");
  EXPECT_TRUE(is_unknown_directive(unknown)) << unknown.to_string();
  EXPECT_TRUE(is_wrong_directive(wrong)) << wrong.to_string();
  EXPECT_TRUE(is_list_of_lists(lists)) << lists.to_string();
  for (const Error* each : {&wrong, &lists, &other}) EXPECT_FALSE(is_unknown_directive(*each));
  for (const Error* each : {&unknown, &lists, &other}) EXPECT_FALSE(is_wrong_directive(*each));
  for (const Error* each : {&unknown, &wrong, &other}) EXPECT_FALSE(is_list_of_lists(*each));
}

TEST(StrategicMergePatch, SMP_05_DeletesFromPrimitiveLists) {
  EXPECT_EQ(strategic_patched(R"({"mergingIntList":[1,2,3,2]})",
                              R"({"$deleteFromPrimitiveList/mergingIntList":[2,9]})"),
            R"({"mergingIntList":[1,3]})");
  EXPECT_EQ(
      strategic_patched(R"({"mergingIntList":[1,2]})",
                        R"({"$deleteFromPrimitiveList/mergingIntList":[1],"mergingIntList":[3]})"),
      R"({"mergingIntList":[3,2]})");
  EXPECT_EQ(strategic_patched(
                R"({"mergingIntList":[1,2]})",
                R"({"mergingIntList":[2,3],"$deleteFromPrimitiveList/mergingIntList":[2]})"),
            R"({"mergingIntList":[2,3,1]})")
      << "deletions come first";
  EXPECT_EQ(strategic_patched("{}", R"({"$deleteFromPrimitiveList/mergingIntList":[1]})"), "{}");
  EXPECT_EQ(strategic_patched("{}", R"({"$deleteFromPrimitiveListX/a":[1]})"),
            "invalid patch format of primitive list");
  EXPECT_EQ(strategic_patched(R"({"mergingIntList":[1]})",
                              R"({"$deleteFromPrimitiveList/mergingIntList":"1"})"),
            "invalid patch format of primitive list");
}

TEST(StrategicMergePatch, SMP_05_SetsTheOrderOfKnownItems) {
  const char* order = R"("$setElementOrder/mergingList":[{"name":"c"},{"name":"a"}])";
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"},{"name":"b"},{"name":"c"}]})",
                              std::string("{") + order + "}"),
            R"({"mergingList":[{"name":"b"},{"name":"c"},{"name":"a"}]})");
  EXPECT_EQ(
      strategic_patched(R"({"mergingList":[{"name":"a"},{"name":"b"}]})",
                        std::string("{") + order + R"(,"mergingList":[{"name":"c","value":"n"}]})"),
      R"({"mergingList":[{"name":"c","value":"n"},{"name":"a"},{"name":"b"}]})");
  EXPECT_EQ(strategic_patched(
                "{}", std::string("{") + order +
                          R"(,"mergingList":[{"name":"c"},{"name":"z","$patch":"delete"}]})"),
            R"({"mergingList":[{"name":"c"}]})");
  EXPECT_EQ(strategic_patched("{}", std::string("{") + order + "}"), "{}");
  EXPECT_EQ(strategic_patched(R"({"mergingIntList":[1,2,3]})",
                              R"({"$setElementOrder/mergingIntList":[3,1]})"),
            R"({"mergingIntList":[2,3,1]})");
  EXPECT_EQ(
      strategic_patched(
          R"({"mergingIntList":[1,2]})",
          R"({"$setElementOrder/mergingIntList":[4,2],"mergingIntList":[4],"$deleteFromPrimitiveList/mergingIntList":[1]})"),
      R"({"mergingIntList":[4,2]})");
}

TEST(StrategicMergePatch, SMP_05_TheOrderMustFitThePatch) {
  EXPECT_EQ(
      strategic_patched(
          "{}",
          R"({"$setElementOrder/mergingList":[{"name":"a"},{"name":"b"}],"mergingList":[{"name":"b"},{"name":"a"}]})"),
      "The order in patch list doesn't match $setElementOrder list");
  EXPECT_EQ(
      strategic_patched(
          "{}", R"({"$setElementOrder/mergingList":[{"name":"a"}],"mergingList":[{"name":"b"}]})"),
      "The order in patch list doesn't match $setElementOrder list");
  EXPECT_EQ(strategic_patched("{}", R"({"$setElementOrder/mergingList":7})"),
            "expected a list, but received a number");
  EXPECT_EQ(strategic_patched("{}", R"({"$setElementOrder/mergingList":[],"mergingList":{}})"),
            "expected a list, but received a object");
  EXPECT_EQ(strategic_patched("{}", R"({"$setElementOrder":[]})"),
            "invalid patch format of setElementOrder list");
  EXPECT_EQ(
      strategic_patched(R"({"mergingList":[]})",
                        R"({"$setElementOrder/mergingList":[{"name":"a"}],"mergingList":[]})"),
      R"({"mergingList":[]})");
}

TEST(StrategicMergePatch, SMP_05_RetainKeysClearsTheOthers) {
  EXPECT_EQ(strategic_patched(R"({"retainKeysItem":{"name":"a","value":"v","other":"o"}})",
                              R"({"retainKeysItem":{"$retainKeys":["name","count"],"count":2}})"),
            R"({"retainKeysItem":{"name":"a","count":2}})");
  EXPECT_EQ(strategic_patched(
                R"({"retainKeysList":[{"name":"a","value":"v"}]})",
                R"({"retainKeysList":[{"name":"a","$retainKeys":["name","other"],"other":"o"}]})"),
            R"({"retainKeysList":[{"name":"a","other":"o"}]})");
  EXPECT_EQ(strategic_patched(R"({"retainKeysItem":{"name":"a"}})",
                              R"({"retainKeysItem":{"$retainKeys":["name"],"value":"v"}})"),
            "invalid patch format of retainKeys");
  EXPECT_EQ(strategic_patched(R"({"retainKeysItem":{"name":"a"}})",
                              R"({"retainKeysItem":{"$retainKeys":"name"}})"),
            "invalid patch format of retainKeys");
  EXPECT_EQ(strategic_patched("{}", R"({"retainKeysItem":{"$retainKeys":["name"],"name":"a"}})"),
            R"({"retainKeysItem":{"name":"a"}})");
}

std::string served(std::string_view document, std::string_view patch) {
  return json::dump(apply_strategic_merge_patch(json::parse(document).value(),
                                                json::parse(patch).value(), merge_item(),
                                                StrategicPatchRules::ApiServer)
                        .value());
}

TEST(StrategicMergePatch, ForServersWhatReplacesAndNewItemsKeepNulls) {
  EXPECT_EQ(served(R"({"nonMergingList":[{"name":"a"}]})",
                   R"({"nonMergingList":[{"name":"b","simpleMap":{"k":null}}]})"),
            R"({"nonMergingList":[{"name":"b","simpleMap":{"k":null}}]})");
  EXPECT_EQ(served(R"({"mergingList":[{"name":"a"}]})",
                   R"({"mergingList":[{"name":"b","simpleMap":{"k":null}}]})"),
            R"({"mergingList":[{"name":"b","simpleMap":{"k":null}},{"name":"a"}]})");
  EXPECT_EQ(
      served(R"({"item":{"name":"a"}})", R"({"item":{"$patch":"replace","simpleMap":{"k":null}}})"),
      R"({"item":{"simpleMap":{"k":null}}})");
  EXPECT_EQ(served("{}", R"({"nonMergingList":[{"name":"b","value":null}]})"),
            R"({"nonMergingList":[{"name":"b"}]})");
  EXPECT_EQ(served("{}", R"({"item":{"$patch":"replace","name":"a"}})"), "{}")
      << "there is nothing to replace";
}

TEST(StrategicMergePatch, ForServersWhatIsAddedAsAWholeKeepsItsDirectives) {
  EXPECT_EQ(served("{}", R"({"retainKeysItem":{"$retainKeys":["name"],"name":"a","value":null}})"),
            R"({"retainKeysItem":{"$retainKeys":["name"],"name":"a"}})");
  EXPECT_EQ(served(R"({"retainKeysList":[]})",
                   R"({"retainKeysList":[{"name":"a","$retainKeys":["name"]}]})"),
            R"({"retainKeysList":[{"name":"a","$retainKeys":["name"]}]})");
  EXPECT_EQ(served("{}", R"({"item":{"$setElementOrder/mergingIntList":[1]}})"),
            R"({"item":{"$setElementOrder/mergingIntList":[1]}})");
  EXPECT_EQ(served("{}", R"({"mergingList":[{"name":"a","$patch":"delete"}]})"),
            R"({"mergingList":[]})");
  EXPECT_EQ(served(R"({"retainKeysItem":{"value":"v"}})",
                   R"({"retainKeysItem":{"$retainKeys":["name"],"name":"a"}})"),
            R"({"retainKeysItem":{"name":"a"}})");
}

// A type of Kubernetes with a field whose patchStrategy is "replace".
const TypeDescriptor& budget_spec() {
  static const std::vector<FieldDescriptor> fields = [] {
    FieldDescriptor selector{};
    selector.json = "selector";
    selector.kind = ValueKind::Message;
    selector.cardinality = Cardinality::Optional;
    selector.message = &merge_item();
    return std::vector<FieldDescriptor>{selector};
  }();
  static const TypeDescriptor type = [] {
    TypeDescriptor out{};
    out.name = "policy.v1.PodDisruptionBudgetSpec";
    out.fields = fields;
    return out;
  }();
  return type;
}

TEST(StrategicMergePatch, AFieldMayBeReplacedAsAWhole) {
  const auto text = [](std::string_view of) { return json::parse(of).value(); };
  const json::Value before = text(R"({"selector":{"simpleMap":{"a":"b"}}})");
  const json::Value after = text(R"({"selector":{"simpleMap":{"c":"d"}}})");
  EXPECT_EQ(apply_strategic_merge_patch(before, after, budget_spec()).value(), after);
  EXPECT_EQ(apply_strategic_merge_patch(before, text(R"({"selector":{"name":null}})"),
                                        budget_spec(), StrategicPatchRules::ApiServer)
                .value(),
            text(R"({"selector":{"name":null}})"));
  EXPECT_EQ(create_two_way_merge_patch(before, after, budget_spec()).value(), after);
  EXPECT_EQ(create_two_way_merge_patch(before, before, budget_spec()).value(), text("{}"));
}

TEST(StrategicMergePatch, SMP_06_ItemsNeedTheirMergeKey) {
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"}]})",
                              R"({"mergingList":[{"value":"secret"}]})"),
            "map: [value] does not contain declared merge key: name");
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"value":"secret"}]})",
                              R"({"mergingList":[{"name":"a"}]})"),
            "map: [value] does not contain declared merge key: name");
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"}]})",
                              R"({"mergingList":[{"$patch":"delete"}]})"),
            "map: [$patch] does not contain declared merge key: name");
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"}]})", R"({"mergingList":[["x"]]})"),
            "lists of lists are not supported");
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"}]})", R"({"mergingList":["x"]})"),
            "list element types are not identical: object and string");
  EXPECT_THAT(strategic_patched(R"({"mergingList":[null]})", R"({"mergingList":[{"name":"a"}]})"),
              HasSubstr("not identical"));
  EXPECT_EQ(
      strategic_patched(R"({"keylessList":[{"name":"a"}]})", R"({"keylessList":[{"name":"b"}]})"),
      "cannot merge lists without merge key for struct");
}

TEST(StrategicMergePatch, SMP_06_AMergeKeyMayBeNull) {
  EXPECT_EQ(
      strategic_patched(R"({"mergingList":[{"name":"a"}]})", R"({"mergingList":[{"name":null}]})"),
      R"({"mergingList":[{"name":null},{"name":"a"}]})");
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"},{"name":null,"value":"x"}]})",
                              R"({"mergingList":[{"name":"b"}]})"),
            R"({"mergingList":[{"name":"b"},{"name":"a"},{"name":null,"value":"x"}]})");
}

TEST(StrategicMergePatch, SMP_07_DropsNullsThatDeleteNothing) {
  EXPECT_EQ(strategic_patched("{}", R"({"item":{"name":null,"value":"foo"}})"),
            R"({"item":{"value":"foo"}})");
  EXPECT_EQ(strategic_patched("{}", R"({"item":{"item":{"name":null}}})"),
            R"({"item":{"item":{}}})");
  EXPECT_EQ(strategic_patched(R"({"name":null})", R"({"value":"v"})"),
            R"({"name":null,"value":"v"})");
  EXPECT_EQ(strategic_patched(R"({"item":"text"})", R"({"item":{"name":null,"value":"v"}})"),
            R"({"item":{"value":"v"}})");
  EXPECT_EQ(strategic_patched(R"({"mergingList":[{"name":"a"}]})",
                              R"({"mergingList":[{"name":"b","value":null}]})"),
            R"({"mergingList":[{"name":"b"},{"name":"a"}]})");
}

TEST(StrategicMergePatch, SMP_08_NumbersSurvive) {
  EXPECT_EQ(strategic_patched("{}", R"({"count":9223372036854775807})"),
            R"({"count":9223372036854775807})");
  EXPECT_EQ(strategic_patched(R"({"mergingIntList":[9223372036854775806]})",
                              R"({"mergingIntList":[9223372036854775807]})"),
            R"({"mergingIntList":[9223372036854775807,9223372036854775806]})");
}

TEST(StrategicMergePatch, SMP_10_UnknownFieldsFailExceptForScalars) {
  EXPECT_EQ(strategic_patched(R"({"foo":"a"})", R"({"foo":"b","bar":7})"),
            R"({"foo":"b","bar":7})");
  EXPECT_EQ(strategic_patched(R"({"foo":{"a":1}})", R"({"foo":{"a":2}})"),
            "unable to find api field in struct MergeItem for the json field \"foo\"");
  EXPECT_EQ(strategic_patched(R"({"foo":[1]})", R"({"foo":[2]})"),
            "unable to find api field in struct MergeItem for the json field \"foo\"");
  EXPECT_EQ(strategic_patched(R"({"simpleMap":{"a":{"b":1}}})", R"({"simpleMap":{"a":{"b":2}}})"),
            "merging an object in json but data type is not struct, instead is: map");
  EXPECT_EQ(strategic_patched(R"({"raw":{"a":{}}})", R"({"raw":{"a":{"b":1}}})"),
            "merging an object in json but data type is not struct, instead is: opaque JSON");
  EXPECT_EQ(strategic_patched(R"({"raw":{"a":1}})", R"({"raw":{"a":2}})"), R"({"raw":{"a":2}})");
  EXPECT_EQ(strategic_patched(R"({"name":[1]})", R"({"name":[2]})"),
            "the json field \"name\" is a list, but its type is not");
}

TEST(StrategicMergePatch, ChangesOfTypeReplace) {
  EXPECT_EQ(strategic_patched(R"({"name":["a"]})", R"({"name":"b"})"), R"({"name":"b"})");
  EXPECT_EQ(strategic_patched(R"({"mergingList":"x"})",
                              R"({"mergingList":[{"name":"a"},{"name":"b","$patch":"delete"}]})"),
            R"({"mergingList":[{"name":"a"}]})");
}

TEST(StrategicMergePatch, DocumentsMustBeObjects) {
  EXPECT_THAT(strategic_patched("[]", "{}"),
              HasSubstr("invalid JSON document: expected an object, but found array"));
  EXPECT_THAT(strategic_patched("{}", "7"),
              HasSubstr("invalid JSON document: expected an object, but found number"));
}

TEST(StrategicMergePatch, LargeListsMergeInLinearTime) {
  json::Array live;
  json::Array changes;
  for (int i = 0; i < 20'000; ++i) {
    live.push_back(json::Object{{"name", std::to_string(i)}});
    changes.push_back(json::Object{{"name", std::to_string(i * 2)}, {"value", "v"}});
  }
  const Result<json::Value> merged =
      apply_strategic_merge_patch(json::Object{{"mergingList", std::move(live)}},
                                  json::Object{{"mergingList", std::move(changes)}}, merge_item());
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->at_path({"mergingList"})->if_array()->size(), 30'000U);
}

/// A value of any shape, made of the names, words and directives that mean something to the merge.
json::Value hostile(std::mt19937& random, int depth) {
  const auto pick = [&random](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  static const std::vector<std::string> keys{"name",
                                             "value",
                                             "mergingList",
                                             "nonMergingList",
                                             "mergingIntList",
                                             "keylessList",
                                             "simpleMap",
                                             "item",
                                             "retainKeysItem",
                                             "retainKeysList",
                                             "raw",
                                             "$patch",
                                             "$retainKeys",
                                             "$setElementOrder/mergingList",
                                             "$setElementOrder/mergingIntList",
                                             "$deleteFromPrimitiveList/mergingIntList",
                                             "$setElementOrder",
                                             "zzz"};
  static const std::vector<json::Value> scalars{"delete", "replace", "merge", "a",     "b",   1,
                                                2,        1.5,       true,    nullptr, "name"};
  switch (depth == 0 ? 2 : pick(3)) {
    case 0: {
      json::Object object;
      for (std::size_t n = pick(5); n > 0; --n)
        object.set(keys[pick(keys.size())], hostile(random, depth - 1));
      return object;
    }
    case 1: {
      json::Array array;
      for (std::size_t n = pick(4); n > 0; --n) array.push_back(hostile(random, depth - 1));
      return array;
    }
    default:
      return scalars[pick(scalars.size())];
  }
}

TEST(StrategicMergePatch, AnyInputGivesAResultOrAnError) {
  std::mt19937 random(5);
  int merged = 0;
  for (int round = 0; round < 30'000; ++round) {
    const json::Value a = hostile(random, 5);
    const json::Value b = hostile(random, 5);
    const json::Value c = hostile(random, 5);
    const Result<json::Value> applied = apply_strategic_merge_patch(a, b, merge_item());
    merged += applied ? 1 : 0;
    (void)create_two_way_merge_patch(a, b, merge_item());
    (void)create_three_way_merge_patch(a, b, c, merge_item(), round % 2 == 0);
    (void)create_three_way_json_merge_patch(a, b, c);
    (void)apply_json_patch(a, b);
  }
  EXPECT_GT(merged, 1000);
}

TEST(StrategicMergePatch, SMP_03_SMP_05_MergesMetadataByItsDescriptor) {
  PartialObjectMetadata object;
  object.metadata.labels = {{"app", "web"}};
  object.metadata.finalizers = {"x/a", "x/b"};
  object.metadata.owner_references = {
      {.api_version = "v1", .kind = "Node", .name = "n", .uid = "1"}};
  const json::Value before = to_value(object);
  const auto patched = [&](std::string_view patch) {
    const json::Value change = json::parse(patch).value();
    const json::Value after =
        apply_strategic_merge_patch(before, change, PartialObjectMetadata::descriptor()).value();
    return from_value<PartialObjectMetadata>(after).value().metadata;
  };
  EXPECT_EQ(patched(R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["x/a"]}})").finalizers,
            (std::vector<std::string>{"x/b"}));
  EXPECT_EQ(patched(R"({"metadata":{"finalizers":["x/c"]}})").finalizers,
            (std::vector<std::string>{"x/c", "x/a", "x/b"}));
  EXPECT_EQ(patched(R"({"metadata":{"labels":{"app":null,"tier":"front"}}})").labels,
            (std::map<std::string, std::string, std::less<>>{{"tier", "front"}}));
  const auto owners = patched(R"({"metadata":{"ownerReferences":[{"uid":"1","controller":true}]}})")
                          .owner_references;
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_EQ(owners[0].name, "n");
  EXPECT_EQ(owners[0].controller, true);
}

}  // namespace
}  // namespace kube::meta
