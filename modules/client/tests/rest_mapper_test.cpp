// SPDX-License-Identifier: Apache-2.0
#include <kube/client/rest_mapper.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ApiResource resource(const std::string& name, const std::string& singular, const std::string& kind,
                     std::vector<std::string> short_names = {}, bool namespaced = true) {
  return {.name = name,
          .singular_name = singular,
          .namespaced = namespaced,
          .kind = {.kind = kind},
          .short_names = std::move(short_names)};
}

ServerResources cluster() {
  ServerResources server;
  server.groups = {{"", {"v1"}, "v1"},
                   {"metrics.example.com", {"v1"}, "v1"},
                   {"apps", {"v1beta1", "v1"}, "v1"},
                   {"extensions", {"v1beta1"}, "v1beta1"},
                   {"first-group", {"v1"}, "v1"},
                   {"first-other", {"v1"}, "v1"},
                   {"policy", {"v1"}, "v1"},
                   {"acme.com", {"v2alpha1", "v2beta1"}, "v2beta1"}};
  server.resources = {
      {{"", "v1"},
       {resource("pods", "pod", "Pod", {"po"}), resource("pods/status", "pod", "Pod"),
        resource("nodes", "node", "Node", {"no"}, false),
        resource("endpoints", "endpoints", "Endpoints", {"ep"}),
        resource("services", "service", "Service", {"svc"})}},
      {{"metrics.example.com", "v1"},
       {resource("pods", "pod", "PodMetrics", {"pods-metrics", "svc"})}},
      {{"apps", "v1"}, {resource("deployments", "deployment", "Deployment", {"deploy"})}},
      {{"apps", "v1beta1"}, {resource("deployments", "deployment", "Deployment", {"deploy"})}},
      {{"extensions", "v1beta1"},
       {resource("jobs", "job", "Job"), resource("deployments", "deployment", "Deployment")}},
      {{"first-group", "v1"}, {resource("widgets", "widget", "Widget")}},
      {{"first-other", "v1"}, {resource("widgets", "widget", "Widget")}},
      {{"policy", "v1"}, {resource("evictions", "", "Eviction")}},
      {{"acme.com", "v2alpha1"},
       {resource("peas", "pea", "Pea"), resource("poddlers", "poddler", "Poddler", {"po"})}},
      {{"acme.com", "v2beta1"},
       {resource("peas", "pea", "Pea"), resource("short", "short", "Short", {"pods"})}},
  };
  return server;
}

class RestMapperTest : public ::testing::Test {
 protected:
  // "group/version plural Kind"
  std::string found(const std::string& text) {
    const auto info = mapper.resolve(text);
    if (!info) {
      EXPECT_EQ(info.error().code(), ErrorCode::InvalidArgument);
      return "error: " + info.error().message();
    }
    return info->api_version() + " " + info->plural + " " + info->kind;
  }
  RestMapper mapper{cluster()};
};

TEST_F(RestMapperTest, AResourceOfAGroupVersionIsFoundByItsKindAndByItsNames) {
  for (const char* name : {"Deployment", "deployment", "deployments", "deploy", "DEPLOYMENTS"}) {
    const auto found = mapper.resource({"apps", "v1beta1"}, name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->api_version() + " " + found->plural, "apps/v1beta1 deployments");
  }
  EXPECT_EQ(mapper.resource({"metrics.example.com", "v1"}, "pods").value().kind, "PodMetrics");
  EXPECT_EQ(mapper.resource({"", "v1"}, "po").value().kind, "Pod");
  const auto missing = mapper.resource({"apps", "v2"}, "deployments");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(is_no_match(missing.error()));
  EXPECT_EQ(missing.error().message(), R"(no matches for "deployments" in version "apps/v2")");
  EXPECT_TRUE(is_no_match(mapper.resource({"app", "v1"}, "deployments").error()))
      << "a group is named in full";
}

