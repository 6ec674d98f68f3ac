// SPDX-License-Identifier: Apache-2.0
#include <kube/client/condition_is.hpp>

#include <gtest/gtest.h>

#include <kube/api/apiextensions/v1/custom_resource_definition.hpp>
#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/codec/codec.hpp>

namespace kube {
namespace {

using apps::v1::Deployment;

static_assert(HasConditions<core::v1::Pod>);
static_assert(HasConditions<Unstructured>);
static_assert(!HasConditions<core::v1::ConfigMap>, "it has no status");
static_assert(!HasConditions<meta::ObjectMeta>);

// Whether both forms of an object agree that the condition is met.
template <class T>
bool is_met(const ConditionIs& condition, const std::string& json) {
  const bool met = condition(*unstructured_from_json(json));
  EXPECT_EQ(condition(*meta::from_json<T>(json)), met) << json;
  return met;
}

std::string deployment(int generation, int observed, const std::string& conditions) {
  return R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","generation":)" +
         std::to_string(generation) + R"(},"status":{"observedGeneration":)" +
         std::to_string(observed) + R"(,"conditions":[)" + conditions + "]}}";
}

TEST(ConditionIs, HasTheStatus) {
  const std::string object = deployment(
      1, 1, R"({"type":"Progressing","status":"False"},{"type":"Available","status":"True"})");
  EXPECT_TRUE(is_met<Deployment>(condition_is("Available"), object));
  EXPECT_TRUE(is_met<Deployment>(condition_is("available", "true"), object)) << "in any case";
  EXPECT_FALSE(is_met<Deployment>(condition_is("Available", "False"), object));
  EXPECT_FALSE(is_met<Deployment>(condition_is("Progressing"), object));
  EXPECT_TRUE(is_met<Deployment>(condition_is("Progressing", "False"), object));
  EXPECT_FALSE(is_met<Deployment>(condition_is("Ready"), object));
  EXPECT_FALSE(is_met<Deployment>(condition_is("Available"),
                                  R"({"kind":"Deployment","apiVersion":"apps/v1"})"));
}

TEST(ConditionIs, TheFirstOfATypeCounts) {
  EXPECT_FALSE(is_met<Deployment>(
      condition_is("Ready"),
      deployment(1, 1, R"({"type":"Ready","status":"False"},{"type":"Ready","status":"True"})")));
}

TEST(ConditionIs, AStatusOfAnOlderGenerationDoesNotCount) {
  const std::string available = R"({"type":"Available","status":"True"})";
  EXPECT_FALSE(is_met<Deployment>(condition_is("Available"), deployment(3, 2, available)));
  EXPECT_TRUE(is_met<Deployment>(condition_is("Available"), deployment(3, 3, available)));
  EXPECT_TRUE(is_met<Deployment>(condition_is("Available"), deployment(3, 4, available)));
}

TEST(ConditionIs, TheGenerationOfTheConditionIsBeforeThatOfTheStatus) {
  const auto pod = [](int generation, int of_condition) {
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"generation":)" +
           std::to_string(generation) +
           R"(},"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True",)"
           R"("observedGeneration":)" +
           std::to_string(of_condition) + "}]}}";
  };
  EXPECT_TRUE(is_met<core::v1::Pod>(condition_is("Ready"), pod(2, 2)));
  EXPECT_FALSE(is_met<core::v1::Pod>(condition_is("Ready"), pod(3, 2)));
}

TEST(ConditionIs, AnOptionalStatusMayBeMissing) {
  using apiextensions::v1::CustomResourceDefinition;
  struct Widget {
    meta::ObjectMeta metadata{};
    Optional<apiextensions::v1::CustomResourceDefinitionStatus> status{};
    static const meta::TypeDescriptor& descriptor() {
      return CustomResourceDefinition::descriptor();
    }
  };
  static_assert(HasConditions<Widget>);
  Widget widget;
  EXPECT_FALSE(condition_is("Ready")(widget));
  widget.status.emplace();
  EXPECT_FALSE(condition_is("Ready")(widget));
  widget.status->conditions.push_back({.type = "Ready", .status = "True"});
  EXPECT_TRUE(condition_is("Ready")(widget));
}

TEST(ConditionIs, WhatIsNotAConditionIsSkipped) {
  const auto object = unstructured_from_json(
      R"({"kind":"Widget","status":{"conditions":[1,{"type":"Ready"},{"type":"Ready","status":2},)"
      R"({"type":"Ready","status":"True"}]}})");
  ASSERT_TRUE(object);
  EXPECT_TRUE(condition_is("Ready")(*object));
  EXPECT_FALSE(
      condition_is("Ready")(*unstructured_from_json(R"({"kind":"A","status":{"conditions":{}}})")));
}

}  // namespace
}  // namespace kube
