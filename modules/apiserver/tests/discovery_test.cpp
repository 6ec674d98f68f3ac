// SPDX-License-Identifier: Apache-2.0
//
// Chapter 9.13 of the reference: discovery, OpenAPI, health.
#include <algorithm>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Returns the entry of a list whose member has that text; null when there is none.
const json::Value* entry(const json::Value& document, std::string_view list,
                         std::string_view member, std::string_view text) {
  const json::Value* found = document.at_path({list});
  if (found == nullptr || !found->is_array()) return nullptr;
  for (const json::Value& item : *found->if_array()) {
    if (text_at_path(item, {member}) == text) return &item;
  }
  return nullptr;
}

void expect_complete(const json::Value& resource) {
  for (const json::Value* member : {resource.at_path({"responseKind", "kind"}),
                                    resource.at_path({"scope"}), resource.at_path({"verbs"})}) {
    EXPECT_TRUE(member != nullptr && !member->is_null()) << json::dump(resource);
  }
}

class Discovery : public ServerTest {
 protected:
  // Loads the object of a request: a spec is not checked then.
  bool load(const std::string& body, bool namespaced) {
    auto object = json::parse(body).value();
    if (namespaced) object.if_object()->find("metadata")->if_object()->set("namespace", "t");
    return bool(server().load_text(json::dump(object)));
  }
};

TEST_F(Discovery, API_267_ApiListsTheCoreVersion) {
  const Answer answer = get("/api");
  EXPECT_EQ(answer.at({"kind"}), "APIVersions");
  EXPECT_EQ(answer.at({"versions"}), R"(["v1"])");
}

TEST_F(Discovery, API_268_ApisListsTheGroups) {
  const Answer answer = get("/apis");
  EXPECT_EQ(answer.at({"kind"}), "APIGroupList");
  const json::Value document = answer.json();
  for (const json::Value& group : *document.at_path({"groups"})->if_array()) {
    EXPECT_THAT(text_at_path(group, {"versions"}), HasSubstr("groupVersion"));
    EXPECT_THAT(text_at_path(group, {"preferredVersion", "groupVersion"}), Not(IsEmpty()));
  }
  const json::Value* autoscaling = entry(document, "groups", "name", "autoscaling");
  ASSERT_NE(autoscaling, nullptr);
  EXPECT_EQ(text_at_path(*autoscaling, {"preferredVersion", "version"}), "v2");
}

TEST_F(Discovery, API_269_CoreResources) {
  const json::Value document = get("/api/v1").json();
  EXPECT_EQ(text_at_path(document, {"kind"}), "APIResourceList");
  const json::Value* pods = entry(document, "resources", "name", "pods");
  ASSERT_NE(pods, nullptr);
  EXPECT_EQ(text_at_path(*pods, {"namespaced"}), "true");
  EXPECT_EQ(text_at_path(*pods, {"kind"}), "Pod");
  EXPECT_EQ(text_at_path(*pods, {"singularName"}), "pod");
  EXPECT_EQ(text_at_path(*pods, {"shortNames"}), R"(["po"])");
  EXPECT_EQ(text_at_path(*pods, {"verbs"}),
            R"(["create","delete","deletecollection","get","list","patch","update","watch"])");
  // base64 of the first eight bytes of SHA-256("/v1/Pod"), as on every server.
  EXPECT_EQ(text_at_path(*pods, {"storageVersionHash"}), "xPOwRZ+Yhw8=");
  EXPECT_NE(entry(document, "resources", "name", "pods/status"), nullptr);
}

TEST_F(Discovery, API_270_NamedGroupsResources) {
  const json::Value document = get("/apis/apps/v1").json();
  EXPECT_NE(entry(document, "resources", "name", "deployments"), nullptr);
  EXPECT_NE(entry(document, "resources", "name", "deployments/status"), nullptr);
  const json::Value* scale = entry(document, "resources", "name", "deployments/scale");
  ASSERT_NE(scale, nullptr);
  EXPECT_EQ(text_at_path(*scale, {"group"}), "autoscaling");
  EXPECT_EQ(text_at_path(*scale, {"version"}), "v1");
  EXPECT_EQ(text_at_path(*scale, {"kind"}), "Scale");
}

