// SPDX-License-Identifier: Apache-2.0
#include <kube/client/discovery.hpp>

#include <map>
#include <string>

#include <kube/meta/errors.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const transport::Headers kAggregated{
    {"Content-Type",
     "application/json; charset=utf-8;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io"}};
const transport::Headers kPlain{{"Content-Type", "application/json"}};

constexpr const char* kAggregatedCore = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":""},"versions":[{"version":"v1","freshness":"Current","resources":[
    {"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},"scope":"Namespaced",
     "singularResource":"pod","verbs":["get","list"],"shortNames":["po"],"categories":["all"],
     "subresources":[
       {"subresource":"status","responseKind":{"group":"","version":"v1","kind":"Pod"},"verbs":["get"]},
       {"subresource":"eviction","responseKind":{"group":"policy","version":"v1","kind":"Eviction"},
        "verbs":["create"]},
       {"subresource":"nokind","verbs":["get"]}]},
    {"resource":"nodes","responseKind":{"kind":"Node"},"scope":"Cluster","singularResource":"node",
     "verbs":["get"]}]}]}]})";
constexpr const char* kAggregatedGroups = R"({"items":[
  {"metadata":{"name":"apps"},"versions":[
    {"version":"v1","freshness":"Stale"},
    {"version":"v1beta1","freshness":"Current","resources":[
      {"resource":"virtual","scope":"Namespaced","singularResource":"","responseKind":{},
       "subresources":[{"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1",
                        "kind":"Scale"},"verbs":["get"]}]}]}]},
  {"metadata":{"name":"gone"},"versions":[{"version":"v1","freshness":"Stale"}]}]})";
constexpr const char* kLegacyVersions = R"({"kind":"APIVersions","versions":["v1"]})";
constexpr const char* kLegacyGroups = R"({"kind":"APIGroupList","groups":[{"name":"extensions",
  "versions":[{"groupVersion":"extensions/v1beta1","version":"v1beta1"}],
  "preferredVersion":{"groupVersion":"extensions/v1beta1","version":"v1beta1"}}]})";
constexpr const char* kLegacyCore = R"({"kind":"APIResourceList","groupVersion":"v1","resources":[
  {"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get"],
   "shortNames":["po"]},
  {"name":"pods/eviction","singularName":"","namespaced":true,"group":"policy","version":"v1",
   "kind":"Eviction","verbs":["create"]}]})";
constexpr const char* kLegacyExtensions =
    R"({"resources":[{"name":"jobs","singularName":"job","namespaced":true,"kind":"Job"}]})";

class DiscoveryTest : public ClientTest {
 protected:
  void serve(const std::string& path, int status, std::string body,
             transport::Headers headers = kPlain) {
    server->on("GET", path, [=](ScriptedCall call) { call.respond(status, body, headers); });
  }
  void serve_legacy() {
    serve("/api", 200, kLegacyVersions);
    serve("/apis", 200, kLegacyGroups);
    serve("/api/v1", 200, kLegacyCore);
    serve("/apis/extensions/v1beta1", 200, kLegacyExtensions);
  }
  ServerResources everything() {
    auto found = discovery.server_groups_and_resources({});
    EXPECT_TRUE(found) << found.error().to_string();
    return found ? *std::move(found) : ServerResources{};
  }
  static std::vector<std::string> names(const ServerResources& found) {
    std::vector<std::string> out;
    for (const auto& list : found.resources) {
      for (const auto& resource : list.resources) {
        out.push_back(list.group_version.to_string() + " " + resource.name);
      }
    }
    return out;
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (const auto& request : server->requests()) out.push_back(request_line(request));
    return out;
  }

  DiscoveryClient discovery{make()};
};

