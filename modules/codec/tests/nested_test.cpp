// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/nested.hpp>

#include <gtest/gtest.h>

namespace kube {
namespace {

const json::Value& sample() {
  static const json::Value value = json::parse(R"({
      "s":"text","b":true,"i":42,"f":2.5,"big":9223372036854775807,"n":null,"e[0]":"key",
      "list":["a","b"],"mixed":["a",1],"map":{"k":"v"},"nulls":{"a":null,"b":"x"},"numbers":{"a":1},
      "deep":{"er":{"x":1}}})")
                                       .value();
  return value;
}

template <class T>
std::string error_of(const Result<T>& result) {
  EXPECT_FALSE(result);
  return result ? "found" : result.error().message();
}

TEST(Nested, ReadsEachType) {
  EXPECT_EQ(nested_string(sample(), {"s"}).value(), "text");
  EXPECT_EQ(nested_bool(sample(), {"b"}).value(), true);
  EXPECT_EQ(nested_int64(sample(), {"i"}).value(), 42);
  EXPECT_EQ(nested_float64(sample(), {"f"}).value(), 2.5);
  EXPECT_EQ(nested_int64(sample(), {"deep", "er", "x"}).value(), 1);
  EXPECT_EQ(nested_string_slice(sample(), {"list"}).value(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(nested_slice(sample(), {"mixed"}).value(), (json::Array{"a", 1}));
  EXPECT_EQ(nested_map(sample(), {"map"}).value(), (json::Object{{"k", "v"}}));
  EXPECT_EQ(nested_string_map(sample(), {"map"}).value(), (StringMap{{"k", "v"}}));
}

TEST(Nested, MissingFieldsAndNullOnTheWayAreNotFound) {
  EXPECT_EQ(nested_string(sample(), {"x"}).value(), std::nullopt);
  EXPECT_EQ(nested_string(sample(), {"deep", "x", "y"}).value(), std::nullopt);
  EXPECT_EQ(nested_string(sample(), {"n", "x"}).value(), std::nullopt);
  EXPECT_EQ(nested_field(sample(), {"x"}).value(), nullptr);
}

TEST(Nested, ANullLeafIsFound) {
  EXPECT_TRUE(nested_field(sample(), {"n"}).value()->is_null());
  EXPECT_EQ(nested_field_copy(sample(), {"n"}).value(), json::Value());
  EXPECT_EQ(error_of(nested_string(sample(), {"n"})),
            ".n accessor error: <nil> is of the type <nil>, expected string");
}

TEST(Nested, SomethingElseOnTheWayIsAnError) {
  EXPECT_EQ(error_of(nested_string(sample(), {"s", "x"})),
            ".s.x accessor error: text is of the type string, expected map[string]interface{}");
  EXPECT_EQ(error_of(nested_string(sample(), {"list", "0"})),
            ".list.0 accessor error: [\"a\",\"b\"] is of the type []interface {}, expected "
            "map[string]interface{}");
  EXPECT_EQ(error_of(nested_int64(sample(), {"f"})),
            ".f accessor error: 2.5 is of the type float64, expected int64");
  EXPECT_EQ(
      error_of(nested_bool(sample(), {"deep", "er"})),
      ".deep.er accessor error: {\"x\":1} is of the type map[string]interface {}, expected bool");
  EXPECT_EQ(nested_string(sample(), {"i"}).error().code(), ErrorCode::Decode);
}

TEST(Nested, UNS_04_TheFieldIsSharedAndTheCopyIsNot) {
  json::Value object = sample();
  const json::Value* shared = nested_field(object, {"deep", "er"}).value();
  const json::Value copy = *nested_field_copy(object, {"deep", "er"}).value();
  ASSERT_TRUE(set_nested_field(object, 7, {"deep", "er", "x"}));
  EXPECT_EQ(*shared, json::Value(json::Object{{"x", 7}}));
  EXPECT_EQ(copy, json::Value(json::Object{{"x", 1}}));
}

TEST(Nested, UNS_05_NamesArePlainKeys) {
  EXPECT_EQ(nested_string(sample(), {"e[0]"}).value(), "key");
  EXPECT_FALSE(nested_string(sample(), {"list", "[0]"}));
}

TEST(Nested, UNS_06_NumbersAsDoubles) {
  EXPECT_EQ(nested_number_as_float64(sample(), {"i"}).value(), 42.0);
  EXPECT_EQ(nested_number_as_float64(sample(), {"f"}).value(), 2.5);
  const json::Value flag = json::Object{{"value", true}};
  EXPECT_EQ(error_of(nested_number_as_float64(flag, {"value"})),
            ".value accessor error: true is of the type bool, expected float64 or int64");
  EXPECT_EQ(error_of(nested_number_as_float64(sample(), {"big"})),
            ".big accessor error: int64 value 9223372036854775807 cannot be losslessly converted "
            "to float64");
  const json::Value exact =
      json::Object{{"v", std::int64_t{1} << 60}, {"w", (std::int64_t{1} << 53) + 1}};
  EXPECT_TRUE(nested_number_as_float64(exact, {"v"}));
  EXPECT_FALSE(nested_number_as_float64(exact, {"w"}));
}

TEST(Nested, UNS_07_NullCoercingMaps) {
  EXPECT_EQ(nested_null_coercing_string_map(sample(), {"x"}).value(), std::nullopt);
  EXPECT_EQ(nested_null_coercing_string_map(sample(), {"n"}).value(), StringMap{});
  EXPECT_EQ(nested_null_coercing_string_map(sample(), {"nulls"}).value(),
            (StringMap{{"a", ""}, {"b", "x"}}));
  EXPECT_EQ(error_of(nested_null_coercing_string_map(sample(), {"numbers"})),
            ".numbers accessor error: contains non-string value in the map under key \"a\": 1 is "
            "of the type int64, "
            "expected string");
  EXPECT_FALSE(nested_string_map(sample(), {"nulls"}));
  EXPECT_FALSE(nested_string_map(sample(), {"n"}));
  EXPECT_EQ(error_of(nested_string_slice(sample(), {"mixed"})),
            ".mixed accessor error: contains non-string key in the slice: 1 is of the type int64, "
            "expected string");
}

TEST(SetNestedField, MakesObjectsOnTheWay) {
  json::Value object = json::Object{};
  ASSERT_TRUE(set_nested_field(object, 1, {"a", "b", "c"}));
  EXPECT_EQ(json::dump(object), R"({"a":{"b":{"c":1}}})");
  ASSERT_TRUE(set_nested_field(object, "x", {"a", "b"}));
  EXPECT_EQ(json::dump(object), R"({"a":{"b":"x"}})");
}

TEST(SetNestedField, LeavesTheObjectAloneWhenTheWayIsBlocked) {
  json::Value object = json::Object{{"a", json::Array{}}, {"n", nullptr}};
  const json::Value before = object;
  EXPECT_EQ(error_of(set_nested_field(object, 1, {"a", "b"})),
            "value cannot be set because .a is not a map[string]interface{}");
  EXPECT_FALSE(set_nested_field(object, 1, {"n", "b", "c"}));
  EXPECT_FALSE(set_nested_field(object, 1, {}));
  EXPECT_EQ(object, before);
  json::Value text = "x";
  EXPECT_FALSE(set_nested_field(text, 1, {"a"}));
}

TEST(RemoveNestedField, UNS_03_MissingPathsAreNoOps) {
  json::Value object = json::parse(R"({"a":{"b":1,"c":2},"l":[]})").value();
  const json::Value before = object;
  remove_nested_field(object, {"x"});
  remove_nested_field(object, {"x", "y"});
  remove_nested_field(object, {"a", "b", "c"});
  remove_nested_field(object, {"l", "0"});
  remove_nested_field(object, {});
  EXPECT_EQ(object, before);
  remove_nested_field(object, {"a", "b"});
  EXPECT_EQ(json::dump(object), R"({"a":{"c":2},"l":[]})");
}

}  // namespace
}  // namespace kube
