// SPDX-License-Identifier: Apache-2.0
#include <kube/fake/fake_client.hpp>

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/namespace.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/client/discovery.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/status.hpp>
#include <kube/testing/eventually.hpp>

namespace kube::fake {
namespace {

using core::v1::ConfigMap;
using core::v1::Namespace;
using core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kObjects = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: b, namespace: web, labels: {app: x}}
data: {k: v}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: db}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
)";

class FakeClientTest : public ::testing::Test {
 protected:
  static ConfigMap config_map(const std::string& name) {
    ConfigMap object;
    object.metadata.name = name;
    object.data["k"] = "v";
    return object;
  }
  /// The verbs and resources of the actions: "create configmaps".
  std::vector<std::string> recorded() const {
    std::vector<std::string> lines;
    for (const Action& action : fake->actions())
      lines.push_back(action.verb + " " + action.resource +
                      (action.subresource.empty() ? "" : "/" + action.subresource));
    return lines;
  }

  std::unique_ptr<FakeClient> fake = FakeClient::start(kObjects).value();
  Api<ConfigMap> maps = fake->client().api<ConfigMap>("web");
  Api<ConfigMap> all = fake->client().api<ConfigMap>();
};

TEST_F(FakeClientTest, ListsTheObjectsItBeganWith) {
  const auto list = all.list();
  ASSERT_TRUE(list);
  std::vector<std::string> names;
  for (const ConfigMap& map : *list)
    names.push_back(map.metadata.namespace_ + "/" + map.metadata.name);
  EXPECT_THAT(names, ElementsAre("db/c", "web/a", "web/b")) << "by namespace and name";
  EXPECT_EQ(maps.list({.label_selector = "app=x"}).value().size(), 1U);
  EXPECT_EQ(maps.list({.field_selector = "metadata.name=a"}).value().size(), 1U);
  const auto actions = fake->actions();
  ASSERT_EQ(actions.size(), 3U);
  EXPECT_EQ(actions[1].label_selector, "app=x");
  EXPECT_EQ(actions[2].field_selector, "metadata.name=a");
  fake->clear_actions();
  EXPECT_TRUE(fake->actions().empty());
  EXPECT_FALSE(FakeClient::start("{kind: Nonsense}"));
}

TEST_F(FakeClientTest, FAKE_02_MissingAndExistingObjectsAndOtherNamespacesAreErrors) {
  EXPECT_TRUE(is_not_found(maps.get("none").error()));
  EXPECT_TRUE(is_not_found(maps.update(config_map("none")).error()));
  EXPECT_TRUE(is_not_found(maps.delete_("none").error()));
  EXPECT_TRUE(is_already_exists(maps.create(config_map("a")).error()));
  ConfigMap elsewhere = config_map("new");
  elsewhere.metadata.namespace_ = "db";
  EXPECT_TRUE(is_bad_request(maps.create(elsewhere).error()));
  elsewhere.metadata.name = "a";
  EXPECT_TRUE(is_bad_request(maps.update(elsewhere).error()));
}

TEST_F(FakeClientTest, FAKE_03_AGetNeedsTheNamespaceOfTheObject) {
  EXPECT_TRUE(maps.get("a"));
  EXPECT_FALSE(all.get("a"));
  EXPECT_TRUE(is_not_found(fake->client().api<ConfigMap>("db").get("a").error()));
  const meta::ResourceInfo nodes{"", "v1", "Node", "nodes", "node", false};
  EXPECT_TRUE(fake->client().api(nodes).get("n1"));
  meta::ResourceInfo namespaced = nodes;
  namespaced.namespaced = true;
  EXPECT_FALSE(fake->client().api(namespaced, "web").get("n1"));
}