TEST_F(DiscoveryTest, DISC_08_DISC_14_AggregatedDiscoveryIsTwoRequests) {
  serve("/api", 200, kAggregatedCore, kAggregated);
  serve("/apis", 200, R"({"items":[]})", kAggregated);
  const ServerResources found = everything();
  EXPECT_THAT(lines(), ElementsAre("GET /api?timeout=32s", "GET /apis?timeout=32s"));
  EXPECT_EQ(
      header(last_request(), "Accept"),
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json");
  EXPECT_THAT(found.groups, ElementsAre(ApiGroup{"", {"v1"}, "v1"}));
  EXPECT_THAT(names(found),
              ElementsAre("v1 pods", "v1 pods/status", "v1 pods/eviction", "v1 nodes"));
  const auto& resources = found.resources.at(0).resources;
  EXPECT_EQ(resources[0], (ApiResource{.name = "pods",
                                       .singular_name = "pod",
                                       .namespaced = true,
                                       .kind = {"", "v1", "Pod"},
                                       .verbs = {"get", "list"},
                                       .short_names = {"po"},
                                       .categories = {"all"}}));
  EXPECT_EQ(resources[2].kind, (meta::GroupVersionKind{"policy", "v1", "Eviction"}));
  EXPECT_EQ(resources[2].singular_name, "pod");
  EXPECT_THAT(resources[2].verbs, ElementsAre("create"));
  EXPECT_EQ(resources[3].kind, (meta::GroupVersionKind{"", "v1", "Node"}));
  EXPECT_FALSE(resources[3].namespaced);
  EXPECT_FALSE(found.failure());
}

TEST_F(DiscoveryTest, DISC_11_DISC_12_DISC_13_StaleVersionsAndVirtualParents) {
  serve("/api", 200, kAggregatedCore, kAggregated);
  serve("/apis", 200, kAggregatedGroups, kAggregated);
  const ServerResources found = everything();
  EXPECT_THAT(found.groups,
              ElementsAre(ApiGroup{"", {"v1"}, "v1"}, ApiGroup{"apps", {"v1beta1"}, "v1beta1"},
                          ApiGroup{"gone", {}, ""}));
  EXPECT_THAT(names(found), ElementsAre("v1 pods", "v1 pods/status", "v1 pods/eviction", "v1 nodes",
                                        "apps/v1beta1 virtual/scale"));
  ASSERT_TRUE(found.failure());
  EXPECT_EQ(found.failure().value().message(),
            "unable to retrieve the complete list of server APIs: apps/v1: stale GroupVersion "
            "discovery: apps/v1, gone/v1: stale GroupVersion discovery: gone/v1");
}

TEST_F(DiscoveryTest, DISC_04_DISC_15_LegacyDiscoveryAsksForEachVersion) {
  serve_legacy();
  const ServerResources found = everything();
  EXPECT_THAT(lines(),
              ElementsAre("GET /api?timeout=32s", "GET /apis?timeout=32s",
                          "GET /api/v1?timeout=32s", "GET /apis/extensions/v1beta1?timeout=32s"));
  EXPECT_THAT(found.groups, ElementsAre(ApiGroup{"", {"v1"}, "v1"},
                                        ApiGroup{"extensions", {"v1beta1"}, "v1beta1"}));
  EXPECT_THAT(names(found), ElementsAre("v1 pods", "v1 pods/eviction", "extensions/v1beta1 jobs"));
  EXPECT_EQ(found.resources[0].resources[0].kind, (meta::GroupVersionKind{"", "v1", "Pod"}));
  EXPECT_EQ(found.resources[0].resources[1].kind,
            (meta::GroupVersionKind{"policy", "v1", "Eviction"}));
}

TEST_F(DiscoveryTest, DISC_09_AMixedServerIsAskedForEachVersion) {
  serve_legacy();
  serve("/api", 200, kAggregatedCore, kAggregated);
  EXPECT_THAT(names(everything()),
              ElementsAre("v1 pods", "v1 pods/eviction", "extensions/v1beta1 jobs"));
}

TEST_F(DiscoveryTest, TheContentTypeSaysWhetherAnAnswerIsAggregated) {
  const std::vector<std::string> all = {"v1 pods", "v1 pods/status", "v1 pods/eviction",
                                        "v1 nodes"};
  for (const char* type :
       {"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "application/json; as=APIGroupDiscoveryList; charset=utf-8; v=v2; g=apidiscovery.k8s.io"}) {
    serve("/api", 200, kAggregatedCore, {{"Content-Type", type}});
    serve("/apis", 200, R"({"items":[]})", {{"Content-Type", type}});
    EXPECT_EQ(names(everything()), all) << type;
  }
  // What is not aggregated, by its type, is read as it was before.
  for (const char* type :
       {"application/json", "application/json;g=apidiscovery.k8s.io;v=v2;as=Other",
        "application/json;g=other;v=v2;as=APIGroupDiscoveryList"}) {
    serve_legacy();
    serve("/api", 200, kLegacyVersions, {{"Content-Type", type}});
    serve("/apis", 200, kLegacyGroups, {{"Content-Type", type}});
    EXPECT_THAT(names(everything()),
                ElementsAre("v1 pods", "v1 pods/eviction", "extensions/v1beta1 jobs"))
        << type;
  }
  serve("/api", 200, kLegacyVersions, {{"Content-Type", "application/,"}});
  EXPECT_THAT(discovery.server_groups({}).error().to_string(),
              HasSubstr("found HTTP 200 with a body of type application/,, not JSON"));
}

TEST_F(DiscoveryTest, AnAnswerThatIsNoDocumentIsDescribedWithItsUrl) {
  struct Case {
    int status;
    const char* type;
    const char* body;
    const char* text;
  };
  for (const Case& c : {
           Case{200, "application/json", "", "found HTTP 200 without a body"},
           Case{204, "", "", "found HTTP 204 without a body"},
           Case{200, "text/plain", "hello", "found HTTP 200 with a body of type text/plain, not"},
           Case{200, "", "hello", "found HTTP 200 with a body without a Content-Type, not JSON"},
           Case{200, "text/html", "<html><title>Sign in</title>", "(\"Sign in\")"},
       }) {
    serve("*", c.status, c.body, {{"Content-Type", c.type}});
    for (const std::string& error : {discovery.server_groups({}).error().to_string(),
                                     discovery.server_version({}).error().to_string(),
                                     discovery.openapi_v2({}).error().to_string()}) {
      EXPECT_THAT(error, HasSubstr("expected a discovery document, ")) << c.body;
      EXPECT_THAT(error, HasSubstr(c.text));
      EXPECT_THAT(error, HasSubstr(": GET https://h/"));
    }
  }
}

TEST_F(DiscoveryTest, DISC_05_DISC_09_AServerMayDoWithoutTheCoreGroup) {
  serve("/api", 404, "", kPlain);
  serve("/apis", 200, R"({"items":[]})", kAggregated);
  EXPECT_THAT(everything().groups, IsEmpty());
  EXPECT_EQ(sent(), 2U);
  serve("/api", 403, "", kPlain);
  EXPECT_TRUE(is_forbidden(discovery.server_groups({}).error()));
}

TEST_F(DiscoveryTest, DISC_06_AnyErrorOfApisIsAnError) {
  for (const int code : {404, 403, 500}) {
    serve("/api", 200, kLegacyVersions);
    serve("/apis", code, "");
    const auto groups = discovery.server_groups({});
    ASSERT_FALSE(groups);
    EXPECT_EQ(groups.error().http_status(), code);
    EXPECT_FALSE(discovery.server_groups_and_resources({}));
  }
}

TEST_F(DiscoveryTest, DISC_15_DISC_16_OneGroupVersion) {
  serve("*", 404, "");
  EXPECT_EQ(discovery.server_resources_for_group_version({}, {}).error().message(),
            "groupVersion shouldn't be empty");
  const auto core = discovery.server_resources_for_group_version({.version = "v1"}, {});
  ASSERT_TRUE(core);
  EXPECT_THAT(core->resources, IsEmpty());
  const auto other = discovery.server_resources_for_group_version({"apps", "v1"}, {});
  ASSERT_FALSE(other);
  EXPECT_TRUE(is_not_found(other.error()));
}

TEST_F(DiscoveryTest, DISC_17_DISC_18_AFailingVersionIsAskedTwiceAndThenReported) {
  serve_legacy();
  server->once("GET", "/apis/extensions/v1beta1",
               [](ScriptedCall call) { call.respond(500, "", kPlain); });
  EXPECT_FALSE(everything().failure()) << "the second run found it";
  serve("/apis/extensions/v1beta1", 503, "");
  const ServerResources found = everything();
  EXPECT_THAT(names(found), ElementsAre("v1 pods", "v1 pods/eviction"));
  ASSERT_TRUE(found.failure());
  EXPECT_THAT(found.failure().value().message(),
              HasSubstr("extensions/v1beta1: the server is currently "
                        "unable to handle the request"));
}

TEST_F(DiscoveryTest, DISC_23_TheServersVersion) {
  serve("/version", 200, R"({"major":"1","minor":"37","gitVersion":"v1.37.2"})");
  EXPECT_EQ(*discovery.server_version({}), (ServerVersion{"1", "37", "v1.37.2"}));
  serve("/version", 200, "{nope");
  EXPECT_THAT(discovery.server_version({}).error().message(),
              HasSubstr("unable to parse the server version: "));
  serve("/version", 200, "[]");
  EXPECT_FALSE(discovery.server_version({}));
}

TEST_F(DiscoveryTest, DISC_10_DISC_30_WhichFormIsAskedFor) {
  serve_legacy();
  const DiscoveryClient legacy = discovery.with_legacy();
  ASSERT_TRUE(legacy.server_groups({}));
  EXPECT_EQ(header(last_request(), "Accept"), "application/json");
  ASSERT_TRUE(discovery.server_groups({}));
  EXPECT_EQ(header(last_request(), "Accept"),
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json")
      << "the original asks as before";
  ASSERT_TRUE(discovery.without_peers().server_groups({}));
  EXPECT_EQ(header(last_request(), "Accept"),
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer,"
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
            "application/json");
}

TEST_F(DiscoveryTest, DISC_28_ThePartialErrorIsRecognisedInAnyContext) {
  serve_legacy();
  serve("/apis/extensions/v1beta1", 503, "");
  const Error partial = everything().failure().value();
  for (const Error& error : {partial, partial.with_context("find pods").with_context("get po")}) {
    EXPECT_TRUE(is_group_discovery_failed(error));
    const auto failed = failed_group_versions(error);
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed.begin()->first.to_string(), "extensions/v1beta1");
    EXPECT_EQ(failed.begin()->second.http_status(), 503);
  }
  const Error other(ErrorCode::Server, "unable to retrieve the complete list of server APIs: x");
  EXPECT_FALSE(is_group_discovery_failed(other));
  EXPECT_THAT(failed_group_versions(other), IsEmpty());
}

TEST_F(DiscoveryTest, DISC_29_NoVersionsOfTheCoreGroupAreAGroupWithoutVersions) {
  serve_legacy();
  serve("/api", 200, R"({"kind":"APIVersions","versions":[]})");
  EXPECT_THAT(everything().groups,
              ElementsAre(ApiGroup{"", {}, ""}, ApiGroup{"extensions", {"v1beta1"}, "v1beta1"}));
}

TEST_F(DiscoveryTest, DISC_19_LegacyListsAreInTheOrderOfDiscovery) {
  serve_legacy();
  serve("/apis", 200, R"({"groups":[
    {"name":"z","versions":[{"version":"v2"},{"version":"v1"}],"preferredVersion":{"version":"v1"}},
    {"name":"a","versions":[{"version":"v1"}]}]})");
  serve("/apis/z/v1", 200, kLegacyExtensions);
  serve("/apis/z/v2", 200, kLegacyExtensions);
  serve("/apis/a/v1", 200, kLegacyExtensions);
  EXPECT_THAT(names(everything()),
              ElementsAre("v1 pods", "v1 pods/eviction", "z/v2 jobs", "z/v1 jobs", "a/v1 jobs"));
}

