// SPDX-License-Identifier: Apache-2.0
#include <kube/json/value.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <thread>

namespace kube::json {
namespace {

static_assert(std::is_nothrow_move_constructible_v<Value>);
static_assert(std::is_nothrow_move_assignable_v<Value>);
static_assert(std::is_nothrow_move_constructible_v<Object>);
static_assert(sizeof(Value) == 40);

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
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const Value value = Object{{"a", Object{{"zero", 0}, {"least", kMin}, {"most", kMax}}}};
  EXPECT_EQ(value.int_at({"a", "zero"}), 0);
  EXPECT_EQ(value.int_at({"a", "least"}), kMin);
  EXPECT_EQ(value.int_at({"a", "most"}), kMax);
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

// Objects of each size up to where look-ups have an index, and beyond, against a plain map.
TEST(Object, LargeOnesFindWhatSmallOnesFind) {
  std::mt19937 random(1);
  for (const std::size_t names : {20U, 200U, 2000U}) {
    Object object;
    std::vector<std::pair<std::string, int>> model;
    for (int step = 0; step < 6000; ++step) {
      const std::string name = "n" + std::to_string(random() % names);
      const auto known = std::ranges::find(model, name, &std::pair<std::string, int>::first);
      switch (random() % 6) {
        case 0:
          EXPECT_EQ(object.erase(name), known != model.end());
          if (known != model.end()) model.erase(known);
          break;
        case 1:
          if (random() % 500 == 0) {
            const std::string_view last = name.data() + name.size() - 1;
            object.erase_if(
                [&](const std::string& each, const Value&) { return each.ends_with(last); });
            std::erase_if(model, [&](const auto& each) { return each.first.ends_with(last); });
          }
          break;
        case 2: {
          Object copy = object;
          EXPECT_EQ(copy == object, true);
          object = std::move(copy);
          break;
        }
        case 3:
          for (auto& [each, value] : object) value = *value.if_int() + 1;
          for (auto& each : model) ++each.second;
          break;
        default:
          object.set(name, step);
          if (known != model.end())
            known->second = step;
          else
            model.emplace_back(name, step);
      }
      const std::string other = "n" + std::to_string(random() % names);
      const Value* found = object.find(other);
      const auto expected = std::ranges::find(model, other, &std::pair<std::string, int>::first);
      ASSERT_EQ(found == nullptr ? -1 : *found->if_int(),
                expected == model.end() ? -1 : expected->second)
          << step;
    }
    ASSERT_EQ(object.size(), model.size());
    auto at = model.begin();
    for (const auto& [name, value] : object) EXPECT_EQ(name, (at++)->first);
  }
}

TEST(Object, NamesThatAreThereTwiceAreFoundFirst) {
  std::vector<Object::Member> members;
  for (int i = 0; i < 300; ++i) members.emplace_back("n" + std::to_string(i % 150), i);
  Object object(std::move(members));
  EXPECT_EQ(*object.find("n7")->if_int(), 7);
  EXPECT_TRUE(object.erase("n7"));
  EXPECT_EQ(*object.find("n7")->if_int(), 157);
  EXPECT_TRUE(object.erase("n7"));
  EXPECT_FALSE(object.contains("n7"));
}

TEST(Object, ThreadsMayReadALargeOneTogether) {
  std::vector<Object::Member> members;
  for (int i = 0; i < 5000; ++i) members.emplace_back("n" + std::to_string(i), i);
  const Object object(std::move(members));
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&object] {
      for (int i = 0; i < 5000; ++i) EXPECT_EQ(*object.find("n" + std::to_string(i))->if_int(), i);
    });
  }
}

// In quadratic time these would be 10^11 comparisons.
TEST(Object, ManyMembersAreMadeFoundAndRemovedInLinearTime) {
  Object object;
  constexpr int kMembers = 300'000;
  for (int i = 0; i < kMembers; ++i) object.set("n" + std::to_string(i), i);
  for (int i = 0; i < kMembers; ++i) ASSERT_TRUE(object.contains("n" + std::to_string(i)));
  EXPECT_EQ(object.erase_if(
                [](const std::string&, const Value& value) { return *value.if_int() % 2 == 0; }),
            kMembers / 2U);
  EXPECT_FALSE(object.contains("n0"));
  EXPECT_TRUE(object.contains("n1"));
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