TEST_F(FakeClientTest, FAKE_05_WatchersGetTheChangesOfTheirNamespace) {
  auto in_web = maps.watch();
  auto everywhere = all.watch();
  auto stopped = maps.watch();
  ASSERT_TRUE(in_web && everywhere && stopped);
  stopped->stop();
  ASSERT_TRUE(maps.create(config_map("new")));
  ConfigMap changed = config_map("new");
  changed.data["k"] = "w";
  ASSERT_TRUE(maps.update(changed));
  ASSERT_TRUE(fake->client().api<ConfigMap>("db").delete_("c"));
  ASSERT_TRUE(maps.delete_("new"));
  // Returns the events about "new" and c, up to the deletion of "new".
  const auto events = [](WatchStream<ConfigMap>& watch) {
    std::vector<std::string> lines;
    while (auto event = watch.next()) {
      const std::string name = (*event)->object.metadata.name;
      const std::string type(to_string((*event)->type));
      if (name == "new" || (name == "c" && type == "DELETED")) lines.push_back(type + " " + name);
      if (lines.size() > 2 && lines.back() == "DELETED new") break;
    }
    return lines;
  };
  EXPECT_THAT(events(*in_web), ElementsAre("ADDED new", "MODIFIED new", "DELETED new"));
  EXPECT_THAT(events(*everywhere),
              ElementsAre("ADDED new", "MODIFIED new", "DELETED c", "DELETED new"));
  EXPECT_FALSE(stopped->next());
}

TEST_F(FakeClientTest, FAKE_06_AWatchBeginsWithWhatExistsOrAfterAVersion) {
  auto from_nothing = maps.watch();
  ASSERT_TRUE(from_nothing);
  std::vector<std::string> names;
  for (int i = 0; i < 2; ++i) {
    auto event = from_nothing->next();
    ASSERT_TRUE(event && *event);
    EXPECT_EQ((*event)->type, WatchEventType::Added);
    names.push_back((*event)->object.metadata.name);
  }
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("a", "b"));

  const auto list = maps.list();
  ASSERT_TRUE(list);
  auto newer = maps.watch({.resource_version = list->resource_version});
  ASSERT_TRUE(maps.create(config_map("new")));
  auto event = newer->next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->object.metadata.name, "new");
  EXPECT_FALSE(maps.watch({.resource_version = "abc"}));
}

TEST_F(FakeClientTest, PatchesAreApplied) {
  EXPECT_TRUE(is_not_found(maps.patch("none", Patch::merge(json::Object{})).error()));
  const auto data = [](const char* value) {
    return json::Object{{"data", json::Object{{"k", value}}}};
  };
  EXPECT_EQ(maps.patch("b", Patch::merge(data("m"))).value().data["k"], "m");
  EXPECT_EQ(maps.patch("b", Patch::strategic_merge(data("s"))).value().data["k"], "s");
  const json::Value operations =
      json::parse(R"([{"op":"replace","path":"/data/k","value":"j"}])").value();
  EXPECT_EQ(maps.patch("b", Patch::json(operations)).value().data["k"], "j");
  const json::Value failing = json::parse(R"([{"op":"replace","path":"/data/k","value":"x"},)"
                                          R"({"op":"remove","path":"/data/none"}])")
                                  .value();
  EXPECT_FALSE(maps.patch("b", Patch::json(failing)));
  EXPECT_EQ(maps.get("b").value().data["k"], "j");
  EXPECT_EQ(fake->actions()[1].content_type, "application/merge-patch+json");

  json::Value document = data("applied");
  document.ensure_path({"apiVersion"}) = "v1";
  document.ensure_path({"kind"}) = "ConfigMap";
  document.ensure_path({"metadata", "name"}) = "b";
  const auto applied = maps.apply(document, {.force = true, .field_manager = "me"});
  ASSERT_TRUE(applied) << applied.error().to_string();
  EXPECT_EQ(applied->data.at("k"), "applied");
  document.ensure_path({"metadata", "name"}) = "new";
  const auto made = maps.apply(document, {.field_manager = "me"});
  ASSERT_TRUE(made) << made.error().to_string();
  EXPECT_EQ(made->metadata.namespace_, "web");
  EXPECT_EQ(fake->actions().back().verb, "patch") << "as the client sent it";
}

