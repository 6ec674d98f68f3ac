// SPDX-License-Identifier: Apache-2.0
#include <kube/client/scale_client.hpp>

#include "client_fixture.hpp"
#include "fake_discovery.hpp"

namespace kube {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<meta::GroupVersion> kScaleVersions = {
    {"autoscaling", "v1"}, {"extensions", "v1beta1"}, {"apps", "v1beta1"}, {"apps", "v1beta2"}};

autoscaling::v1::Scale scale_of(std::int32_t replicas, const std::string& selector) {
  autoscaling::v1::Scale scale;
  scale.metadata.name = "front";
  scale.metadata.namespace_ = "web";
  scale.metadata.resource_version = "7";
  scale.spec.replicas = replicas;
  scale.status.replicas = 2;
  scale.status.selector = selector;
  return scale;
}

class ScaleTest : public ClientTest {
 protected:
  ScaleTest() {
    add("apps", "v1", "deployments", {"autoscaling", "v1", "Scale"});
    add("old.example.com", "v1", "things", {"extensions", "v1beta1", "Scale"});
    add("own.example.com", "v1beta1", "widgets", {"own.example.com", "v1beta1", "Scale"});
    add("plain.example.com", "v1", "stones", {});
    live->is_fresh = true;
  }
  void add(const std::string& group, const std::string& version, const std::string& name,
           const meta::GroupVersionKind& scale) {
    std::erase_if(live->groups.groups, [&](const ApiGroup& each) { return each.name == group; });
    live->groups.groups.push_back({group, {version}, version});
    ApiResourceList list{{group, version}, {fake_resource(name, "Kind")}};
    if (!scale.kind.empty()) {
      list.resources.push_back({.name = name + "/scale", .namespaced = true, .kind = scale});
    }
    live->lists.insert_or_assign({group, version}, list);
  }
  void answer_scale(const meta::GroupVersion& version, std::int32_t replicas = 5) {
    answer(200, write_scale(scale_of(replicas, "app=web"), version).value());
  }
  std::shared_ptr<FakeDiscovery> live = std::make_shared<FakeDiscovery>();
  const ScaleClient scales{make(), live};
};

TEST_F(ScaleTest, SCALE_01_EveryVersionOfAScaleIsRead) {
  for (const meta::GroupVersion& version : kScaleVersions) {
    answer_scale(version);
    const auto scale = scales.get({"apps", "deployments"}, "web", "front");
    ASSERT_TRUE(scale) << scale.error().to_string();
    EXPECT_EQ(*scale, scale_of(5, "app=web")) << version.to_string();
    EXPECT_EQ(request_line(last_request()),
              "GET /apis/apps/v1/namespaces/web/deployments/front/scale");
  }
  ApiResourceList core{{"", "v1"}, {fake_resource("replicationcontrollers", "RC")}};
  live->lists.insert_or_assign({"", "v1"}, core);
  const ScaleClient fresh(make(), live);
  EXPECT_TRUE(fresh.get({"", "replicationcontrollers"}, "web", "front"));
  EXPECT_EQ(request_line(last_request()),
            "GET /api/v1/namespaces/web/replicationcontrollers/front/scale");
}

TEST_F(ScaleTest, SCALE_02_AnUpdateIsSentInTheServersKind) {
  answer_scale({"autoscaling", "v1"}, 3);
  EXPECT_EQ(scales.update({"apps", "deployments"}, "web", scale_of(3, "")).value().spec.replicas,
            3);
  EXPECT_EQ(request_line(last_request()),
            "PUT /apis/apps/v1/namespaces/web/deployments/front/scale");
  EXPECT_THAT(last_request().body, HasSubstr(R"("apiVersion":"autoscaling/v1")"));
  EXPECT_THAT(last_request().body, HasSubstr(R"("replicas":3)"));

  answer_scale({"extensions", "v1beta1"}, 4);
  const auto updated = scales.update({"old.example.com", "things"}, "web", scale_of(4, "a=b"));
  ASSERT_TRUE(updated) << updated.error().to_string();
  EXPECT_EQ(*updated, scale_of(4, "app=web"));
  EXPECT_EQ(request_line(last_request()),
            "PUT /apis/old.example.com/v1/namespaces/web/things/front/scale");
  EXPECT_THAT(last_request().body, HasSubstr(R"("apiVersion":"extensions/v1beta1")"));
  EXPECT_THAT(last_request().body, HasSubstr(R"("targetSelector":"a=b")"));
}

TEST_F(ScaleTest, SCALE_03_APatchIsTheCallersAndNeedsNoDiscovery) {
  answer_scale({"apps", "v1beta2"});
  live->group_error = Error(ErrorCode::Unreachable, "down");
  const auto patched =
      scales.patch({"apps", "v1beta2", "deployments"}, "web", "front",
                   Patch::merge(json::parse(R"({"spec":{"replicas":5}})").value()));
  ASSERT_TRUE(patched) << patched.error().to_string();
  EXPECT_EQ(*patched, scale_of(5, "app=web"));
  EXPECT_EQ(request_line(last_request()),
            "PATCH /apis/apps/v1beta2/namespaces/web/deployments/front/scale");
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(last_request().body, R"({"spec":{"replicas":5}})");
}

TEST(Scale, SCALE_04_SelectorsAsTextAndAsMaps) {
  const auto read = [](const std::string& status) {
    const auto scale = read_scale(R"({"kind":"Scale","apiVersion":"apps/v1beta1","metadata":{},)"
                                  R"("spec":{},"status":)" +
                                  status + "}");
    return scale ? scale->status.selector : scale.error().message();
  };
  EXPECT_EQ(read(R"({"replicas":1,"selector":{"b":"2","a":"1"}})"), "a=1,b=2");
  EXPECT_EQ(read(R"json({"replicas":1,"selector":{"a":"1"},"targetSelector":"a in (1,2)"})json"),
            "a in (1,2)");
  EXPECT_EQ(read(R"({"replicas":1})"), "");

  const auto written = [](const std::string& selector) {
    const auto text = write_scale(scale_of(1, selector), {"apps", "v1beta1"});
    if (!text) return text.error().to_string();
    const json::Value document = json::parse(*text).value();
    const json::Value* map = document.at_path({"status", "selector"});
    return (map == nullptr ? "none" : json::dump(*map)) + " " +
           std::string(document.string_at({"status", "targetSelector"}));
  };
  EXPECT_EQ(written("b=2,a=1"), R"({"a":"1","b":"2"} a=1,b=2)");
  EXPECT_EQ(written("a=1,b in (x,y)"), "none a=1,b in (x,y)");
  EXPECT_EQ(written(""), "none ");
  EXPECT_THAT(written("a b c"), StartsWith("status.selector: "));
}

TEST_F(ScaleTest, SCALE_05_WhatIsMissingIsNamed) {
  const auto unknown = scales.get({"apps", "nothings"}, "web", "front");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(
      unknown.error().message(),
      StartsWith("unable to get full preferred group-version-resource for nothings.apps: "));
  EXPECT_EQ(
      scales.update({"plain.example.com", "stones"}, "web", scale_of(1, "")).error().message(),
      "could not find scale subresource for plain.example.com/v1, Resource=stones in discovery "
      "information");
  const std::string wrong =
      "received an object from a /scale endpoint which was not convertible to autoscaling Scale: ";
  for (const char* body :
       {R"({"kind":"Pod","apiVersion":"v1"})", R"({"kind":"Scale","apiVersion":"autoscaling/v9"})",
        R"({"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":"x"}})"}) {
    answer(200, body);
    const auto other = scales.get({"apps", "deployments"}, "web", "front");
    ASSERT_FALSE(other) << body;
    EXPECT_THAT(other.error().message(), StartsWith(wrong));
  }
  EXPECT_FALSE(write_scale(scale_of(1, ""), {"autoscaling", "v2"}));
}

TEST_F(ScaleTest, SCALE_06_AScaleWithoutGroupAndVersionHasThoseOfItsResource) {
  const auto serve = [&](const std::string& path, const std::string& body) {
    server->on("GET", path, [=](ScriptedCall call) { call.respond(200, body); });
  };
  serve("/api", R"({"versions":[]})");
  serve("/apis", R"({"groups":[{"name":"apps","versions":[{"version":"v1beta1"}]}]})");
  serve("/apis/apps/v1beta1",
        R"({"resources":[{"name":"deployments","namespaced":true,"kind":"Deployment"},
                         {"name":"deployments/scale","namespaced":true,"kind":"Scale"}]})");
  server->on("PUT", "*", [](ScriptedCall call) { call.respond(200, call.request().body); });
  const auto discovery =
      std::make_shared<MemoryCachedDiscovery>(std::make_shared<DiscoveryClient>(make()));
  const auto updated =
      ScaleClient(make(), discovery).update({"apps", "deployments"}, "web", scale_of(6, "a=b"));
  ASSERT_TRUE(updated) << updated.error().to_string();
  EXPECT_THAT(last_request().body, HasSubstr(R"("apiVersion":"apps/v1beta1")"));
  EXPECT_EQ(updated->spec.replicas, 6);
}

TEST(Scale, SCALE_07_ConversionsRoundTripBetweenAllVersions) {
  for (const std::string selector : {"", "a=1,b=2", "a=1,b in (x,y)", "!c"}) {
    const autoscaling::v1::Scale scale = scale_of(9, selector);
    for (const meta::GroupVersion& from : kScaleVersions) {
      const auto first = read_scale(write_scale(scale, from).value());
      ASSERT_TRUE(first) << first.error().to_string();
      for (const meta::GroupVersion& to : kScaleVersions) {
        const auto second = read_scale(write_scale(*first, to).value());
        ASSERT_TRUE(second);
        EXPECT_EQ(*second, scale) << from.to_string() << " to " << to.to_string();
      }
    }
  }
}

}  // namespace
}  // namespace kube