TEST_F(Discovery, API_271_OneGroup) {
  EXPECT_EQ(get("/apis/apps").at({"kind"}), "APIGroup");
  EXPECT_EQ(get("/apis/nosuch").status, 404);
  EXPECT_EQ(get("/apis/apps/v7").status, 404);
  EXPECT_EQ(get("/api/v2").status, 404);
}

TEST_F(Discovery, API_272_API_273_AggregatedDiscovery) {
  const Headers accept = {
      {"Accept",
       "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"}};
  for (const std::string_view path : {"/api", "/apis"}) {
    const Answer answer = get(path, accept);
    EXPECT_EQ(answer.header("content-type"),
              "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    const json::Value document = answer.json();
    for (const json::Value& group : *document.at_path({"items"})->if_array()) {
      for (const json::Value& version : *group.at_path({"versions"})->if_array()) {
        for (const json::Value& resource : *version.at_path({"resources"})->if_array()) {
          expect_complete(resource);
          const json::Value* subresources = resource.at_path({"subresources"});
          if (subresources == nullptr) continue;
          for (const json::Value& below : *subresources->if_array()) {
            EXPECT_NE(text_at_path(below, {"responseKind", "kind"}), "") << json::dump(below);
            EXPECT_NE(text_at_path(below, {"verbs"}), "") << json::dump(below);
          }
        }
      }
    }
    Headers again = accept;
    again.emplace_back("If-None-Match", answer.header("etag"));
    EXPECT_THAT(answer.header("etag"), HasSubstr("\""));
    const Answer unchanged = get(path, again);
    EXPECT_EQ(unchanged.status, 304);
    EXPECT_THAT(unchanged.body, IsEmpty());
  }
}

// A request with a body that each resource accepts.
std::string minimal(const json::Value& resource, std::string_view group_version) {
  const std::string kind = text_at_path(resource, {"kind"});
  std::string body = R"({"apiVersion":")" + std::string(group_version) + R"(","kind":")" + kind +
                     R"(","metadata":{"name":"x")";
  if (kind == "CustomResourceDefinition") {
    return R"({"metadata":{"name":"xs.e.io"},"spec":{"group":"e.io","scope":"Cluster",)"
           R"("names":{"plural":"xs","kind":"X"},"versions":[{"name":"v1","served":true,"storage":true,)"
           R"("schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
  }
  if (kind == "TokenReview") return body + R"(},"spec":{"token":"t"}})";
  if (kind == "SelfSubjectRulesReview") return body + R"(},"spec":{"namespace":"t"}})";
  if (kind == "LocalSubjectAccessReview")
    return R"({"spec":{"user":"u","resourceAttributes":{"namespace":"t","verb":"get","resource":"pods"}}})";
  if (kind.ends_with("AccessReview"))
    return R"({"spec":{"user":"u","nonResourceAttributes":{"path":"/","verb":"get"}}})";
  return body + "}}";
}

TEST_F(Discovery, API_274_EveryListedVerbWorksAndOthersAre405) {
  std::vector<std::string> versions = {"v1"};
  const json::Value groups = get("/apis").json();
  for (const json::Value& group : *groups.at_path({"groups"})->if_array()) {
    for (const json::Value& version : *group.at_path({"versions"})->if_array()) {
      versions.push_back(text_at_path(version, {"groupVersion"}));
    }
  }
  std::size_t served = 0;
  for (const std::string& version : versions) {
    const std::string root = (version == "v1" ? "/api/" : "/apis/") + version;
    const json::Value document = get(root).json();
    for (const json::Value& resource : *document.at_path({"resources"})->if_array()) {
      const std::string name = text_at_path(resource, {"name"});
      if (name.find('/') != std::string::npos) continue;
      ++served;
      const std::string verbs = text_at_path(resource, {"verbs"});
      const bool namespaced = text_at_path(resource, {"namespaced"}) == "true";
      const std::string collection = root + (namespaced ? "/namespaces/t/" : "/") + name;
      const std::string body = minimal(resource, version);
      const std::string object =
          name == "customresourcedefinitions" ? collection + "/xs.e.io" : collection + "/x";
      const auto has = [&](std::string_view verb) {
        return verbs.find("\"" + std::string(verb) + "\"") != std::string::npos;
      };
      const auto check = [&](std::string_view verb, const Answer& answer, int good) {
        if (has(verb)) {
          EXPECT_EQ(answer.status, good) << verb << " " << name << ": " << answer.body;
        } else {
          EXPECT_EQ(answer.status, 405) << verb << " " << name << ": " << answer.body;
        }
      };
      if (name == "bindings") {  // needs a pod
        EXPECT_EQ(post(collection, body).status, 500);
        continue;
      }
      Answer made = post(collection, body);
      if (made.status == 422) made.status = load(body, namespaced) ? 201 : 422;
      check("create", made, 201);
      check("list", get(collection), 200);
      if (has("watch")) {
        EXPECT_EQ(WatchClient(port(), collection + "?watch=true").head().status, 200) << name;
      }
      const bool stored = has("create") && has("get");
      const Answer got = get(object);
      check("get", got, stored ? 200 : 404);
      check("update", put(object, stored ? got.json() : json::Value(json::Object{})),
            stored ? 200 : 400);
      check("patch", merge(object, R"({"metadata":{"labels":{"a":"b"}}})"), 200);
      check("delete", remove(object), 200);
      check("deletecollection", call("DELETE", collection), 200);
    }
  }
  EXPECT_EQ(served, 100U);
}

