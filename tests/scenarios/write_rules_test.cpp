// SPDX-License-Identifier: Apache-2.0
//
// What a server does with a write beyond storing it: what it keeps, what it takes for no change,
// and what it refuses.
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include <kube/api/autoscaling/v1/scale.hpp>
#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/namespace.hpp>
#include <kube/api/core/v1/service.hpp>
#include <kube/client/api.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::Patch;
using kube::Unstructured;
using kube::core::v1::ConfigMap;
using kube::core::v1::Namespace;
using kube::core::v1::Service;
namespace json = kube::json;

class WriteRulesScenario : public Scenario {
 protected:
  kube::Api<ConfigMap> maps() { return client_.api<ConfigMap>(namespace_); }

  // One with a list in it, which the test's patches are about.
  ConfigMap create_map(const std::string& name) {
    ConfigMap map;
    map.metadata.name = name;
    map.metadata.finalizers = {"example.com/a", "example.com/b"};
    map.data["color"] = "red";
    return must(maps().create(map));
  }
  // So that the namespace can go.
  void release(const std::string& name) {
    must(maps().patch(name, Patch::merge(*json::parse(R"({"metadata":{"finalizers":null}})"))));
  }

  // A request with a body as it stands here.
  kube::Result<kube::transport::HttpResponse> send(std::string_view method, const std::string& name,
                                                   std::string body,
                                                   std::string_view content_type) {
    kube::Request request;
    request.verb = "write";
    request.method = method;
    request.path = "/api/v1/namespaces/" + namespace_ + "/configmaps" +
                   (name.empty() ? std::string() : "/" + name);
    request.query = {{"fieldValidation", "Strict"}};
    request.body = std::move(body);
    request.content_type = content_type;
    return client_.rest().send(request, {});
  }
};

TEST_F(WriteRulesScenario, ANamespaceKeepsItsFinalizersAndItsLabelWhenItIsReplaced) {
  const auto namespaces = client_.api<Namespace>();
  create_map("inside");
  Namespace bare;
  bare.metadata.name = namespace_;
  bare.metadata.resource_version = must(namespaces.get(namespace_)).metadata.resource_version;
  const Namespace replaced = must(namespaces.update(bare));
  EXPECT_THAT(replaced.spec.finalizers, testing::ElementsAre("kubernetes"));
  EXPECT_EQ(replaced.status.phase, "Active");
  EXPECT_EQ(replaced.metadata.labels.at("kubernetes.io/metadata.name"), namespace_);

  must(namespaces.delete_(namespace_));
  EXPECT_EQ(must(namespaces.get(namespace_)).status.phase, "Terminating")
      << "it waits for what is in it";
  release("inside");
}

TEST_F(WriteRulesScenario, EmptyValuesAreNoChange) {
  const ConfigMap created = create_map("same");
  const std::string name = created.metadata.name;
  for (const char* patch : {R"({"binaryData":{}})", R"({"metadata":{"annotations":{}}})"}) {
    const ConfigMap patched = must(maps().patch(name, Patch::merge(*json::parse(patch))));
    EXPECT_EQ(patched.metadata.resource_version, created.metadata.resource_version) << patch;
  }
  release(name);
}

