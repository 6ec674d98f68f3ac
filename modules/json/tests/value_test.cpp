// SPDX-License-Identifier: Apache-2.0
#include <kube/json/value.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace kube::json {
namespace {

static_assert(std::is_nothrow_move_constructible_v<Value>);
static_assert(std::is_nothrow_move_assignable_v<Value>);
static_assert(std::is_nothrow_move_constructible_v<Object>);

TEST(Value, KnowsItsType) {
  EXPECT_EQ(Value().type_name(), "null");
  EXPECT_EQ(Value(true).type_name(), "boolean");
  EXPECT_EQ(Value(1).type_name(), "number");
  EXPECT_EQ(Value(1.5).type_name(), "number");
  EXPECT_EQ(Value("x").type_name(), "string");
  EXPECT_EQ(Value(Array{}).type_name(), "array");
  EXPECT_EQ(Value(Object{}).type_name(), "object");
}

TEST(Value, KeepsSmallUnsignedIntegersAsSigned) {
  EXPECT_TRUE(Value(std::uint64_t{7}).is_int());
  EXPECT_TRUE(Value(std::numeric_limits<std::uint64_t>::max()).is_uint());
}

TEST(Value, ComparesNumbersByValue) {
  EXPECT_EQ(Value(2), Value(2.0));
  EXPECT_EQ(Value(2.0), Value(2));
  EXPECT_NE(Value(2), Value(2.5));
  // 2^63 - 1 isn't the double next to it.
  EXPECT_NE(Value(std::numeric_limits<std::int64_t>::max()), Value(9223372036854775808.0));
  EXPECT_EQ(Value(std::uint64_t{1} << 63), Value(9223372036854775808.0));
  EXPECT_NE(Value(-1), Value(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_NE(Value(1), Value("1"));
  EXPECT_NE(Value(0), Value(false));
}

TEST(Object, ComparesMembersInAnyOrder) {
  EXPECT_EQ((Object{{"a", 1}, {"b", 2}}), (Object{{"b", 2}, {"a", 1}}));
  EXPECT_NE((Object{{"a", 1}, {"b", 2}}), (Object{{"b", 1}, {"a", 2}}));
  EXPECT_NE((Object{{"a", 1}}), (Object{{"a", 1}, {"b", 2}}));
  EXPECT_NE((Object{{"a", nullptr}}), (Object{{"b", nullptr}}));
}

TEST(Object, SetsFindsAndErases) {
  Object object;
  object.set("a", 1);
  object["b"] = "x";
  object.set("a", 2);
  EXPECT_EQ(object.size(), 2U);
  EXPECT_EQ(*object.find("a"), Value(2));
  EXPECT_TRUE(object.erase("a"));
  EXPECT_FALSE(object.erase("a"));
  EXPECT_EQ(object.find("a"), nullptr);
  EXPECT_TRUE(object.contains("b"));
}

TEST(Value, FollowsPaths) {
  Value value = Object{{"a", Object{{"b", Object{{"c", 1}}}}}};
  EXPECT_EQ(*value.at_path({"a", "b", "c"}), Value(1));
  EXPECT_EQ(value.at_path({"a", "x", "c"}), nullptr);
  EXPECT_EQ(value.at_path({"a", "b", "c", "d"}), nullptr);
  EXPECT_EQ(value.at_path({}), &value);
  EXPECT_EQ(value.string_at({"a", "b", "c"}), "");
  EXPECT_EQ(value.string_at({"a", "x"}), "");
  value.ensure_path({"a", "x"}) = Value("text");
  EXPECT_EQ(value.string_at({"a", "x"}), "text");
}

TEST(Value, FindsIntegersOnPaths) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Value value = Object{{"a", Object{{"zero", 0}, {"least", least}, {"most", most}}}};
  EXPECT_EQ(value.int_at({"a", "zero"}), 0);
  EXPECT_EQ(value.int_at({"a", "least"}), least);
  EXPECT_EQ(value.int_at({"a", "most"}), most);
  EXPECT_EQ(Value(7).int_at({}), 7);
}

TEST(Value, FindsNoIntegerInWhatIsNone) {
  const Value value = Object{{"null", nullptr},
                             {"text", "1"},
                             {"true", true},
                             {"whole", 1.0},
                             {"above", std::uint64_t{1} << 63U},
                             {"list", Array{1}},
                             {"one", 1}};
  for (const std::string_view name : {"null", "text", "true", "whole", "above", "list", "absent"}) {
    EXPECT_EQ(value.int_at({name}), std::nullopt) << name;
  }
  EXPECT_EQ(value.int_at({"one", "two"}), std::nullopt) << "below what is no object";
  EXPECT_EQ(value.int_at({}), std::nullopt);
}

TEST(Value, MakesPaths) {
  Value value;
  value.ensure_path({"a", "b"}) = 1;
  value.ensure_path({"a", "c"}) = 2;
  EXPECT_EQ(dump(value), R"({"a":{"b":1,"c":2}})");
  value.ensure_path({"a", "b", "d"}) = 3;
  EXPECT_EQ(dump(value), R"({"a":{"b":{"d":3},"c":2}})");
}

TEST(Dump, WritesCompactlyInOrder) {
  EXPECT_EQ(dump(Object{{"b", Array{1, "x", nullptr, true, Object{}}}, {"a", Array{}}}),
            R"({"b":[1,"x",null,true,{}],"a":[]})");
}

TEST(Dump, PrettyIndentsByTwo) {
  EXPECT_EQ(dump_pretty(Object{{"a", Array{1, Object{}}}, {"b", Object{{"c", Array{}}}}}),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": []\n  }\n}");
}

TEST(Dump, ReadsBack) {
  const std::string text = R"({"a":[1,18446744073709551615,-1.5e-9,"é\u2028"],"b":{"c":null}})";
  EXPECT_EQ(dump(*parse(text)), text);
}

}  // namespace
}  // namespace kube::json