TEST_F(RestMapperTest, AGroupVersionThatCouldNotBeRetrievedIsNotMissing) {
  ServerResources server = cluster();
  server.failed.emplace(meta::GroupVersion{"down.io", "v1"}, Error(ErrorCode::Server, "stale"));
  server.failed.emplace(meta::GroupVersion{"gone.io", "v1"}, Error(ErrorCode::Server, "late"));
  const RestMapper partial(std::move(server));
  const auto down = partial.resource({"down.io", "v1"}, "Gizmo");
  ASSERT_FALSE(down);
  EXPECT_FALSE(is_no_match(down.error()));
  EXPECT_TRUE(is_group_discovery_failed(down.error()));
  EXPECT_EQ(down.error().message(),
            "unable to retrieve the complete list of server APIs: down.io/v1: stale");
  EXPECT_TRUE(is_no_match(partial.resource({"apps", "v2"}, "Gizmo").error()));
  EXPECT_TRUE(is_group_discovery_failed(partial.mapping({"down.io", "Gizmo"}, "v1").error()));
  EXPECT_TRUE(is_group_discovery_failed(partial.mapping({"down.io", "Gizmo"}, "").error()));
  EXPECT_TRUE(is_no_match(partial.mapping({"down.io", "Gizmo"}, "v2").error()));
}

TEST_F(RestMapperTest, MAP_01_TheCoreGroupWins) {
  EXPECT_EQ(found("pods"), "v1 pods Pod");
  EXPECT_EQ(found("pods.metrics.example.com"), "metrics.example.com/v1 pods PodMetrics");
  EXPECT_EQ(found("pods.v1.metrics.example.com"), "metrics.example.com/v1 pods PodMetrics");
}

TEST_F(RestMapperTest, KnowsCategoriesAndVerbs) {
  ServerResources server = cluster();
  for (ApiResourceList& list : server.resources) {
    for (ApiResource& each : list.resources) {
      if (each.name == "pods" || each.name == "pods/status" || each.name == "deployments") {
        each.categories = {"other", "all"};
      }
      if (each.name == "pods") each.verbs = {"get", "list"};
    }
  }
  mapper = RestMapper(server);
  std::vector<std::string> names;
  for (const auto& info : mapper.in_category("all")) {
    names.push_back(info.api_version() + " " + info.plural);
  }
  EXPECT_THAT(
      names, ::testing::ElementsAre("v1 pods", "metrics.example.com/v1 pods", "apps/v1 deployments",
                                    "extensions/v1beta1 deployments"));
  EXPECT_TRUE(mapper.in_category("pods").empty());
  EXPECT_TRUE(mapper.has_verb(*mapper.resolve("pods"), "list"));
  EXPECT_FALSE(mapper.has_verb(*mapper.resolve("pods"), "watch"));
  EXPECT_TRUE(mapper.has_verb(*mapper.resolve("nodes"), "watch")) << "nothing is said of its verbs";
}

TEST_F(RestMapperTest, MAP_02_MAP_03_PreferredVersionsAndThoseThatHaveIt) {
  EXPECT_EQ(found("deployments"), "apps/v1 deployments Deployment");
  EXPECT_EQ(found("deployments.v1beta1.apps"), "apps/v1beta1 deployments Deployment");
  EXPECT_EQ(found("deployments.extensions"), "extensions/v1beta1 deployments Deployment");
  EXPECT_EQ(found("peas"), "acme.com/v2beta1 peas Pea");
  EXPECT_EQ(found("poddlers"), "acme.com/v2alpha1 poddlers Poddler");
  EXPECT_EQ(found("jobs"), "extensions/v1beta1 jobs Job");
}

TEST_F(RestMapperTest, MAP_04_PluralSingularKindAndShortNameInAnyCase) {
  for (const char* text : {"pods", "pod", "Pod", "PODS", "po", "pods."}) {
    EXPECT_EQ(found(text), "v1 pods Pod") << text;
  }
  for (const char* text : {"deploy", "deployment", "deployment.apps", "Deployment.v1.apps"}) {
    EXPECT_EQ(found(text), "apps/v1 deployments Deployment") << text;
  }
  EXPECT_EQ(found("podmetrics"), "metrics.example.com/v1 pods PodMetrics");
  EXPECT_EQ(found("eviction"), "policy/v1 evictions Eviction") << "no singular from the server";
  EXPECT_THAT(found("endpoint"), HasSubstr("doesn't have a resource type \"endpoint\""));
}

