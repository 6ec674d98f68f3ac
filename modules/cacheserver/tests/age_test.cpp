// SPDX-License-Identifier: Apache-2.0
//
// The header Age: each response has one, but those of the cluster to what is passed on.
#include <chrono>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster_fixture.hpp"

namespace kube::cacheserver::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr std::string_view kAsTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
constexpr std::string_view kAsPartial =
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,"
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
constexpr std::string_view kAsProtobuf = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kAsDiscovery =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// "METHOD TARGET", what is accepted, and the status of the response.
struct Asked {
  std::string_view request;
  std::string_view accept;
  int status;
};

class AgeTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.fresh_read_timeout = 10ms;
    options.routes["GET /own/{name}"] = [](const RouteRequest&) {
      return Result<json::Value>(json::Value("own"));
    };
    options.routes["GET /throws"] = [](const RouteRequest&) -> Result<json::Value> {
      throw std::runtime_error("not now");
    };
    return options;
  }
  /// Without its body, which may have no end.
  Answer head_of(std::string_view request, const Headers& headers = {}) const {
    HttpClient connection(cache->port());
    std::string text = std::string(request) + " HTTP/1.1\r\nHost: test\r\n";
    for (const auto& [name, value] : headers) text.append(name + ": ").append(value + "\r\n");
    connection.write(text + "\r\n");
    return connection.read_head();
  }
  void expect_age(const std::vector<Asked>& all) const {
    for (const auto& [request, accept, status] : all) {
      const Answer answer = head_of(request, {{"Accept", std::string(accept)}});
      EXPECT_EQ(answer.status, status) << request << " " << accept;
      EXPECT_THAT(answer.header("age"), MatchesRegex("[0-9]+")) << request << " " << accept;
      EXPECT_EQ(answer.header("warning"), "") << request;
    }
  }
};

TEST_F(AgeTest, OfTheCacheThatAnswers) {
  load(pod_json("a"));
  serve(pods());
  for (const std::string_view accept : {std::string_view("application/json"), kAsTable, kAsPartial,
                                        kAsProtobuf, std::string_view("application/yaml,*/*")}) {
    expect_age({{"GET /api/v1/namespaces/web/pods", accept, 200},
                {"HEAD /api/v1/namespaces/web/pods", accept, 200},
                {"GET /api/v1/pods?limit=1", accept, 200},
                {"GET /api/v1/pods?limit=1&continue=nonsense", accept, 400},
                {"GET /api/v1/pods?limit=x", accept, 400},
                {"GET /api/v1/pods?labelSelector=!!", accept, 400},
                {"GET /api/v1/pods?resourceVersion=1&resourceVersionMatch=Exact", accept, 410},
                {"GET /api/v1/pods?resourceVersion=999999999999999", accept, 504},
                {"GET /api/v1/namespaces/web/pods/a", accept, 200},
                {"GET /api/v1/namespaces/web/pods/none", accept, 404},
                {"GET /api/v1/namespaces/web/pods/a?resourceVersion=x", accept, 400},
                {"GET /api/v1/pods?watch=1&timeoutSeconds=1", accept, 200},
                {"HEAD /api/v1/pods?watch=1", accept, 200},
                {"GET /api/v1/pods?watch=1&resourceVersion=1", accept, 200},
                {"GET /api/v1/watch/pods", accept, 200},
                {"GET /api/v1/watch/namespaces/web/pods/a", accept, 200}});
  }
  expect_age({{"GET /api/v1/pods", "image/png", 406},
              {"GET /page/rows/api/v1/pods?watch=1", "*/*", 200},
              {"GET /page/object/api/v1/namespaces/web/pods/a", "*/*", 200},
              {"GET /page/object/api/v1/namespaces/web/pods/none", "*/*", 404}});
}

