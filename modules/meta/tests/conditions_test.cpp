// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/conditions.hpp>

#include <gtest/gtest.h>

namespace kube {
namespace {

using meta::Condition;
using meta::Time;

const Time kEarly(1'000, 0);
const Time kGiven(2'000, 0);
const Time kNow(3'000, 0);

/// Has no observedGeneration, as NodeCondition.
struct PlainCondition {
  std::string type{};
  std::string status{};
  Time last_transition_time{};
  std::string reason{};
  std::string message{};
  bool operator==(const PlainCondition&) const = default;
};

TEST(Conditions, COND_01_AppendsANewType) {
  std::vector<Condition> conditions;
  EXPECT_TRUE(set_status_condition(conditions, {.type = "Ready", .status = "True"}, kNow));
  EXPECT_TRUE(set_status_condition(
      conditions, {.type = "Other", .status = "True", .last_transition_time = kGiven}, kNow));
  ASSERT_EQ(conditions.size(), 2U);
  EXPECT_EQ(conditions[0].last_transition_time, kNow);
  EXPECT_EQ(conditions[1].last_transition_time, kGiven);
}

TEST(Conditions, COND_02_ANewStatusMovesTheTime) {
  const Condition old{.type = "Ready", .status = "False", .last_transition_time = kEarly};
  std::vector<Condition> conditions{old};
  EXPECT_TRUE(set_status_condition(conditions, {.type = "Ready", .status = "True"}, kNow));
  EXPECT_EQ(conditions[0].status, "True");
  EXPECT_EQ(conditions[0].last_transition_time, kNow);
  conditions = {old};
  EXPECT_TRUE(set_status_condition(
      conditions, {.type = "Ready", .status = "True", .last_transition_time = kGiven}, kNow));
  EXPECT_EQ(conditions[0].last_transition_time, kGiven);
}

TEST(Conditions, COND_03_TheSameStatusKeepsTheTime) {
  std::vector<Condition> conditions{{.type = "Ready",
                                     .status = "True",
                                     .last_transition_time = kEarly,
                                     .reason = "a",
                                     .message = "m"}};
  EXPECT_TRUE(set_status_condition(conditions,
                                   {.type = "Ready",
                                    .status = "True",
                                    .observed_generation = 2,
                                    .last_transition_time = kGiven,
                                    .reason = "b",
                                    .message = "n"},
                                   kNow));
  EXPECT_EQ(conditions[0], (Condition{.type = "Ready",
                                      .status = "True",
                                      .observed_generation = 2,
                                      .last_transition_time = kEarly,
                                      .reason = "b",
                                      .message = "n"}));
  EXPECT_FALSE(set_status_condition(
      conditions,
      {.type = "Ready", .status = "True", .observed_generation = 2, .reason = "b", .message = "n"},
      kNow));
}

TEST(Conditions, COND_04_RemoveTellsWhetherItWasThere) {
  std::vector<Condition> none;
  EXPECT_FALSE(remove_status_condition(none, "Ready"));
  std::vector<Condition> conditions{{.type = "A"}, {.type = "B"}};
  EXPECT_FALSE(remove_status_condition(conditions, "C"));
  EXPECT_TRUE(remove_status_condition(conditions, "A"));
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(conditions[0].type, "B");
}

TEST(Conditions, COND_05_FindAndCompareTheFirst) {
  std::vector<Condition> conditions{{.type = "A", .status = "True"},
                                    {.type = "A", .status = "False"},
                                    {.type = "B", .status = "False"}};
  EXPECT_EQ(find_status_condition(conditions, "A"), &conditions[0]);
  EXPECT_EQ(find_status_condition(conditions, "C"), nullptr);
  EXPECT_TRUE(is_status_condition_true(conditions, "A"));
  EXPECT_FALSE(is_status_condition_false(conditions, "A"));
  EXPECT_TRUE(is_status_condition_false(conditions, "B"));
  EXPECT_FALSE(is_status_condition_true(conditions, "C"));
  EXPECT_FALSE(is_status_condition_false(conditions, "C"));
  EXPECT_TRUE(is_status_condition_present_and_equal(conditions, "B", "False"));
  find_status_condition(conditions, "A")->status = "Unknown";
  EXPECT_TRUE(is_status_condition_present_and_equal(conditions, "A", "Unknown"));
}

TEST(Conditions, WorkOnEveryTypeMadeLikeThem) {
  std::vector<PlainCondition> conditions;
  EXPECT_TRUE(
      set_status_condition(conditions, PlainCondition{.type = "Ready", .status = "True"}, kNow));
  EXPECT_FALSE(
      set_status_condition(conditions, PlainCondition{.type = "Ready", .status = "True"}, kGiven));
  EXPECT_EQ(conditions[0].last_transition_time, kNow);
}

TEST(Conditions, OfUnstructuredReadAndWrite) {
  Unstructured object;
  EXPECT_TRUE(status_conditions(object).value().empty());
  std::vector<Condition> conditions;
  set_status_condition(conditions, {.type = "Ready", .status = "True", .reason = "r"}, kNow);
  set_status_conditions(object, conditions);
  EXPECT_EQ(object.content.at_path({"status", "conditions"})
                ->if_array()
                ->front()
                .at_path({"lastTransitionTime"})
                ->string_or_empty(),
            "1970-01-01T00:50:00Z");
  EXPECT_EQ(status_conditions(object).value(), conditions);
  object.content.ensure_path({"status", "conditions"}) = json::Array{7};
  EXPECT_FALSE(status_conditions(object));
  object.content.ensure_path({"status", "conditions"}) = "x";
  EXPECT_FALSE(status_conditions(object));
}

}  // namespace
}  // namespace kube