TEST_F(RestMapperTest, MAP_05_GroupPrefixesMayBeAmbiguous) {
  EXPECT_EQ(found("pods.metrics"), "metrics.example.com/v1 pods PodMetrics");
  EXPECT_EQ(found("widgets.first-g"), "first-group/v1 widgets Widget");
  EXPECT_EQ(found("widgets.first"),
            "error: \"widgets.first\" matches multiple resources widgets.first-group, "
            "widgets.first-other");

  // An exact group wins over a group with this prefix, also where that one comes first.
  ServerResources server = cluster();
  server.groups.insert(server.groups.begin(), ApiGroup{"apps.example.com", {"v1"}, "v1"});
  server.resources.insert(server.resources.begin(),
                          ApiResourceList{{"apps.example.com", "v1"},
                                          {resource("deployments", "deployment", "Other")}});
  mapper = RestMapper(server);
  EXPECT_EQ(found("deployments.apps"), "apps/v1 deployments Deployment");
  EXPECT_EQ(found("deployments.apps.ex"), "apps.example.com/v1 deployments Other");
}

TEST_F(RestMapperTest, NoMatchNamesSimilarOnes) {
  EXPECT_EQ(found("pdos"),
            "error: the server doesn't have a resource type \"pdos\"; similar: pods, "
            "pods.metrics.example.com");
  EXPECT_EQ(found("podss"),
            "error: the server doesn't have a resource type \"podss\"; similar: pods, "
            "pods.metrics.example.com");
  EXPECT_EQ(found("deploymnets"),
            "error: the server doesn't have a resource type \"deploymnets\"; similar: "
            "deployments.apps, deployments.extensions");
  EXPECT_THAT(found("deplo"), HasSubstr("similar: deployments.apps"));
  EXPECT_EQ(found("zzzzzz"), "error: the server doesn't have a resource type \"zzzzzz\"");
  EXPECT_EQ(found("pods.nowhere"),
            "error: the server doesn't have a resource type \"pods.nowhere\"; similar: pods, "
            "pods.metrics.example.com, short.acme.com");
  EXPECT_THAT(found(""), HasSubstr("expected a resource such as pods"));
}

TEST_F(RestMapperTest, WhatDiscoveryCouldNotRetrieveIsPartOfTheError) {
  ServerResources partial = cluster();
  partial.failed.emplace(meta::GroupVersion{"down.example.com", "v1"},
                         Error(ErrorCode::Server, "unavailable"));
  mapper = RestMapper(partial);
  EXPECT_THAT(found("zzzzzz"), HasSubstr("(unable to retrieve the complete list of server APIs: "
                                         "down.example.com/v1: unavailable)"));
}

TEST_F(RestMapperTest, WhereNothingCouldBeRetrievedThatIsTheError) {
  ServerResources none;
  none.failed.emplace(meta::GroupVersion{"", "v1"}, Error(ErrorCode::Server, "unavailable"));
  mapper = RestMapper(none);
  const auto pods = mapper.resolve("pods");
  ASSERT_FALSE(pods);
  EXPECT_EQ(pods.error().code(), ErrorCode::Server);
  EXPECT_EQ(pods.error().message(),
            "unable to retrieve the complete list of server APIs: v1: unavailable");
}

TEST_F(RestMapperTest, MAP_11_SubresourcesAreNoResourcesAndScopeIsKept) {
  EXPECT_THAT(found("pods/status"), HasSubstr("error: "));
  EXPECT_FALSE(mapper.resolve("no").value().namespaced);
  EXPECT_TRUE(mapper.resolve("po").value().namespaced);
}

TEST_F(RestMapperTest, MAP_15_MappingOfAKind) {
  EXPECT_EQ(mapper.mapping({"apps", "Deployment"}).value().version, "v1");
  EXPECT_EQ(mapper.mapping({"apps", "Deployment"}, "v1beta1").value().version, "v1beta1");
  EXPECT_EQ(mapper.mapping({"apps", "Deployment"}, "v2").error().message(),
            "no matches for kind \"Deployment\" in version \"apps/v2\"");
  EXPECT_EQ(mapper.mapping({"none", "Deployment"}).error().message(),
            "no matches for kind \"Deployment\" in group \"none\"");
}

TEST_F(RestMapperTest, MAP_19_MAP_20_NamesBeatShortNamesAndTheFirstShortNameWins) {
  EXPECT_EQ(found("pods"), "v1 pods Pod") << "although another resource has that short name";
  EXPECT_EQ(found("svc"), "v1 services Service");
  EXPECT_EQ(found("svc.metrics.example.com"), "metrics.example.com/v1 pods PodMetrics");
  EXPECT_EQ(found("po.acme.com"), "acme.com/v2alpha1 poddlers Poddler");

  // Names and singular names win also over a short name that comes first.
  ServerResources server = cluster();
  server.resources.front().resources.push_back(
      resource("extras", "extra", "Extra", {"peas", "job", "short"}));
  mapper = RestMapper(server);
  EXPECT_EQ(found("peas"), "acme.com/v2beta1 peas Pea");
  EXPECT_EQ(found("job"), "extensions/v1beta1 jobs Job");
  EXPECT_EQ(found("short"), "acme.com/v2beta1 short Short");
}