// Of no resource in particular.
TEST_F(AgeTest, OfTheOldestCacheWithAllOtherPaths) {
  load(pod_json("a"));
  serve(pods());
  expect_age({{"GET /", "application/json", 200},
              {"GET /", "text/html", 200},
              {"GET /api", "application/json", 200},
              {"GET /api/v1", "application/json", 200},
              {"GET /api/v2", "application/json", 404},
              {"GET /apis", "application/json", 200},
              {"GET /api", kAsDiscovery, 200},
              {"GET /apis", kAsDiscovery, 200},
              {"GET /apis", "image/png", 406},
              {"GET /openapi/v2", "application/json", 200},
              {"GET /openapi/v3", "application/json", 200},
              {"GET /openapi/v3/api/v1", "application/json", 200},
              {"GET /openapi/v3/api/v1?hash=old", "application/json", 301},
              {"GET /openapi/v3/apis/none/v1", "application/json", 404},
              {"GET /version", "application/json", 200},
              {"GET /metrics", "*/*", 200},
              {"GET /healthz", "*/*", 200},
              {"GET /livez", "*/*", 200},
              {"GET /readyz", "*/*", 200},
              {"GET /readyz/none", "*/*", 404},
              {"GET /page/resources", "*/*", 200},
              {"GET /page/rows/api/v1/namespaces/web/pods/a", "*/*", 404},
              {"GET /own/a", "*/*", 200},
              {"PUT /own/a", "*/*", 405},
              {"GET /throws", "*/*", 500},
              {"GET /no/such/path", "*/*", 404},
              {"GET /%zz", "*/*", 400},
              {"GET *", "*/*", 400},
              {"GET http://evil.example/api", "*/*", 403},
              {"OPTIONS /api/v1/pods", "*/*", 405},
              {"POST /api/v1/namespaces/web/pods", "*/*", 405},
              {"DELETE /api/v1/namespaces/web/pods/a", "*/*", 405},
              {"GET /api/v1/namespaces/web", "*/*", 403},
              {"GET /api/v1/namespaces/web/pods/a/status", "*/*", 404},
              {"GET /api/v1/services", "*/*", 404},
              {"GET /apis/apps/v1/deployments", "*/*", 404}});
  const std::string tag = head_of("GET /openapi/v3/api/v1").header("etag");
  const Answer same = head_of("GET /openapi/v3/api/v1", {{"If-None-Match", tag}});
  EXPECT_EQ(same.status, 304);
  EXPECT_THAT(same.header("age"), MatchesRegex("[0-9]+"));
  const Answer large =
      head_of("PUT /own/a", {{"Content-Length", std::to_string(std::size_t{4} << 20U)}});
  EXPECT_EQ(large.status, 413);
  EXPECT_THAT(large.header("age"), MatchesRegex("[0-9]+"));
}

// A form that an object does not have is found out when the response is made.
TEST_F(AgeTest, OfAResponseThatFails) {
  load(pod_json("a"));
  AnyInformer informer(client->rest(), pods());
  ASSERT_TRUE(informer.set_transform([](Unstructured pod) -> Result<Unstructured> {
    pod.content.if_object()->set("spec", "no object");
    return pod;
  }));
  ASSERT_TRUE(cache->add(informer));
  ASSERT_TRUE(informer.start());
  ASSERT_TRUE(informer.wait_for_sync({}));
  expect_age({{"GET /api/v1/namespaces/web/pods/a", "application/json", 200},
              {"GET /api/v1/namespaces/web/pods/a", kAsProtobuf, 500}});
}

TEST_F(AgeTest, NoneBeforeAnythingWasHeardOfTheCluster) {
  AnyInformer informer(client->rest(), pods());
  ASSERT_TRUE(cache->add(informer));
  for (const char* request : {"GET /api/v1/pods", "GET /readyz", "GET /own/a"}) {
    const Answer answer = head_of(request);
    EXPECT_EQ(answer.status, 503) << request;
    EXPECT_EQ(answer.header("age"), "") << request;
  }
}

class PassedOnAgeTest : public AgeTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = AgeTest::cache_options();
    options.writes_to.emplace().host = cluster->url();
    return options;
  }
};

TEST_F(PassedOnAgeTest, OfWhatThisServerAnswersAndNotTheCluster) {
  load(pod_json("a"));
  serve(pods());
  for (const char* request :
       {"DELETE /api/v1/namespaces/web/pods/none", "GET /api/v1/namespaces/web/pods/none/status"}) {
    const Answer answer = head_of(request);
    EXPECT_EQ(answer.status, 404) << request;
    EXPECT_EQ(answer.header("age"), "") << request;
  }
  expect_age({{"GET /api/v1/namespaces/web/pods/a", "*/*", 200},
              {"DELETE /api/v1/namespaces/web/services/a", "*/*", 404},
              {"GET /api/v1/namespaces/web/pods/a/log?follow=1", "*/*", 400},
              {"GET /api/v1/namespaces/web/pods/a/exec", "*/*", 400},
              {"OPTIONS /api/v1/namespaces/web/pods/a", "*/*", 405}});
  cluster->stop();
  expect_age({{"DELETE /api/v1/namespaces/web/pods/a", "*/*", 503}});
}

}  // namespace
}  // namespace kube::cacheserver::test
