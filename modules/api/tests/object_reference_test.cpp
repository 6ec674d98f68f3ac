// SPDX-License-Identifier: Apache-2.0
#include <kube/api/object_reference.hpp>

#include <gtest/gtest.h>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/list.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/api/core/v1/pod_spec.hpp>
#include <kube/json/value.hpp>

namespace kube {
namespace {

using core::v1::ObjectReference;

const meta::ResourceInfo kPods{"", "v1", "Pod", "pods", "pod", true};

Unstructured object_of(std::string_view text) {
  return Unstructured(json::parse(text).value());
}

TEST(ObjectReferences, REF_01_HaveTheIdentityOfTheObject) {
  apps::v1::Deployment web;
  web.metadata.name = "web";
  web.metadata.namespace_ = "shop";
  web.metadata.uid = "u";
  web.metadata.resource_version = "7";
  const ObjectReference expected{.kind = "Deployment",
                                 .namespace_ = "shop",
                                 .name = "web",
                                 .uid = "u",
                                 .api_version = "apps/v1",
                                 .resource_version = "7"};
  EXPECT_EQ(object_reference(web), expected);
  const std::string metadata =
      R"("metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"7"}})";
  EXPECT_EQ(
      object_reference(object_of(R"({"kind":"Deployment","apiVersion":"apps/v1",)" + metadata))
          .value(),
      expected);
  const meta::ResourceInfo deployments{"apps", "v1", "Deployment", "deployments", "", true};
  EXPECT_EQ(object_reference(object_of("{" + metadata), deployments).value(), expected);
}

TEST(ObjectReferences, REF_02_OfAReferenceAreItself) {
  const ObjectReference reference{.kind = "K", .name = "n", .field_path = "spec"};
  EXPECT_EQ(object_reference(reference), reference);
}

TEST(ObjectReferences, REF_03_OfNullAreAnError) {
  EXPECT_EQ(object_reference(Unstructured(json::Value())).error().message(),
            "can't reference a nil object");
}

TEST(ObjectReferences, REF_04_NeedAKindOfTheObjectOrOfAResource) {
  EXPECT_EQ(object_reference(object_of(R"({"metadata":{"name":"a"}})")).error().message(),
            "scheme is required to look up gvk");
  const auto pod =
      object_reference(object_of(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})"));
  EXPECT_EQ(pod.value(), (ObjectReference{.kind = "Pod", .name = "a", .api_version = "v1"}));
  const auto partial = object_reference(object_of(R"({"kind":"Other","metadata":{}})"), kPods);
  EXPECT_EQ(partial.value(), (ObjectReference{.kind = "Other"})) << "the resource is not asked";
  EXPECT_EQ(object_reference(object_of(R"({"metadata":{}})"), kPods).value(),
            (ObjectReference{.kind = "Pod", .api_version = "v1"}));
}

TEST(ObjectReferences, REF_05_OfListsHaveTheVersionOfTheList) {
  EXPECT_EQ(object_reference(core::v1::PodSpec{}), ObjectReference{}) << "not a kind";
  EXPECT_EQ(object_reference(object_of(R"({"kind":"Plain","apiVersion":"x/v1"})")).value(),
            (ObjectReference{.kind = "Plain", .api_version = "x/v1"}));
  core::v1::List pods;
  pods.metadata.resource_version = "9";
  const ObjectReference expected{.kind = "List", .api_version = "v1", .resource_version = "9"};
  EXPECT_EQ(object_reference(pods), expected);
  EXPECT_EQ(object_reference(object_of(R"({"kind":"List","apiVersion":"v1",)"
                                       R"("metadata":{"resourceVersion":"9"},"items":[]})"))
                .value(),
            expected);
}

TEST(ObjectReferences, REF_06_OfAPartHaveAFieldPath) {
  core::v1::Pod pod;
  pod.metadata.name = "a";
  const ObjectReference expected{
      .kind = "Pod", .name = "a", .api_version = "v1", .field_path = "spec.containers{c}"};
  EXPECT_EQ(object_reference(pod, "spec.containers{c}"), expected);
  EXPECT_EQ(object_reference(object_reference(pod), "spec.containers{c}"), expected);
  EXPECT_EQ(
      object_reference(object_of(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})"),
                       "spec.containers{c}")
          .value(),
      expected);
}

}  // namespace
}  // namespace kube