// What creating a subresource does is shown where each is tested.
TEST_F(Discovery, API_274_EveryListedVerbOfASubresourceWorksAndOthersAre405) {
  std::size_t checked = 0;
  for (const std::string root :
       {"/api/v1", "/apis/apps/v1", "/apis/batch/v1", "/apis/policy/v1",
        "/apis/networking.k8s.io/v1", "/apis/certificates.k8s.io/v1", "/apis/autoscaling/v2"}) {
    const std::string version = root.substr(root.find('/', 1) + 1);
    const json::Value document = get(root).json();
    for (const json::Value& resource : *document.at_path({"resources"})->if_array()) {
      const std::string name = text_at_path(resource, {"name"});
      const std::size_t slash = name.find('/');
      if (slash == std::string::npos) continue;
      ++checked;
      const json::Value* parent = entry(document, "resources", "name", name.substr(0, slash));
      ASSERT_NE(parent, nullptr) << name;
      const bool namespaced = text_at_path(resource, {"namespaced"}) == "true";
      const std::string collection =
          root + (namespaced ? "/namespaces/t/" : "/") + name.substr(0, slash);
      const std::string body = minimal(*parent, version);
      EXPECT_TRUE(post(collection, body).status != 422 || load(body, namespaced)) << name;
      const std::string object = collection + "/x";
      const std::string path = object + name.substr(slash);
      const std::string verbs = text_at_path(resource, {"verbs"});
      const auto check = [&](std::string_view verb, const Answer& answer) {
        const bool listed = verbs.find("\"" + std::string(verb) + "\"") != std::string::npos;
        const bool works =
            verb == "create" ? answer.status != 404 && answer.status != 405 : answer.status == 200;
        EXPECT_TRUE(listed ? works : answer.status == 405)
            << verb << " " << name << ": " << answer.status << " " << answer.body;
        return listed;
      };
      const Answer got = get(path);
      const bool readable = check("get", got);
      check("update", put(path, (readable ? got : get(object)).json()));
      check("patch", merge(path, R"({"metadata":{"labels":{"a":"b"}}})"));
      check("delete", remove(path));
      check("create", post(path, "{}"));
      remove(object, R"({"gracePeriodSeconds":0})");
      // A namespace is removed by the server's finalizer, after the response.
      const bool removed_later = name.starts_with("namespaces/");
      EXPECT_TRUE(!removed_later || kube::testing::eventually([&] {
        return get(object).status == 404;
      })) << name;
    }
  }
  EXPECT_GT(checked, 20U);
}

TEST_F(Discovery, ListedSubresourcesAreServed) {
  ASSERT_EQ(post("/api/v1/namespaces/t/pods", pod("x")).status, 201);
  const json::Value document = get("/api/v1").json();
  for (const json::Value& resource : *document.at_path({"resources"})->if_array()) {
    const std::string name = text_at_path(resource, {"name"});
    if (!name.starts_with("pods/")) continue;
    const std::string path = "/api/v1/namespaces/t/pods/x" + name.substr(4);
    const bool readable = text_at_path(resource, {"verbs"}).find("\"get\"") != std::string::npos;
    EXPECT_EQ(get(path).status, readable ? 200 : 405) << name;
  }
  expect_status(get("/api/v1/namespaces/t/pods/x/nosuch"), 404, "NotFound");
}

