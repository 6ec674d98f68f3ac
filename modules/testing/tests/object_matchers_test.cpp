// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/object_matchers.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/codec/converter.hpp>
#include <kube/testing/cached_objects.hpp>
#include <kube/testing/matchers.hpp>

namespace kube::testing {
namespace {

using core::v1::Pod;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Pod owner() {
  Pod pod;
  pod.metadata.name = "owner";
  pod.metadata.uid = "u-1";
  return pod;
}

Pod pod() {
  Pod pod;
  pod.metadata.namespace_ = "x";
  pod.metadata.name = "a";
  pod.metadata.resource_version = "12";
  pod.metadata.labels = {{"app", "web"}};
  pod.metadata.annotations = {{"note", "one"}};
  pod.metadata.finalizers = {"example.com/keep"};
  pod.metadata.owner_references = {new_controller_ref(owner())};
  auto& condition = pod.status.conditions.emplace_back();
  condition.type = "Ready";
  condition.status = "True";
  condition.reason = "Served";
  return pod;
}

template <class A>
void expect_matches(const A& object) {
  EXPECT_THAT(object, AllOf(HasName("a"), HasNamespace("x"), HasKey("x/a"),
                            HasResourceVersion("12"), HasName(StartsWith("a"))));
  EXPECT_THAT(object, AllOf(HasLabel("app", "web"), HasAnnotation("note", StartsWith("o")),
                            HasFinalizer("example.com/keep"), IsOwnedBy(owner())));
  EXPECT_THAT(object, AllOf(HasCondition("Ready", "True"), HasCondition("Ready", "True", "Served"),
                            HasCondition("Available", "")));
  EXPECT_THAT(object, Not(HasName("b")));
  EXPECT_THAT(object, Not(HasNamespace("y")));
  EXPECT_THAT(object, Not(HasKey("a")));
  EXPECT_THAT(object, Not(HasResourceVersion("13")));
  EXPECT_THAT(object, Not(HasLabel("app", "db")));
  EXPECT_THAT(object, Not(HasLabel("tier", "web")));
  EXPECT_THAT(object, Not(HasAnnotation("note", "two")));
  EXPECT_THAT(object, Not(HasFinalizer("other")));
  EXPECT_THAT(object, Not(HasCondition("Ready", "False")));
  EXPECT_THAT(object, Not(HasCondition("Ready", "True", "Other")));
  Pod other = owner();
  other.metadata.uid = "u-2";
  EXPECT_THAT(object, Not(IsOwnedBy(other)));
}

TEST(ObjectMatchers, MatchTypedObjects) {
  expect_matches(pod());
}

TEST(ObjectMatchers, MatchUntypedObjects) {
  expect_matches(meta::to_unstructured(pod()));
}

TEST(ObjectMatchers, MatchObjectsOfACache) {
  expect_matches(cached(pod()));
  expect_matches(cached(meta::to_unstructured(pod())));
  EXPECT_THAT(cached(pod()), Holds(Field(&Pod::metadata, Field(&meta::ObjectMeta::uid, ""))));
  EXPECT_THAT(cached(pod()), Not(Holds(HasName("b"))));
}

TEST(ObjectMatchers, NoObjectMatchesNothing) {
  const Cached<Pod> none;
  EXPECT_THAT(none, Not(HasName("a")));
  EXPECT_THAT(none, Not(Holds(::testing::_)));
  EXPECT_EQ(::testing::PrintToString(none), "no object");
  EXPECT_EQ(::testing::PrintToString(cached(pod())), "x/a@12");
}

TEST(ObjectMatchers, WorkInsideOfThoseOfAResult) {
  EXPECT_THAT(Result<Pod>(pod()), IsOkAndHolds(HasLabel("app", "web")));
}

TEST(ObjectMatchers, AFailureSaysWhatIsWantedAndShowsTheObject) {
  const auto explain = [](const auto& matcher, const auto& object) {
    ::testing::StringMatchResultListener listener;
    EXPECT_FALSE(::testing::ExplainMatchResult(matcher, object, &listener));
    return listener.str();
  };
  EXPECT_THAT(explain(HasName("b"), pod()), HasSubstr(R"("name":"a")"));
  EXPECT_THAT(explain(HasLabel("tier", "web"), pod()), HasSubstr("without tier"));
  EXPECT_THAT(explain(HasName("b"), Cached<Pod>()), HasSubstr("no object"));
  EXPECT_EQ(::testing::DescribeMatcher<Pod>(HasLabel("app", "web")),
            "has label app that is equal to \"web\"");
  EXPECT_EQ(::testing::DescribeMatcher<Pod>(Not(HasCondition("Ready", "True"))),
            "does not have condition Ready that is equal to \"True\"");
}

}  // namespace
}  // namespace kube::testing