TEST_F(DiscoveryTest, TheOpenApiV2DocumentIsJson) {
  serve("/openapi/v2", 200, R"({"swagger":"2.0"})");
  EXPECT_EQ(discovery.openapi_v2({}).value()->string_at({"swagger"}), "2.0");
  EXPECT_EQ(header(last_request(), "Accept"), "application/json");
  serve("/openapi/v2", 200, "{");
  EXPECT_THAT(discovery.openapi_v2({}).error().to_string(), HasSubstr("get /openapi/v2: "));
}

TEST_F(DiscoveryTest, DISC_01_AClientForDiscoveryHasItsOwnTimeoutAndBurst) {
  serve("/version", 200, "{}");
  const auto requests_at_once = [&](int burst) {
    const rest::Config config{.host = "https://h", .qps = 1, .burst = burst};
    const auto client = DiscoveryClient::create(config, runtime, server);
    EXPECT_TRUE(client);
    const Duration before = elapsed();
    int count = 0;
    for (; elapsed() == before && count < 400; ++count) EXPECT_TRUE(client->server_version({}));
    EXPECT_EQ(last_request().timeout, 32s);
    return count - 1;
  };
  EXPECT_EQ(requests_at_once(0), 300);
  EXPECT_EQ(requests_at_once(7), 7) << "the timeout is the default all the same";
  const auto client =
      DiscoveryClient::create({.host = "https://h", .timeout = 3s, .qps = 1}, runtime, server);
  ASSERT_TRUE(client->server_version({}));
  EXPECT_EQ(last_request().timeout, 3s);
}