TEST_F(FakeClientTest, FAKE_13_ReactorsRunBeforeTheServerAndRecordsKeepTheOriginal) {
  std::vector<std::string> seen;
  fake->append_reactor("create", "configmaps", [&](Action& action) -> Reaction {
    seen.push_back("second " + std::string(action.object.string_at({"data", "k"})));
    if (action.object.string_at({"metadata", "name"}) != "refused") return {};
    return Result<json::Value>(meta::internal_error("no"));
  });
  fake->prepend_reactor("create", "*", [&](Action& action) -> Reaction {
    seen.push_back("first " + std::string(action.object.string_at({"data", "k"})));
    action.object.ensure_path({"data", "k"}) = "changed";
    return {};
  });
  const auto created = maps.create(config_map("new"));
  ASSERT_TRUE(created) << created.error().to_string();
  EXPECT_EQ(created->data.at("k"), "changed") << "the server sees it, too";
  EXPECT_THAT(seen, ElementsAre("first v", "second changed"));
  EXPECT_EQ(fake->actions().back().object.string_at({"data", "k"}), "v");
  EXPECT_TRUE(is_internal_error(maps.create(config_map("refused")).error()));
  EXPECT_TRUE(is_not_found(maps.get("refused").error()));
  EXPECT_THAT(recorded(), ElementsAre("create configmaps", "create configmaps", "get configmaps"));
}

TEST_F(FakeClientTest, ReactorsAnswerWithObjectsEventsAndFailuresOfTheNetwork) {
  fake->prepend_reactor("get", "configmaps", [](Action& action) -> Reaction {
    if (action.name == "lost") return Result<json::Value>(Error(ErrorCode::Credentials, "expired"));
    return Result<json::Value>(
        json::Object{{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata", json::Object{{"name", action.name}, {"uid", "made up"}}}});
  });
  EXPECT_EQ(maps.get("none").value().metadata.uid, "made up");
  EXPECT_EQ(maps.get("lost").error().code(), ErrorCode::Credentials);
  fake->prepend_reactor("watch", "configmaps", [](Action&) -> Reaction {
    return Result<json::Value>(json::Array{
        json::Object{{"type", "DELETED"},
                     {"object", json::Object{{"apiVersion", "v1"},
                                             {"kind", "ConfigMap"},
                                             {"metadata", json::Object{{"name", "gone"}}}}}}});
  });
  auto watch = maps.watch();
  ASSERT_TRUE(watch);
  auto event = watch->next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->type, WatchEventType::Deleted);
  EXPECT_EQ((*event)->object.metadata.name, "gone");
  EXPECT_FALSE(watch->next());
}

TEST_F(FakeClientTest, FAKE_19_TypedObjectsAreThoseOfUntypedClientsToo) {
  ConfigMap typed = config_map("typed");
  typed.metadata.namespace_ = "web";
  ASSERT_TRUE(fake->add(typed));
  const meta::ResourceInfo resource = maps.resource();
  const auto untyped = fake->client().api(resource, "web").get("typed");
  ASSERT_TRUE(untyped);
  EXPECT_EQ(untyped->content.string_at({"data", "k"}), "v");
  EXPECT_EQ(untyped->kind(), "ConfigMap");
  EXPECT_THAT(recorded(), ElementsAre("get configmaps")) << "add() is no request";
}

TEST_F(FakeClientTest, AManifestIsAppliedToIt) {
  const auto applied = apply_manifest(fake->client(), R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: toys.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: toys, kind: Toy}
  versions:
  - {name: v1, served: true, storage: true,
     schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
---
{"apiVersion": "example.com/v1", "kind": "Toy", "metadata": {"name": "bear"}}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: web}, data: {k: new}}
- {apiVersion: none.example/v1, kind: Nothing, metadata: {name: x}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: web}, data: {k: new}}
)",
                                      {.field_manager = "me", .namespace_ = "web"});
  ASSERT_TRUE(applied) << applied.error().to_string();
  std::vector<std::string> lines;
  for (const AppliedObject& each : *applied) {
    const bool created = each.change == AppliedObject::Change::Created;
    const bool configured = each.change == AppliedObject::Change::Configured;
    lines.push_back(each.where + " " + each.resource.plural + "/" +
                    std::string(each.object.name()) + " " +
                    (!each.result ? each.result.error().message()
                     : created    ? "created"
                     : configured ? "configured"
                                  : "unchanged"));
  }
  EXPECT_THAT(lines, ElementsAre("document 1 customresourcedefinitions/toys.example.com created",
                                 "document 2 toys/bear created",
                                 "document 3: items[0] configmaps/b configured",
                                 "document 3: items[1] /x no matches for kind \"Nothing\" in "
                                 "version \"none.example/v1\"",
                                 "document 3: items[2] configmaps/b unchanged"));
  EXPECT_EQ(applied->at(1).object.namespace_(), "web");
}

