// SPDX-License-Identifier: Apache-2.0
#include <kube/names/group_version.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace kube::meta {
namespace {

TEST(GroupVersion, GVK_01_ParsesAsApimachineryDoes) {
  struct Case {
    const char* text;
    GroupVersion want;
  };
  for (const auto& [text, want] : std::vector<Case>{{"v1", {"", "v1"}},
                                                    {"/v1", {"", "v1"}},
                                                    {"v1/", {"v1", ""}},
                                                    {"v1/a", {"v1", "a"}},
                                                    {"apps/v1", {"apps", "v1"}},
                                                    {"", {}},
                                                    {"/", {}}}) {
    const Result<GroupVersion> got = parse_group_version(text);
    ASSERT_TRUE(got) << text;
    EXPECT_EQ(*got, want) << text;
  }
  for (const char* text : {"/v1/", "a/b/c", "//"}) {
    const Result<GroupVersion> got = parse_group_version(text);
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(got.error().code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(got.error().message(), "unexpected GroupVersion string: " + std::string(text));
  }
}

TEST(GroupVersion, GVK_02_Prints) {
  EXPECT_EQ((GroupVersion{"", "v1"}).to_string(), "v1");
  EXPECT_EQ((GroupVersion{"apps", "v1"}).to_string(), "apps/v1");
  EXPECT_EQ((GroupVersionKind{"apps", "v1", "Deployment"}).to_string(), "apps/v1, Kind=Deployment");
  EXPECT_EQ((GroupVersionKind{"", "v1", "Pod"}).to_string(), "/v1, Kind=Pod");
  EXPECT_EQ((GroupVersionResource{"apps", "v1", "deployments"}).to_string(),
            "apps/v1, Resource=deployments");
  EXPECT_EQ((GroupKind{"apps", "Deployment"}).to_string(), "Deployment.apps");
  EXPECT_EQ((GroupKind{"", "Pod"}).to_string(), "Pod");
  EXPECT_EQ((GroupResource{"apps", "deployments"}).to_string(), "deployments.apps");
  EXPECT_EQ((GroupResource{"", "pods"}).to_string(), "pods");
}

TEST(GroupResource, GVK_03_FirstDotSplits) {
  EXPECT_EQ(parse_group_resource("v1"), (GroupResource{"", "v1"}));
  EXPECT_EQ(parse_group_resource(".v1"), (GroupResource{"v1", ""}));
  EXPECT_EQ(parse_group_resource("v1."), (GroupResource{"", "v1"}));
  EXPECT_EQ(parse_group_resource("v1.a"), (GroupResource{"a", "v1"}));
  EXPECT_EQ(parse_group_resource("b.v1.a"), (GroupResource{"v1.a", "b"}));
}

TEST(ResourceArgument, GVK_04_NeedsTwoDotsForAVersion) {
  EXPECT_EQ(parse_resource_argument("a"), (ResourceArgument{std::nullopt, {"", "a"}}));
  EXPECT_EQ(parse_resource_argument("a.b"), (ResourceArgument{std::nullopt, {"b", "a"}}));
  EXPECT_EQ(parse_resource_argument("b.v1.a"),
            (ResourceArgument{GroupVersionResource{"a", "v1", "b"}, {"v1.a", "b"}}));
  EXPECT_EQ(parse_resource_argument("b.v1.a.c").resource, (GroupVersionResource{"a.c", "v1", "b"}));
  EXPECT_EQ(
      parse_kind_argument("StatefulSet.v1.apps"),
      (KindArgument{GroupVersionKind{"apps", "v1", "StatefulSet"}, {"v1.apps", "StatefulSet"}}));
  EXPECT_EQ(parse_kind_argument("Pod."), (KindArgument{std::nullopt, {"", "Pod"}}));
}

TEST(GroupKind, GVK_05_FirstDotSplits) {
  EXPECT_EQ(parse_group_kind("Deployment.apps"), (GroupKind{"apps", "Deployment"}));
  EXPECT_EQ(parse_group_kind("Role.rbac.authorization.k8s.io"),
            (GroupKind{"rbac.authorization.k8s.io", "Role"}));
  EXPECT_EQ(parse_group_kind("Pod"), (GroupKind{"", "Pod"}));
}

TEST(BestKind, GVK_06_PrefersTheExactVersionThenTheGroup) {
  const std::vector<GroupVersion> ordered{
      {"batch", "v1"}, {"batch", "v2alpha1"}, {"policy", "v1beta1"}};
  const auto best = [&](const GroupVersionKind& kind) {
    return best_kind(ordered, std::vector{kind});
  };
  EXPECT_EQ(best({"batch", "v2alpha1", "Job"}), (GroupVersionKind{"batch", "v2alpha1", "Job"}));
  EXPECT_EQ(best({"batch", "v3alpha1", "CronJob"}), (GroupVersionKind{"batch", "v1", "CronJob"}));
  EXPECT_EQ(best({"policy", "v1beta1", "PodDisruptionBudget"}),
            (GroupVersionKind{"policy", "v1beta1", "PodDisruptionBudget"}));
  EXPECT_EQ(best({"apps", "v1", "StatefulSet"}), std::nullopt);

  const std::vector<GroupVersion> one{{"batch", "v1"}};
  EXPECT_EQ(best_kind(one, std::vector<GroupVersionKind>{{"batch", "v2", "Job"},
                                                         {"batch", "v1", "Other"}}),
            (GroupVersionKind{"batch", "v1", "Other"}));
}

TEST(GroupVersionKind, GVK_07_FromAndToApiVersionAndKind) {
  EXPECT_EQ(GroupVersionKind{}.api_version(), "");
  EXPECT_EQ((GroupVersionKind{"apps", "v1", "D"}).api_version(), "apps/v1");
  EXPECT_EQ(from_api_version_and_kind("apps/v1", "D"), (GroupVersionKind{"apps", "v1", "D"}));
  EXPECT_EQ(from_api_version_and_kind("v1", "Pod"), (GroupVersionKind{"", "v1", "Pod"}));
  EXPECT_EQ(from_api_version_and_kind("/a/b", "D"), (GroupVersionKind{"", "", "D"}));
}

TEST(CompareVersions, GVK_08_GaOverBetaOverAlpha) {
  const std::vector<std::string> descending{"v10",      "v2",      "v1",        "v11beta2",
                                            "v10beta3", "v3beta1", "v12alpha1", "v11alpha2",
                                            "foo1",     "foo10",   "v1.1",      "version1"};
  std::vector<std::string> sorted = descending;
  std::reverse(sorted.begin(), sorted.end());
  std::rotate(sorted.begin(), sorted.begin() + 5, sorted.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return compare_versions(a, b) > 0; });
  EXPECT_EQ(sorted, descending);
  EXPECT_TRUE(compare_versions("v1", "v1") == 0);
  EXPECT_TRUE(compare_versions("v99999999999999999999999", "v1alpha1") < 0)
      << "does not fit: not a version";
}

TEST(GroupVersionResource, HashesByAllThreeParts) {
  const std::hash<GroupVersionResource> hash;
  const GroupVersionResource pods{"", "v1", "pods"};
  EXPECT_EQ(hash(pods), hash(GroupVersionResource{"", "v1", "pods"}));
  EXPECT_NE(hash(pods), hash(GroupVersionResource{"v1", "", "pods"}));
  EXPECT_NE(hash(pods), hash(GroupVersionResource{"", "v2", "pods"}));
  EXPECT_NE(std::hash<GroupVersionKind>{}({"", "v1", "Pod"}),
            std::hash<GroupVersionKind>{}({"", "v1", "Node"}));
}

}  // namespace
}  // namespace kube::meta