TEST_F(DiscoveryTest, AConfiguredTimeoutBeatsTheDefault) {
  serve("/version", 200, "{}");
  EXPECT_TRUE(DiscoveryClient(make({.host = "https://h", .timeout = 3s})).server_version({}));
  EXPECT_EQ(last_request().timeout, 3s);
  EXPECT_TRUE(discovery.server_version({}));
  EXPECT_EQ(last_request().timeout, 32s);
}

TEST_F(DiscoveryTest, DocumentsThatMakeNoSenseAreDecodeErrors) {
  serve("/apis", 200, R"({"groups":[]})");
  for (const char* body : {"<html>", "[]", R"({"versions":{}})"}) {
    serve("/api", 200, body);
    const auto groups = discovery.server_groups({});
    ASSERT_FALSE(groups) << body;
    EXPECT_EQ(groups.error().code(), ErrorCode::Decode);
    EXPECT_THAT(groups.error().to_string(), HasSubstr("get /api: "));
  }
  serve("/api", 200, kLegacyVersions);
  serve("/apis", 200, R"({"items":5})", kAggregated);
  EXPECT_EQ(discovery.server_groups({}).error().to_string(),
            "get /apis: items: expected an array, got number");
}

TEST_F(DiscoveryTest, APageOfAnotherServerIsCalledWhatItIs) {
  serve("/api", 200, "<html>", {{"Content-Type", "text/html; charset=utf-8"}});
  EXPECT_EQ(
      discovery.server_groups({}).error().to_string(),
      "get /api: GET https://h/api: expected a discovery document, found HTTP 200 with an HTML "
      "page, which no Kubernetes API server sends");
  serve("*", 404, "<html>", {{"Content-Type", "text/html"}});
  const auto groups = discovery.server_groups({});
  ASSERT_FALSE(groups);
  EXPECT_THAT(groups.error().to_string(), HasSubstr("not a Kubernetes API server?"));
  EXPECT_EQ(groups.error().http_status(), 404);
}

