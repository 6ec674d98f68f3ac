// SPDX-License-Identifier: Apache-2.0
#include <kube/client/discovery.hpp>

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

class Discovery : public ClientTest {
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

TEST_F(Discovery, DISC_08_DISC_14_AggregatedDiscoveryIsTwoRequests) {
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

TEST_F(Discovery, DISC_11_DISC_12_DISC_13_StaleVersionsAndVirtualParents) {
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

TEST_F(Discovery, DISC_04_DISC_15_LegacyDiscoveryAsksForEachVersion) {
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

TEST_F(Discovery, DISC_09_AMixedServerIsAskedForEachVersion) {
  serve_legacy();
  serve("/api", 200, kAggregatedCore, kAggregated);
  EXPECT_THAT(names(everything()),
              ElementsAre("v1 pods", "v1 pods/eviction", "extensions/v1beta1 jobs"));
}

TEST_F(Discovery, TheContentTypeSaysWhetherAnAnswerIsAggregated) {
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
              HasSubstr("the server responded with application/,, not JSON"));
}

TEST_F(Discovery, DISC_05_DISC_09_AServerMayDoWithoutTheCoreGroup) {
  serve("/api", 404, "", kPlain);
  serve("/apis", 200, R"({"items":[]})", kAggregated);
  EXPECT_THAT(everything().groups, IsEmpty());
  EXPECT_EQ(sent(), 2U);
  serve("/api", 403, "", kPlain);
  EXPECT_TRUE(is_forbidden(discovery.server_groups({}).error()));
}

TEST_F(Discovery, DISC_06_AnyErrorOfApisIsAnError) {
  for (const int code : {404, 403, 500}) {
    serve("/api", 200, kLegacyVersions);
    serve("/apis", code, "");
    const auto groups = discovery.server_groups({});
    ASSERT_FALSE(groups);
    EXPECT_EQ(groups.error().http_status(), code);
    EXPECT_FALSE(discovery.server_groups_and_resources({}));
  }
}

TEST_F(Discovery, DISC_15_DISC_16_OneGroupVersion) {
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

TEST_F(Discovery, DISC_17_DISC_18_AFailingVersionIsAskedTwiceAndThenReported) {
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

TEST_F(Discovery, DISC_23_TheServersVersion) {
  serve("/version", 200, R"({"major":"1","minor":"37","gitVersion":"v1.37.2"})");
  EXPECT_EQ(*discovery.server_version({}), (ServerVersion{"1", "37", "v1.37.2"}));
  serve("/version", 200, "{nope");
  EXPECT_THAT(discovery.server_version({}).error().message(),
              HasSubstr("unable to parse the server version: "));
  serve("/version", 200, "[]");
  EXPECT_FALSE(discovery.server_version({}));
}

TEST_F(Discovery, AConfiguredTimeoutBeatsTheDefault) {
  serve("/version", 200, "{}");
  EXPECT_TRUE(DiscoveryClient(make({.host = "https://h", .timeout = 3s})).server_version({}));
  EXPECT_EQ(last_request().timeout, 3s);
  EXPECT_TRUE(discovery.server_version({}));
  EXPECT_EQ(last_request().timeout, 32s);
}

TEST_F(Discovery, DocumentsThatMakeNoSenseAreDecodeErrors) {
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

TEST_F(Discovery, APageOfAnotherServerIsCalledWhatItIs) {
  serve("/api", 200, "<html>", {{"Content-Type", "text/html; charset=utf-8"}});
  EXPECT_EQ(
      discovery.server_groups({}).error().to_string(),
      "get /api: the server responded with text/html, not JSON; it is not a Kubernetes API server");
  serve("*", 404, "<html>", {{"Content-Type", "text/html"}});
  const auto groups = discovery.server_groups({});
  ASSERT_FALSE(groups);
  EXPECT_THAT(groups.error().to_string(), HasSubstr("not a Kubernetes API server?"));
  EXPECT_EQ(groups.error().http_status(), 404);
}

TEST_F(Discovery, ASilentServerIsGivenUpAfter32Seconds) {
  server->on("GET", "/api", [](const ScriptedCall&) {});
  const auto groups = discovery.server_groups_and_resources({});
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(elapsed(), 32s);
}

TEST_F(Discovery, AnEndlessAnswerIsCutOff) {
  serve("/api", 200, std::string((std::size_t{32} << 20) + 1, ' '));
  const auto groups = discovery.server_groups({});
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().code(), ErrorCode::Decode);
  EXPECT_EQ(groups.error().to_string(),
            "get /api: GET https://h/api: the response is longer than the limit of 33554432 bytes");
}

TEST_F(Discovery, AStopRequestEndsIt) {
  const Timer timer = stop_after(1s);
  EXPECT_EQ(discovery.server_groups_and_resources(stop.get_token()).error().code(),
            ErrorCode::Cancelled);
}

}  // namespace
}  // namespace kube
