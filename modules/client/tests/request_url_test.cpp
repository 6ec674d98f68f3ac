// SPDX-License-Identifier: Apache-2.0
#include "request_url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client_fixture.hpp"
#include "media_type.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string path_of(const ResourcePath& path) {
  const auto text = path.to_path();
  return text ? *text : "error: " + text.error().message();
}

TEST(ResourcePath, URL_06_CoreAndNamedGroupsWithEveryPart) {
  EXPECT_EQ(path_of({.resource = kPodsResource}), "/api/v1/pods");
  EXPECT_EQ(path_of({.resource = kPodsResource, .namespace_ = "web"}),
            "/api/v1/namespaces/web/pods");
  EXPECT_EQ(path_of({.resource = kPodsResource, .namespace_ = "web", .name = "a"}),
            "/api/v1/namespaces/web/pods/a");
  EXPECT_EQ(
      path_of(
          {.resource = kPodsResource, .namespace_ = "web", .name = "a", .subresource = "binding"}),
      "/api/v1/namespaces/web/pods/a/binding");
  EXPECT_EQ(path_of({.resource = kNodesResource, .name = "n1", .subresource = "status"}),
            "/api/v1/nodes/n1/status");
  EXPECT_EQ(path_of({.resource = kDeploymentsResource, .namespace_ = "web", .name = "front"}),
            "/apis/apps/v1/namespaces/web/deployments/front");
}

TEST(ResourcePath, NamespaceObjectsAreClusterScoped) {
  const meta::ResourceInfo namespaces{.version = "v1",
                                      .kind = "Namespace",
                                      .plural = "namespaces",
                                      .singular = "namespace",
                                      .namespaced = false};
  EXPECT_EQ(path_of({.resource = namespaces, .name = "web", .subresource = "finalize"}),
            "/api/v1/namespaces/web/finalize");
}

TEST(ResourcePath, REST_05_DYN_03_WhatIsNoPathSegmentIsRefusedNamespaceFirst) {
  for (const char* bad : {".", "..", "test/segment", "test%2bsegment"}) {
    const std::string text = bad;
    EXPECT_THAT(path_of({.resource = kPodsResource, .namespace_ = text, .name = text}),
                HasSubstr("invalid namespace \"" + text + "\""));
    EXPECT_THAT(path_of({.resource = kPodsResource, .namespace_ = "x", .name = text}),
                HasSubstr("invalid resource name \"" + text + "\""));
    EXPECT_THAT(
        path_of({.resource = kPodsResource, .namespace_ = "x", .name = "a", .subresource = text}),
        HasSubstr("invalid subresource \"" + text + "\""));
    meta::ResourceInfo resource = kPodsResource;
    resource.plural = text;
    EXPECT_THAT(path_of({.resource = resource}), HasSubstr("invalid resource \"" + text + "\""));
  }
  EXPECT_THAT(path_of({.resource = kPodsResource, .namespace_ = ".."}),
              HasSubstr("may not be '..'"));
  EXPECT_THAT(path_of({.resource = kPodsResource, .namespace_ = "a/b%"}),
              HasSubstr("[may not contain '/', may not contain '%']"));
}

TEST(ResourcePath, REST_15_NamespaceAndNameMustFitTheScope) {
  EXPECT_EQ(path_of({.resource = kPodsResource, .name = "a"}),
            "error: an empty namespace may not be set when a resource name is provided");
  EXPECT_EQ(path_of({.resource = kNodesResource, .namespace_ = "web", .name = "a"}),
            "error: nodes are cluster-scoped, a namespace may not be set");
  EXPECT_THAT(path_of({.resource = kPodsResource, .namespace_ = "web", .subresource = "status"}),
              HasSubstr("resource name may not be empty"));
  EXPECT_THAT(path_of({.resource = {.version = "v1", .kind = "PodSpec"}}),
              HasSubstr("needs a plural name and a version (kind PodSpec)"));
}

TEST(ResourcePath, NamesAreEscapedAsGoDoes) {
  EXPECT_EQ(path_of({.resource = kNodesResource, .name = "system:node+a b?c#d"}),
            "/api/v1/nodes/system:node+a%20b%3Fc%23d");
  meta::ResourceInfo upper = kPodsResource;
  upper.plural = "Pods";
  EXPECT_EQ(path_of({.resource = upper}), "/api/v1/pods");
}

TEST(ResourcePath, SaysWhatItIsInWords) {
  EXPECT_EQ((ResourcePath{.resource = kPodsResource, .namespace_ = "default", .name = "web-0"})
                .to_string(),
            R"(pods "web-0" in namespace "default")");
  EXPECT_EQ((ResourcePath{.resource = kDeploymentsResource,
                          .namespace_ = "x",
                          .name = "a",
                          .subresource = "scale"})
                .to_string(),
            R"(deployments.apps/scale "a" in namespace "x")");
  EXPECT_EQ((ResourcePath{.resource = kPodsResource, .namespace_ = "x"}).to_string(),
            R"(pods in namespace "x")");
  EXPECT_EQ((ResourcePath{.resource = kPodsResource}).to_string(), "pods in all namespaces");
  EXPECT_EQ((ResourcePath{.resource = kNodesResource, .name = "n"}).to_string(), R"(nodes "n")");
  EXPECT_EQ((ResourcePath{.resource = kNodesResource}).to_string(), "nodes");
}

TEST(GoDuration, URL_17_PrintsAsGoDoes) {
  EXPECT_EQ(go_duration(0ms), "0s");
  EXPECT_EQ(go_duration(999ms), "999ms");
  EXPECT_EQ(go_duration(10s), "10s");
  EXPECT_EQ(go_duration(60s), "1m0s");
  EXPECT_EQ(go_duration(3'600s), "1h0m0s");
  EXPECT_EQ(go_duration(1'050ms), "1.05s");
  EXPECT_EQ(go_duration(3'725'001ms), "1h2m5.001s");
}

TEST(MediaType, ParametersInAnyOrderAndForm) {
  const auto media = rest::parse_media_type(
      "Application/JSON ; Charset=\"utf-8\";g=apidiscovery.k8s.io; v=v2;as=APIGroupDiscoveryList;");
  ASSERT_TRUE(media);
  EXPECT_EQ(media->type, "application/json");
  EXPECT_EQ(media->parameter("charset"), "utf-8");
  EXPECT_EQ(media->parameter("as"), "APIGroupDiscoveryList");
  EXPECT_EQ(media->parameter("none"), "");
}

TEST(MediaType, MistakesAreNamedAsGoNamesThem) {
  EXPECT_EQ(rest::parse_media_type("application/,others").error().message(),
            "mime: expected token after slash");
  EXPECT_EQ(rest::parse_media_type("").error().message(), "mime: no media type");
  EXPECT_EQ(rest::parse_media_type("a/b c").error().message(),
            "mime: unexpected content after media subtype");
  EXPECT_FALSE(rest::parse_media_type("a/b;c"));
  EXPECT_FALSE(rest::parse_media_type("a/b;c=\"d"));
}

}  // namespace
}  // namespace kube