TEST_F(Discovery, API_275_Version) {
  const Answer answer = get("/version");
  EXPECT_EQ(answer.at({"major"}), "1");
  EXPECT_EQ(answer.at({"minor"}), "37");
  EXPECT_THAT(answer.at({"gitVersion"}), ::testing::StartsWith("v1.37"));
}

TEST_F(Discovery, API_276_API_277_API_278_Health) {
  for (const std::string_view path : {"/healthz", "/livez", "/readyz", "/livez/ping"}) {
    const Answer answer = get(path);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "ok");
  }
  EXPECT_THAT(get("/readyz?verbose").body,
              AllOf(HasSubstr("[+]ping ok\n"), HasSubstr("readyz check passed\n")));
  EXPECT_EQ(get("/livez/nosuch").status, 404);
}

TEST_F(Discovery, API_279_API_280_API_281_OpenApi) {
  const json::Value index = get("/openapi/v3").json();
  for (const auto& [path, where] : *index.at_path({"paths"})->if_object()) {
    const std::string url = text_at_path(where, {"serverRelativeURL"});
    const Answer document = get(url);
    EXPECT_EQ(document.status, 200) << path;
    EXPECT_EQ(document.header("cache-control"), "public, immutable");
  }
  const Answer core = get("/openapi/v3/api/v1");
  EXPECT_EQ(core.header("cache-control"), "no-cache, private");
  const json::Value document = core.json();
  const json::Value* patch = document.at_path({"paths", "/api/v1/namespaces/{name}", "patch"});
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(text_at_path(*patch, {"x-kubernetes-group-version-kind", "kind"}), "Namespace");
  const json::Value* parameter = entry(*patch, "parameters", "name", "fieldValidation");
  ASSERT_NE(parameter, nullptr);
  EXPECT_EQ(text_at_path(*parameter, {"in"}), "query");
  const Answer moved = get("/openapi/v3/api/v1?hash=old");
  EXPECT_EQ(moved.status, 301);
  const Answer right = get(moved.header("location"));
  EXPECT_EQ(right.status, 200);
  EXPECT_EQ(right.header("cache-control"), "public, immutable");
  EXPECT_EQ(get("/openapi/v3/nosuch").status, 404);
}