TEST_F(DiscoveryTest, ASilentServerIsGivenUpAfter32Seconds) {
  server->on("GET", "/api", [](const ScriptedCall&) {});
  const auto groups = discovery.server_groups_and_resources({});
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(elapsed(), 32s);
}

TEST_F(DiscoveryTest, AnEndlessAnswerIsCutOff) {
  serve("/api", 200, std::string((std::size_t{32} << 20) + 1, ' '));
  const auto groups = discovery.server_groups({});
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().code(), ErrorCode::Decode);
  EXPECT_EQ(groups.error().to_string(),
            "get /api: GET https://h/api: the response is longer than the limit of 33554432 bytes");
}

TEST_F(DiscoveryTest, AStopRequestEndsIt) {
  const Timer timer = stop_after(1s);
  EXPECT_EQ(discovery.server_groups_and_resources(stop.get_token()).error().code(),
            ErrorCode::Cancelled);
}

TEST_F(DiscoveryTest, LegacyGroupVersionsAreAskedForAtOnceAndKeepTheirOrder) {
  serve("/api", 200, kLegacyVersions);
  serve("/apis", 200, R"({"kind":"APIGroupList","groups":[
    {"name":"a","versions":[{"version":"v1"},{"version":"v2"}]},
    {"name":"b","versions":[{"version":"v1"}]}]})");
  // The server answers when all four have come, the last one first.
  std::vector<ScriptedCall> waiting;
  const auto hold = [&](ScriptedCall call) {
    waiting.push_back(std::move(call));
    if (waiting.size() < 4) return;
    for (; !waiting.empty(); waiting.pop_back()) {
      ScriptedCall& next = waiting.back();
      if (next.path() == "/apis/a/v2") {
        next.respond(404, status_json(404, "NotFound", "gone"), kPlain);
      } else {
        next.respond(200, R"({"resources":[{"name":"things","kind":"Thing"}]})", kPlain);
      }
    }
  };
  for (const char* path : {"/api/v1", "/apis/a/v1", "/apis/a/v2", "/apis/b/v1"}) {
    server->on("GET", path, hold);
  }
  const ServerResources found = everything();
  EXPECT_THAT(names(found), ElementsAre("v1 things", "a/v1 things", "b/v1 things"));
  ASSERT_EQ(found.failed.size(), 1U);
  EXPECT_EQ(found.failed.begin()->first.to_string(), "a/v2");
}