TEST_F(WriteRulesScenario, JsonPatchesCountFromTheEndAndTestForAbsence) {
  const std::string name = create_map("listed").metadata.name;
  const ConfigMap patched = must(maps().patch(name, Patch::json(*json::parse(R"([
      {"op": "test", "path": "/data/shape", "value": null},
      {"op": "remove", "path": "/metadata/finalizers/-1"},
      {"op": "add", "path": "/data/shape", "value": "round"}])"))));
  EXPECT_THAT(patched.metadata.finalizers, testing::ElementsAre("example.com/a"));
  EXPECT_EQ(patched.data.at("shape"), "round");

  const auto refused = maps().patch(name, Patch::json(*json::parse(R"([
      {"op": "test", "path": "/data/shape", "value": null}])")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().http_status(), 422) << refused.error().to_string();
  release(name);
}

TEST_F(WriteRulesScenario, MembersThatComeTwiceInAPatchAreRefusedWhereItIsStrict) {
  const std::string name = create_map("twice").metadata.name;
  for (const char* type :
       {"application/merge-patch+json", "application/strategic-merge-patch+json"}) {
    const auto answer = send("PATCH", name, R"({"data":{"a":"1","a":"2"}})", type);
    ASSERT_FALSE(answer) << type;
    EXPECT_THAT(answer.error().message(), testing::HasSubstr(R"(duplicate field "data.a")"));
  }
  EXPECT_FALSE(must(maps().get(name)).data.contains("a"));
  release(name);
}

TEST_F(WriteRulesScenario, AKindThatIsNoTextIsRefused) {
  const auto answer = send("POST", "", R"({"apiVersion":"v1","kind":5,"metadata":{"name":"x"}})",
                           "application/json");
  ASSERT_FALSE(answer);
  EXPECT_TRUE(kube::is_bad_request(answer.error())) << answer.error().to_string();
}

TEST_F(WriteRulesScenario, AServiceKeepsItsAddressWhenItIsReplaced) {
  const auto services = client_.api<Service>(namespace_);
  Service service;
  service.metadata.name = "front";
  service.spec.selector["app"] = "front";
  auto& port = service.spec.ports.emplace_back();
  port.port = 80;
  const Service created = must(services.create(service));
  service.metadata.resource_version = created.metadata.resource_version;
  service.spec.ports.front().port = 81;
  const Service updated = must(services.update(service));
  EXPECT_EQ(updated.spec.cluster_ip, created.spec.cluster_ip);
  EXPECT_EQ(updated.spec.ports.front().port, 81);
}

// A type that users define, whose objects a server scales by the paths that the definition names.
constexpr const char* kScaledDefinition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "NAME"},
  "spec": {
    "group": "GROUP", "scope": "Namespaced",
    "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
    "versions": [{
      "name": "v1", "served": true, "storage": true,
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"size": {"type": "integer"}}},
        "status": {"type": "object", "properties": {"size": {"type": "integer"}}}}}},
      "subresources": {"status": {}, "scale": {
        "specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}}}]}})";

TEST_F(WriteRulesScenario, CustomResourcesAreScaledByThePathsOfTheirDefinition) {
  // A group of its own: definitions outlive the test's namespace.
  const std::string group = namespace_ + ".example.com";
  std::string text = kScaledDefinition;
  for (const auto& [mark, value] :
       {std::pair<std::string, std::string>{"NAME", "widgets." + group}, {"GROUP", group}}) {
    text.replace(text.find(mark), mark.size(), value);
  }
  const auto definitions =
      client_.api(kube::meta::ResourceInfo{.group = "apiextensions.k8s.io",
                                           .version = "v1",
                                           .kind = "CustomResourceDefinition",
                                           .plural = "customresourcedefinitions",
                                           .singular = "customresourcedefinition",
                                           .namespaced = false});
  must(definitions.create(Unstructured(*json::parse(text))));

  const auto widgets = client_.api(kube::meta::ResourceInfo{.group = group,
                                                            .version = "v1",
                                                            .kind = "Widget",
                                                            .plural = "widgets",
                                                            .singular = "widget",
                                                            .namespaced = true},
                                   namespace_);
  const Unstructured widget(*json::parse(R"({"apiVersion":")" + group +
                                         R"(/v1","kind":"Widget","metadata":{"name":"w"},)"
                                         R"("spec":{"size":3}})"));
  // It takes a moment until the type is served.
  EXPECT_TRUE(eventually([&] { return widgets.create(widget).has_value(); }));

  using kube::autoscaling::v1::Scale;
  const Scale scale = must(widgets.get_subresource<Scale>("w", "scale"));
  EXPECT_EQ(scale.spec.replicas, 3);
  EXPECT_EQ(scale.status.replicas, 0);
  Scale larger = scale;
  larger.spec.replicas = 5;
  EXPECT_EQ(must(widgets.update_subresource<Scale>("w", "scale", larger)).spec.replicas, 5);
  EXPECT_EQ(must(widgets.get("w")).content.int_at({"spec", "size"}), 5);

  must(widgets.delete_("w"));
  must(definitions.delete_("widgets." + group));
}

}  // namespace
}  // namespace scenarios
