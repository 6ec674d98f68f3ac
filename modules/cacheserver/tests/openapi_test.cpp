// SPDX-License-Identifier: Apache-2.0
//
// The cluster's OpenAPI v3 documents, as the cache serves them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/testing/fake_clock.hpp>

#include "cluster_fixture.hpp"
#include "cluster_openapi.hpp"

namespace kube::cacheserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string definition(std::string_view plural, std::string_view kind, std::string_view what) {
  std::string out = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)";
  out.append(R"("metadata":{"name":")").append(plural).append(R"(.example.com"},"spec":{)");
  out.append(R"("group":"example.com","scope":"Namespaced","names":{"plural":")").append(plural);
  out.append(R"(","kind":")").append(kind).append(R"("},"versions":[{"name":"v1","served":true,)");
  out.append(R"("storage":true,"schema":{"openAPIV3Schema":{"type":"object","description":")");
  return out.append(what).append(R"("}}}]}})");
}

class OpenApiTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.openapi_from = client->rest();
    options.runtime.executor =
        std::make_shared<ThreadPool>(ThreadPool::Options{1, "timers", clock_});
    return options;
  }
  void SetUp() override {
    ClusterTest::SetUp();
    load(definition("widgets", "Widget", "What is made.") + "\n---\n" +
         definition("gadgets", "Gadget", "What makes it."));
    serve(widgets());
    serve(pods());
  }
  static meta::ResourceInfo widgets() {
    return {"example.com", "v1", "Widget", "widgets", "widget", true};
  }
  std::string link(const std::string& path) {
    return ask_cache("/openapi/v3").at({"paths", path, "serverRelativeURL"});
  }
  Answer document(const std::string& path) { return ask_cache(link(path)); }

  const std::shared_ptr<testing::FakeClock> clock_ = std::make_shared<testing::FakeClock>();
};

constexpr const char* kWidgets = "apis/example.com/v1";

TEST_F(OpenApiTest, ItIsTheClustersOfTheServedResourcesAlone) {
  const Answer answer = document(kWidgets);
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.header("etag"),
              HasSubstr(link(kWidgets).substr(link(kWidgets).find('=') + 1)));
  EXPECT_EQ(answer.header("cache-control"), "public, immutable");
  const json::Value cut = answer.json();
  const json::Object& paths = *cut.at_path({"paths"})->if_object();
  const json::Value* one = paths.find("/apis/example.com/v1/namespaces/{namespace}/widgets/{name}");
  ASSERT_NE(one, nullptr);
  EXPECT_NE(one->at_path({"get"}), nullptr);
  EXPECT_NE(one->at_path({"parameters"}), nullptr);
  for (const char* method : {"put", "patch", "delete"}) {
    EXPECT_EQ(one->at_path({method}), nullptr) << "it serves reads: " << method;
  }
  EXPECT_THAT(answer.body, HasSubstr("What is made."));
  EXPECT_THAT(answer.body, Not(HasSubstr("gadgets")));
  EXPECT_THAT(answer.body, Not(HasSubstr("What makes it.")));
  const std::string core = document("api/v1").body;
  EXPECT_THAT(core, HasSubstr("\"io.k8s.api.core.v1.PodSpec\""));
  EXPECT_THAT(core, Not(HasSubstr("\"io.k8s.api.core.v1.ServiceSpec\"")));
  EXPECT_EQ(link("apis/apps/v1"), "");
  EXPECT_EQ(ask_cache("/openapi/v3/apis/apps/v1").status, 404);
}

TEST_F(OpenApiTest, TheClusterIsAskedOnceUntilItsIndexIsOldOrSomethingHasChanged) {
  const auto before = cluster->statistics().requests;
  const std::string first = link(kWidgets);
  for (int i = 0; i < 3; ++i) EXPECT_THAT(document(kWidgets).body, HasSubstr("What is made."));
  EXPECT_EQ(cluster->statistics().requests - before, 2U) << "the index and one document";

  ASSERT_TRUE(cluster->load_text(definition("widgets", "Widget", "Changed.")));
  EXPECT_EQ(link(kWidgets), first);
  clock_->advance(ClusterOpenApi::kAskAgain);
  EXPECT_NE(link(kWidgets), first);
  EXPECT_THAT(document(kWidgets).body, HasSubstr("Changed."));
  EXPECT_EQ(ask_cache(first).status, 301) << "who has an old link is sent to the new one";
}

TEST_F(OpenApiTest, WhileTheClusterIsAwayTheLastDocumentsAreServedElseOwnOnes) {
  const Answer known = document(kWidgets);
  cluster->stop();
  clock_->advance(ClusterOpenApi::kAskAgain);
  EXPECT_EQ(document(kWidgets).body, known.body);
  Answer own = document("api/v1");
  ASSERT_EQ(own.status, 301) << "it was never asked for";
  own = ask_cache(own.header("location"));
  EXPECT_EQ(own.status, 200);
  EXPECT_THAT(own.body, HasSubstr("\"io.k8s.api.core.v1.PodSpec\""));
}

TEST_F(OpenApiTest, AResourceThatIsAddedIsInTheDocument) {
  EXPECT_THAT(document(kWidgets).body, Not(HasSubstr("gadgets")));
  serve({"example.com", "v1", "Gadget", "gadgets", "gadget", true});
  EXPECT_THAT(document(kWidgets).body, HasSubstr("/gadgets/{name}"));
}

}  // namespace
}  // namespace kube::cacheserver::test