TEST_F(DiscoveryTest, DocumentsThatAreAskedForAtOnceAreRepeatedByThePolicy) {
  serve_legacy();
  std::map<std::string, int> asked;
  server->on("GET", "/api/v1", [&](ScriptedCall call) {
    ++asked[call.path()];
    call.respond(503, "", {{"Retry-After", "1"}});
  });
  server->on("GET", "/apis/extensions/v1beta1", [&](ScriptedCall call) {
    ++asked[call.path()];
    call.reset();
  });
  for (const int retries : {0, 1, 3}) {
    asked.clear();
    const DiscoveryClient by_policy(make({.host = "https://h", .retry = {.max_retries = retries}}));
    const auto found = by_policy.server_groups_and_resources({});
    ASSERT_TRUE(found) << found.error().to_string();
    EXPECT_EQ(found->failed.size(), 2U);
    // Discovery asks twice for a document that it did not get.
    EXPECT_EQ(asked["/api/v1"], 2 * (retries + 1));
    EXPECT_EQ(asked["/apis/extensions/v1beta1"], 2 * (retries + 1));
  }
}

TEST_F(DiscoveryTest, DocumentsThatAreToBeAskedForAgainWaitAtTheSameTimeAndUntilOneDeadline) {
  std::string groups;
  for (int i = 0; i < 40; ++i) {
    groups += (i == 0 ? "" : ",") + (R"({"name":"g)" + std::to_string(i)) +
              R"(","versions":[{"version":"v1"}]})";
  }
  serve("/api", 404, "");
  serve("/apis", 200, R"({"kind":"APIGroupList","groups":[)" + groups + "]}");
  server->on("GET", "/apis/g*", [](ScriptedCall call) {
    call.respond(503, status_json(503, "ServiceUnavailable", "later"), {{"Retry-After", "10"}});
  });
  for (const bool limited : {false, true}) {
    const TimePoint begin = executor->clock()->now();
    const std::size_t before = sent();
    const DiscoveryClient client(
        make({.host = "https://h", .qps = limited ? 1000.0F : 0, .burst = limited ? 1000 : 0}));
    const auto found = client.server_groups_and_resources({});
    ASSERT_TRUE(found) << found.error().to_string();
    EXPECT_EQ(found->failed.size(), 40U);
    // Both runs ask four times within 32 s.
    EXPECT_EQ(executor->clock()->now() - begin, 2 * 30s) << limited;
    EXPECT_EQ(sent() - before, 2 * (2 + 40 * 4U)) << limited;
    const Error& error = found->failed.begin()->second;
    EXPECT_EQ(error.http_status(), 503);
    EXPECT_EQ(error.retry_after(), 10s);
    EXPECT_THAT(error.message(), HasSubstr("later; the server asks for a retry after 10 s, and the "
                                           "deadline comes before"));
  }
}

TEST_F(DiscoveryTest, ADocumentThatDoesNotComeHasOneDeadlineForAllItsAttempts) {
  serve_legacy();
  int asked = 0;
  server->on("GET", "/api/v1", [&](ScriptedCall call) {
    if (++asked % 2 == 1) call.respond(503, "", {{"Retry-After", "20"}});
  });
  const TimePoint begin = executor->clock()->now();
  const ServerResources found = everything();
  EXPECT_EQ(executor->clock()->now() - begin, 2 * 32s) << "asked for twice";
  ASSERT_EQ(found.failed.size(), 1U);
  EXPECT_EQ(found.failed.begin()->second.code(), ErrorCode::Timeout);
}

}  // namespace
}  // namespace kube