TEST_F(Discovery, API_282_OpenApiV2HasTheSchemasInJsonAndProtobuf) {
  const Answer text = get("/openapi/v2");
  EXPECT_EQ(text.header("content-type"), "application/json");
  const json::Value document = text.json();
  EXPECT_EQ(text_at_path(document, {"swagger"}), "2.0");
  const json::Value* pod = document.at_path({"definitions", "io.k8s.api.core.v1.Pod"});
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(text_at_path(*pod, {"properties", "spec", "$ref"}),
            "#/definitions/io.k8s.api.core.v1.PodSpec");
  EXPECT_EQ(text_at_path(*pod, {"x-kubernetes-group-version-kind"}),
            R"([{"group":"","kind":"Pod","version":"v1"}])");
  // Every reference resolves.
  const json::Object& definitions = *document.at_path({"definitions"})->if_object();
  constexpr std::string_view kMark = "\"$ref\":\"#/definitions/";
  for (std::size_t at = text.body.find(kMark); at != std::string::npos;
       at = text.body.find(kMark, at + 1)) {
    const std::size_t begin = at + kMark.size();
    const std::string name = text.body.substr(begin, text.body.find('"', begin) - begin);
    ASSERT_TRUE(definitions.contains(name)) << name;
  }
  const std::string binary = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  const Answer message = get("/openapi/v2", {{"Accept", binary}});
  EXPECT_EQ(message.header("content-type"),
            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_EQ(message.body.substr(0, 5),
            "\x0a\x03"
            "2.0");
  EXPECT_THAT(message.body, HasSubstr("#/definitions/io.k8s.api.core.v1.PodSpec"));
  EXPECT_EQ(get("/openapi/v2", {{"If-None-Match", text.header("etag")}}).status, 304);
}

TEST_F(Discovery, API_283_RootListsPaths) {
  EXPECT_THAT(get("/").at({"paths"}),
              AllOf(HasSubstr("\"/api\""), HasSubstr("\"/apis\""), HasSubstr("\"/apis/apps/v1\"")));
}

TEST_F(Discovery, VersionsOfAResourceShareTheirObjects) {
  const std::string v2 = "/apis/autoscaling/v2/namespaces/t/horizontalpodautoscalers";
  const std::string v1 = "/apis/autoscaling/v1/namespaces/t/horizontalpodautoscalers";
  ASSERT_EQ(
      post(v1,
           R"({"metadata":{"name":"h"},"spec":{"maxReplicas":3,"targetCPUUtilizationPercentage":70,
            "scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}})")
          .status,
      201);
  const Answer newer = get(v2 + "/h");
  EXPECT_EQ(newer.at({"apiVersion"}), "autoscaling/v2");
  EXPECT_THAT(newer.at({"spec", "metrics"}), HasSubstr("\"averageUtilization\":70"));
  EXPECT_EQ(get(v1 + "/h").at({"spec", "targetCPUUtilizationPercentage"}), "70");
  WatchClient watch(port(), v1 + "?watch=true");
  EXPECT_EQ(watch.next_text(), "ADDED h");
}

TEST_F(Discovery, AnAutoscalerOfTheOlderVersionGetsBackItsDefault) {
  const std::string v1 = "/apis/autoscaling/v1/namespaces/t/horizontalpodautoscalers";
  ASSERT_EQ(post(v1, R"({"metadata":{"name":"h"},"spec":{"maxReplicas":3,"scaleTargetRef":{
            "apiVersion":"apps/v1","kind":"Deployment","name":"d"}}})")
                .status,
            201);
  const Answer same = merge(v1 + "/h", R"({"spec":{"targetCPUUtilizationPercentage":null}})");
  EXPECT_EQ(same.at({"spec", "targetCPUUtilizationPercentage"}), "80");
  EXPECT_EQ(same.at({"metadata", "generation"}), "1");
}

TEST_F(Discovery, AnAutoscalerOfTheOlderVersionIsCheckedAsOneOfTheNewer) {
  const std::string v1 = "/apis/autoscaling/v1/namespaces/t/horizontalpodautoscalers";
  const auto made = [&](std::string_view key, std::string_view text, std::string_view spec = {}) {
    json::Value object = json::Object{
        {"metadata", json::Object{{"name", "h"},
                                  {"annotations", json::Object{{"autoscaling.alpha.kubernetes.io/" +
                                                                    std::string(key),
                                                                std::string(text)}}}}},
        {"spec", *json::parse(R"({"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1",)"
                              R"("kind":"Deployment","name":"d"})" +
                              std::string(spec) + "}")}};
    return post(v1, json::dump(object));
  };
  EXPECT_EQ(first_cause(made("metrics", R"([{"type":"Pods","pods":{"targetAverageValue":"1"}}])")),
            "FieldValueRequired spec.metrics[0].pods.metric.name");
  EXPECT_EQ(first_cause(made("behavior",
                             R"({"ScaleDown":{"StabilizationWindowSeconds":3601,"Policies":[]}})")),
            "FieldValueInvalid spec.behavior.scaleDown.stabilizationWindowSeconds");
  // What stands for the status is not taken from a client.
  const Answer idle =
      made("conditions", R"([{"type":"AbleToScale","status":"True","lastTransitionTime":null}])");
  EXPECT_EQ(idle.status, 201);
  EXPECT_EQ(idle.at({"metadata", "annotations"}), "");
  ASSERT_EQ(remove(v1 + "/h").status, 200);
  EXPECT_EQ(
      made("metrics", R"([{"type":"External","external":{"metricName":"m","targetValue":"1"}}])",
           R"(,"minReplicas":0)")
          .status,
      201);
}