TEST_F(RestMapperTest, MAP_26_ArgumentsWithDots) {
  const meta::ResourceArgument full = meta::parse_resource_argument("r.v.g.com");
  ASSERT_TRUE(full.resource);
  EXPECT_EQ(full.resource->resource, "r");
  EXPECT_EQ(full.resource->version, "v");
  EXPECT_EQ(full.resource->group, "g.com");
  EXPECT_EQ(full.group_resource.group, "v.g.com");
  EXPECT_FALSE(meta::parse_resource_argument("r.g").resource);
  EXPECT_EQ(meta::parse_resource_argument("r.g").group_resource.group, "g");
  EXPECT_EQ(meta::parse_group_resource("r.").group, "");
  EXPECT_EQ(meta::parse_group_resource(".g").resource, "");
}

TEST(GuessResource, MAP_08_PluralsOfKinds) {
  const auto plural = [](const char* kind) {
    return guess_resource({.group = "g", .version = "v", .kind = kind}).plural;
  };
  EXPECT_EQ(plural("Pod"), "pods");
  EXPECT_EQ(plural("ReplicationController"), "replicationcontrollers");
  EXPECT_EQ(plural("ImageRepository"), "imagerepositories");
  EXPECT_EQ(plural("miss"), "misses");
  EXPECT_EQ(plural("Status"), "statuses");
  EXPECT_EQ(plural("lowercases"), "lowercaseses");
  EXPECT_EQ(plural("Endpoints"), "endpoints");
  EXPECT_EQ(plural(""), "");
  EXPECT_EQ(guess_resource({"g", "v", "Policy"}).singular, "policy");
  EXPECT_EQ(guess_resource({"g", "v", "Policy"}).gvr(),
            (meta::GroupVersionResource{"g", "v", "policies"}));
}

TEST_F(RestMapperTest, MAP_09_SingularNames) {
  EXPECT_EQ(mapper.singular_of("pods").value(), "pod");
  EXPECT_EQ(mapper.singular_of("PEAS").value(), "pea");
  EXPECT_EQ(mapper.singular_of("endpoints").value(), "endpoints");
  const auto unknown = mapper.singular_of("unknowns");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(is_no_match(unknown.error()));
  EXPECT_EQ(unknown.error().message(), "no matches for resource \"unknowns\"");
  EXPECT_EQ(mapper.singular_of("unknowns").value_or("unknowns"), "unknowns");
}

TEST_F(RestMapperTest, MAP_12_TheFirstOfTheVersionsThatIsServed) {
  const auto version = [&](const std::vector<std::string>& versions) {
    const auto found = mapper.mapping({"apps", "Deployment"}, versions);
    return found ? found->version : found.error().message();
  };
  EXPECT_EQ(version({"v1beta1", "v1"}), "v1beta1");
  EXPECT_EQ(version({"v7", "v1beta1"}), "v1beta1");
  EXPECT_EQ(version({}), "v1");
  EXPECT_EQ(version({"v7", "v8"}), "no matches for kind \"Deployment\" in version \"apps/v7\"");
}

TEST_F(RestMapperTest, AMissIsRecognisedInAnyContext) {
  EXPECT_TRUE(is_no_match(mapper.resolve("nothing").error().with_context("apply f.yaml")));
  EXPECT_TRUE(is_no_match(mapper.mapping({"apps", "Nothing"}).error()));
  EXPECT_FALSE(is_no_match(mapper.resolve("widgets.first").error())) << "ambiguous";
  EXPECT_FALSE(is_no_match(Error(ErrorCode::InvalidArgument, "no matches for pods")));
}

TEST_F(RestMapperTest, MAP_21_AShortNameWithAGroup) {
  EXPECT_EQ(found("po.acme.com"), "acme.com/v2alpha1 poddlers Poddler");
  EXPECT_EQ(found("po.acme"), "acme.com/v2alpha1 poddlers Poddler") << "the group begins so";
  EXPECT_EQ(found("deploy.v1beta1.apps"), "apps/v1beta1 deployments Deployment");
  EXPECT_EQ(found("deploy.v1.apps"), "apps/v1 deployments Deployment");
  EXPECT_THAT(found("po.policy"), HasSubstr("doesn't have a resource type \"po.policy\""));
}