TEST_F(FakeClientTest, ANamespaceIsAppliedAgain) {
  const Api<Namespace> namespaces = fake->client().api<Namespace>();
  const auto document = [](const char* stage) {
    return json::Value(json::Object{
        {"apiVersion", "v1"},
        {"kind", "Namespace"},
        {"metadata", json::Object{{"name", "web"}, {"labels", json::Object{{"stage", stage}}}}}});
  };
  for (const char* stage : {"test", "production"}) {
    const auto applied = namespaces.apply(document(stage), {.field_manager = "me"});
    ASSERT_TRUE(applied) << applied.error().to_string();
    EXPECT_EQ(applied->metadata.labels.at("stage"), stage);
  }
  for (int i = 0; i < 2; ++i) {
    const auto applied =
        apply_manifest(fake->client(), "{apiVersion: v1, kind: Namespace, metadata: {name: other}}",
                       {.field_manager = "me"});
    ASSERT_TRUE(applied) << applied.error().to_string();
    EXPECT_TRUE(applied->at(0).result) << applied->at(0).result.error().to_string();
  }
}

TEST_F(FakeClientTest, AnInformerFollowsIt) {
  SharedInformer<ConfigMap> informer(fake->client().rest(), {.namespace_ = "web"});
  ASSERT_TRUE(informer.start());
  ASSERT_TRUE(informer.wait_for_sync({}));
  ASSERT_TRUE(maps.create(config_map("new")));
  EXPECT_TRUE(testing::eventually([&] { return informer.lister().list().size() == 3; }));
}

TEST(FakeDiscovery, FAKE_20_AnswersFromTheResourcesOfTheServer) {
  const auto fake = FakeClient::start({}, {.version = "v9.8.7"}).value();
  const RestClient& rest = fake->client().rest();
  const auto get = [&](const std::string& path) {
    return rest.send({.verb = "get", .path = path}, {});
  };
  ASSERT_TRUE(get("/api/v1"));
  EXPECT_THAT(get("/api/v1").value().body, HasSubstr("\"configmaps\""));
  EXPECT_TRUE(is_not_found(get("/apis/none.example/v1").error()));
  EXPECT_THAT(get("/version").value().body, HasSubstr("v9.8.7"));
  std::vector<std::string> paths;
  for (const Action& action : fake->actions()) paths.push_back(action.verb + " " + action.path);
  EXPECT_THAT(paths, ElementsAre("get /api/v1", "get /api/v1", "get /apis/none.example/v1",
                                 "get /version"));
}

TEST_F(FakeClientTest, FAKE_21_ManyThreadsUseIt) {
  std::vector<std::jthread> threads;
  std::atomic<int> reacted = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i, &reacted] {
      const std::string name = "m" + std::to_string(i);
      fake->append_reactor("create", "configmaps", [&reacted](Action&) -> Reaction {
        ++reacted;
        return {};
      });
      EXPECT_TRUE(maps.create(config_map(name)));
      EXPECT_TRUE(maps.get(name));
      static_cast<void>(fake->actions());
    });
  }
  threads.clear();
  EXPECT_EQ(fake->actions().size(), 16U);
  EXPECT_GE(reacted, 8);
}

}  // namespace
}  // namespace kube::fake