class Autoscalers : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    const Answer made = post(
        v2_,
        R"({"metadata":{"name":"h"},"spec":{"maxReplicas":3,"behavior":{"scaleUp":{"selectPolicy":"Min",
            "policies":[{"type":"Pods","value":2,"periodSeconds":60}]}},"metrics":[
            {"type":"Pods","pods":{"metric":{"name":"m"},"target":{"type":"AverageValue","averageValue":"1k"}}},
            {"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":70}}}],
            "scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}})");
    ASSERT_EQ(made.status, 201) << made.body;
    const Answer status = merge(v2_ + "/h/status", R"({"status":{
        "conditions":[{"type":"AbleToScale","status":"True","lastTransitionTime":null}],
        "currentMetrics":[{"type":"Object","object":{"metric":{"name":"o"},"current":{"value":"5"},
            "describedObject":{"name":"x","kind":"Service","apiVersion":"v1"}}}]}})");
    ASSERT_EQ(status.status, 200) << status.body;
  }
  static std::string annotation(const Answer& answer, const std::string& name) {
    return answer.at({"metadata", "annotations", "autoscaling.alpha.kubernetes.io/" + name});
  }
  std::string newer(std::initializer_list<std::string_view> path) {
    const json::Value content = get(v2_ + "/h").json();
    const json::Value* found = content.at_path(path);
    return found == nullptr ? "" : json::dump(json::sorted_members(*found));
  }
  const std::string v2_ = "/apis/autoscaling/v2/namespaces/t/horizontalpodautoscalers";
  const std::string v1_ = "/apis/autoscaling/v1/namespaces/t/horizontalpodautoscalers";
};

TEST_F(Autoscalers, OfVersion1HaveTheRestInAnnotations) {
  const Answer old = get(v1_ + "/h");
  EXPECT_EQ(old.at({"spec", "targetCPUUtilizationPercentage"}), "70");
  EXPECT_EQ(annotation(old, "metrics"),
            R"([{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"1k"}}])");
  EXPECT_EQ(annotation(old, "current-metrics"),
            R"([{"type":"Object","object":{"target":{"kind":"Service","name":"x",)"
            R"("apiVersion":"v1"},"metricName":"o","currentValue":"5"}}])");
  EXPECT_THAT(annotation(old, "conditions"), HasSubstr(R"("type":"AbleToScale")"));
  EXPECT_THAT(annotation(old, "behavior"),
              HasSubstr(R"({"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Min",)"
                        R"("Policies":[{"Type":"Pods","Value":2,"PeriodSeconds":60}],)"
                        R"("Tolerance":null},"ScaleDown":{)"));
  EXPECT_EQ(annotation(get(v2_ + "/h"), "metrics"), "");
}

TEST_F(Autoscalers, WritesOfVersion1KeepTheRest) {
  const std::string metrics = newer({"spec", "metrics"});
  const std::string behavior = newer({"spec", "behavior"});
  const std::string status = newer({"status"});
  json::Value old = get(v1_ + "/h").json();
  EXPECT_EQ(put(v1_ + "/h", with(old, {"spec", "maxReplicas"}, 4)).status, 200);
  EXPECT_EQ(newer({"spec", "metrics"}), metrics);
  EXPECT_EQ(newer({"spec", "behavior"}), behavior);
  EXPECT_EQ(newer({"status"}), status);
  old = with(get(v1_ + "/h").json(), {"metadata", "annotations"}, json::Object{{"k", "v"}});
  EXPECT_EQ(put(v1_ + "/h", old).status, 200);
  EXPECT_EQ(newer({"status"}), status) << "the spec is written";
  EXPECT_EQ(newer({"metadata", "annotations"}), R"({"k":"v"})");
  EXPECT_THAT(newer({"spec", "metrics"}), Not(HasSubstr("Pods")));
  EXPECT_EQ(newer({"spec", "behavior"}), "");
}

TEST_F(Autoscalers, AStatusOfVersion1IsAMetric) {
  const Answer made = post(v1_, R"({"metadata":{"name":"i","annotations":{
      "autoscaling.alpha.kubernetes.io/metrics":"[{\"type\":5}]"}},"spec":{"maxReplicas":3,
      "scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(annotation(made, "metrics"), "") << "it does not fit";
  const Answer written =
      merge(v1_ + "/i/status", R"({"status":{"currentCPUUtilizationPercentage":1}})");
  EXPECT_EQ(annotation(written, "current-metrics"),
            R"([{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":1,)"
            R"("currentAverageValue":"0"}}])");
  EXPECT_EQ(written.at({"status", "currentCPUUtilizationPercentage"}), "1");
  EXPECT_EQ(
      get(v2_ + "/i").at({"status", "currentMetrics"}),
      R"([{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":1}}}])");
}

}  // namespace
}  // namespace kube::apiserver::test