TEST_F(RestMapperTest, MAP_22_AnAmbiguousShortNameIsWarnedOf) {
  const auto warnings = [&](const std::string& text) {
    std::vector<std::string> found;
    EXPECT_TRUE(mapper.resolve(text, [&](const std::string& each) { found.push_back(each); }));
    return found;
  };
  EXPECT_THAT(warnings("po"),
              ::testing::ElementsAre("short name \"po\" could also match lower priority resource "
                                     "poddlers.acme.com"));
  EXPECT_THAT(warnings("svc"), ::testing::SizeIs(1));
  EXPECT_THAT(warnings("deploy"), ::testing::IsEmpty()) << "two versions of one resource";
  EXPECT_THAT(warnings("po.acme.com"), ::testing::IsEmpty());
  EXPECT_THAT(warnings("pods"), ::testing::IsEmpty()) << "a name, and a short name of another";
}

TEST_F(RestMapperTest, MAP_24_AnUnknownNameIsPassedOnUnchanged) {
  for (const char* text : {"Unknown", "unknown.v1.apps", "PO.nowhere"}) {
    EXPECT_THAT(found(text), HasSubstr("resource type \"" + std::string(text) + "\"")) << text;
  }
}

TEST_F(RestMapperTest, MAP_25_CategoriesOfAllGroups) {
  ServerResources server = cluster();
  for (ApiResourceList& list : server.resources) {
    for (ApiResource& each : list.resources) {
      if (each.name == "pods" || each.name == "deployments") each.categories = {"all"};
    }
  }
  const auto members = [](const RestMapper& of, const std::string& category) {
    std::vector<std::string> names;
    for (const auto& info : of.in_category(category)) {
      names.push_back(info.group_resource().to_string());
    }
    return names;
  };
  EXPECT_THAT(members(RestMapper(server), "all"),
              ::testing::ElementsAre("pods", "pods.metrics.example.com", "deployments.apps",
                                     "deployments.extensions"));
  EXPECT_TRUE(members(RestMapper(server), "unknown").empty());
  server.failed.emplace(meta::GroupVersion{"down", "v1"}, Error(ErrorCode::Server, "down"));
  EXPECT_EQ(members(RestMapper(server), "all").size(), 4U) << "of the others";
  ServerResources none;
  none.failed = server.failed;
  EXPECT_TRUE(members(RestMapper(none), "all").empty());
}

class MapperOfServer : public ClientTest {};

TEST_F(MapperOfServer, IsMadeFromDiscovery) {
  answer(404, "");
  const auto down = RestMapper::create(make(), {});
  ASSERT_FALSE(down);
  EXPECT_THAT(down.error().to_string(),
              AllOf(HasSubstr("find out what the server serves: "), HasSubstr("get /apis: ")));
  server->on("GET", "/api", [](ScriptedCall call) { call.respond(200, R"({"versions":["v1"]})"); });
  server->on("GET", "/apis", [](ScriptedCall call) { call.respond(200, R"({"groups":[]})"); });
  server->on("GET", "/api/v1", [](ScriptedCall call) {
    call.respond(200, R"({"resources":[{"name":"pods","singularName":"pod","namespaced":true,
                          "kind":"Pod","shortNames":["po"]}]})");
  });
  const auto mapper = RestMapper::create(make(), {});
  ASSERT_TRUE(mapper);
  EXPECT_EQ(*mapper->resolve("po"), kPodsResource);

  // A version that cannot be had is left out.
  server->on("GET", "/apis", [](ScriptedCall call) {
    call.respond(200, R"({"groups":[{"name":"down","versions":[{"groupVersion":"down/v1",
                          "version":"v1"}],"preferredVersion":{"groupVersion":"down/v1",
                          "version":"v1"}}]})");
  });
  server->on("GET", "/apis/down/v1", [](ScriptedCall call) { call.respond(503, ""); });
  const auto partial = RestMapper::create(make(), {});
  ASSERT_TRUE(partial) << partial.error().to_string();
  EXPECT_EQ(*partial->resolve("po"), kPodsResource);
  EXPECT_THAT(partial->resolve("other").error().message(), HasSubstr("down/v1"));
}

}  // namespace
}  // namespace kube
