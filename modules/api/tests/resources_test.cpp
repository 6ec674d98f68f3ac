// SPDX-License-Identifier: Apache-2.0
#include <kube/api/resources.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <kube/api/types.hpp>

namespace kube::api {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST(Resources, AreFoundByNameAndByKind) {
  const ResourceFacts* pods = find_resource("", "v1", "pods");
  ASSERT_NE(pods, nullptr);
  EXPECT_EQ(find_resource_of_kind("", "v1", "Pod"), pods);
  EXPECT_EQ(find_resource("apps", "v1", "pods"), nullptr);
  EXPECT_EQ(find_resource_of_kind("policy", "v1", "Eviction"), nullptr);  // has no collection
}

TEST(Resources, SayWhatThePodsAre) {
  const ResourceFacts& pods = *find_resource("", "v1", "pods");
  EXPECT_EQ(pods.type, "core.v1.Pod");
  EXPECT_EQ(pods.list_kind, "PodList");
  EXPECT_TRUE(pods.namespaced);
  EXPECT_TRUE(pods.served);
  EXPECT_THAT(pods.short_names, ElementsAre("po"));
  EXPECT_THAT(pods.categories, ElementsAre("all"));
  EXPECT_THAT(pods.verbs, ElementsAre("create", "delete", "deletecollection", "get", "list",
                                      "patch", "update", "watch"));
  EXPECT_THAT(pods.field_selectors, Contains("spec.nodeName"));
  EXPECT_EQ(pods.field_aliases.front().label, "spec.host");
  EXPECT_EQ(pods.clientset, "CoreV1");
  EXPECT_EQ(pods.accessor, "Pods");
  EXPECT_TRUE(pods.protobuf);
  EXPECT_THAT(pods.expansion, Contains("EvictV1"));
  EXPECT_EQ(pods.columns.size(), 9U);
  EXPECT_EQ(pods.columns[4].path, ".metadata.creationTimestamp");
  const auto eviction = std::ranges::find(pods.subresources, "eviction", &SubresourceFacts::name);
  ASSERT_NE(eviction, pods.subresources.end());
  EXPECT_EQ(eviction->type, "policy.v1.Eviction");
}

TEST(Resources, NameTypesThatAreGenerated) {
  int kinds = 0;
  for (const ResourceFacts& facts : all_resources()) {
    const meta::TypeDescriptor* type =
        find_type({std::string(facts.group), std::string(facts.version), std::string(facts.kind)});
    ASSERT_NE(type, nullptr) << facts.type;
    EXPECT_EQ(type->name, facts.type);
    if (facts.collection) {
      EXPECT_EQ(type->plural, facts.plural);
    }
    EXPECT_EQ(type->namespaced, facts.namespaced) << facts.type;
    ++kinds;
  }
  EXPECT_GT(kinds, 150);
}

TEST(Resources, NameWhatReplacesThem) {
  const ResourceFacts& old = *find_resource("apps", "v1beta1", "deployments");
  EXPECT_FALSE(old.served);
  EXPECT_FALSE(old.deprecated.empty());
  EXPECT_EQ(old.replacement.group, "apps");
  EXPECT_EQ(old.replacement.version, "v1");
  EXPECT_EQ(old.replacement.kind, "Deployment");
  EXPECT_EQ(find_resource("apps", "v1", "deployments")->replacement.kind, "");
}

TEST(Resources, ListGroupsByTheirPriority) {
  EXPECT_EQ(all_groups().front().name, "");
  const auto apps = std::ranges::find(all_groups(), "apps", &GroupFacts::name);
  ASSERT_NE(apps, all_groups().end());
  EXPECT_THAT(apps->versions, ElementsAre("v1", "v1beta2", "v1beta1"));
  EXPECT_THAT(apps->served, ElementsAre("v1"));
  EXPECT_EQ(apps->preferred, "v1");
}

}  // namespace
}  // namespace kube::api
