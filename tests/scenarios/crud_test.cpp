// SPDX-License-Identifier: Apache-2.0
//
// Create, read, update, patch and delete, and the errors that a server answers with.
#include <string>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/client/api.hpp>
#include <kube/meta/errors.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::Patch;
using kube::apps::v1::Deployment;
using kube::core::v1::ConfigMap;
using kube::core::v1::Pod;

class CrudScenario : public Scenario {
 protected:
  kube::Api<ConfigMap> maps() { return client_.api<ConfigMap>(namespace_); }
  static ConfigMap named(const std::string& name) {
    ConfigMap map;
    map.metadata.name = name;
    map.data["color"] = "red";
    return map;
  }
};

TEST_F(CrudScenario, AnObjectGoesThroughItsLife) {
  const ConfigMap created = must(maps().create(named("life")));
  EXPECT_EQ(created.metadata.namespace_, namespace_);
  EXPECT_FALSE(created.metadata.uid.empty());
  EXPECT_FALSE(created.metadata.resource_version.empty());

  ConfigMap map = must(maps().get("life"));
  EXPECT_EQ(map, created);
  map.data["color"] = "blue";
  const ConfigMap updated = must(maps().update(map));
  EXPECT_EQ(updated.data.at("color"), "blue");
  EXPECT_EQ(updated.metadata.uid, created.metadata.uid);
  EXPECT_NE(updated.metadata.resource_version, created.metadata.resource_version);

  must(maps().delete_("life"));
  const auto gone = maps().get("life");
  ASSERT_FALSE(gone);
  EXPECT_TRUE(kube::is_not_found(gone.error()));
}

TEST_F(CrudScenario, AnUpdateThatChangesNothingKeepsTheVersion) {
  const ConfigMap created = must(maps().create(named("same")));
  EXPECT_EQ(must(maps().update(created)).metadata.resource_version,
            created.metadata.resource_version);
}

TEST_F(CrudScenario, GenerateNameMakesANameOfItsOwn) {
  ConfigMap map;
  map.metadata.generate_name = "many-";
  const ConfigMap a = must(maps().create(map));
  const ConfigMap b = must(maps().create(map));
  EXPECT_EQ(a.metadata.name.rfind("many-", 0), 0u);
  EXPECT_EQ(a.metadata.name.size(), std::string("many-").size() + 5);
  EXPECT_NE(a.metadata.name, b.metadata.name);
}

TEST_F(CrudScenario, ErrorsCarryTheServersWholeStatus) {
  must(maps().create(named("taken")));
  const auto again = maps().create(named("taken"));
  ASSERT_FALSE(again);
  EXPECT_TRUE(kube::is_already_exists(again.error()));
  EXPECT_EQ(again.error().http_status(), 409);
  const kube::meta::StatusBody* status = kube::meta::status_of(again.error());
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(status->name, "taken");
  EXPECT_EQ(status->kind, "configmaps");
  EXPECT_EQ(again.error().message(), "configmaps \"taken\" already exists");

  const auto missing = maps().get("missing");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message(), "configmaps \"missing\" not found");
  EXPECT_EQ(missing.error().reason(), "NotFound");

  ConfigMap invalid = named("Not_A_Name");
  const auto refused = maps().create(invalid);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(kube::is_invalid(refused.error())) << refused.error().to_string();
  ASSERT_FALSE(kube::meta::status_of(refused.error())->causes.empty());
  EXPECT_EQ(kube::meta::status_of(refused.error())->causes.front().field, "metadata.name");

  const auto nowhere = client_.api<ConfigMap>(namespace_ + "-missing").create(named("a"));
  ASSERT_FALSE(nowhere);
  EXPECT_TRUE(kube::is_not_found(nowhere.error()));
}

TEST_F(CrudScenario, AnUpdateOfAnOldVersionIsAConflict) {
  const ConfigMap first = must(maps().create(named("contested")));
  ConfigMap mine = first;
  mine.data["color"] = "blue";
  must(maps().update(mine));
  ConfigMap late = first;
  late.data["color"] = "green";
  const auto refused = maps().update(late);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(kube::is_conflict(refused.error()));
  EXPECT_EQ(must(maps().get("contested")).data.at("color"), "blue");
}

TEST_F(CrudScenario, JsonMergeAndStrategicPatchesApply) {
  must(maps().create(named("patched")));
  namespace json = kube::json;
  const auto color = [&](const ConfigMap& map) { return map.data.at("color"); };
  EXPECT_EQ(color(must(maps().patch("patched",
                                    Patch::merge(*json::parse(R"({"data":{"color":"green"}})"))))),
            "green");
  EXPECT_EQ(color(must(maps().patch(
                "patched", Patch::json(*json::parse(
                               R"([{"op":"replace","path":"/data/color","value":"white"}])"))))),
            "white");
  const ConfigMap strategic = must(maps().patch(
      "patched",
      Patch::strategic_merge(*json::parse(R"({"data":{"color":null,"shape":"round"}})"))));
  EXPECT_FALSE(strategic.data.contains("color"));
  EXPECT_EQ(strategic.data.at("shape"), "round");
}

TEST_F(CrudScenario, AStrategicPatchMergesListsByTheirKey) {
  const auto deployments = client_.api<Deployment>(namespace_);
  Deployment deployment;
  deployment.metadata.name = "front";
  deployment.spec.selector.ensure().match_labels["app"] = "front";
  deployment.spec.template_.metadata.labels["app"] = "front";
  for (const char* name : {"one", "two"}) {
    auto& container = deployment.spec.template_.spec.containers.emplace_back();
    container.name = name;
    container.image = "registry.example/app:1";
  }
  must(deployments.create(deployment));
  const Deployment patched = must(deployments.patch(
      "front",
      Patch::strategic_merge(*kube::json::parse(
          R"({"spec":{"template":{"spec":{"containers":[{"name":"two","image":"registry.example/app:2"}]}}}})"))));
  ASSERT_EQ(patched.spec.template_.spec.containers.size(), 2u);
  for (const auto& container : patched.spec.template_.spec.containers) {
    EXPECT_EQ(container.image,
              container.name == "two" ? "registry.example/app:2" : "registry.example/app:1");
  }
}

TEST_F(CrudScenario, TheStatusSubresourceAndTheObjectDoNotTouchEachOther) {
  const auto pods = client_.api<Pod>(namespace_);
  Pod pod;
  pod.metadata.name = "split";
  auto& container = pod.spec.containers.emplace_back();
  container.name = "main";
  container.image = "registry.example/app:1";
  Pod created = must(pods.create(pod));
  EXPECT_EQ(created.status.phase, "Pending");

  created.status.phase = "Running";
  created.metadata.labels["ignored"] = "by-status";
  const Pod running = must(pods.update_status(created));
  EXPECT_EQ(running.status.phase, "Running");

  Pod relabelled = running;
  relabelled.metadata.labels["app"] = "split";
  relabelled.status.phase = "Failed";
  const Pod updated = must(pods.update(relabelled));
  EXPECT_EQ(updated.metadata.labels.at("app"), "split");
  EXPECT_EQ(updated.status.phase, "Running");
}

TEST_F(CrudScenario, DeletingHonoursItsPreconditions) {
  const ConfigMap map = must(maps().create(named("guarded")));
  kube::DeleteOptions other;
  other.preconditions = kube::Preconditions{.uid = "00000000-0000-0000-0000-000000000000"};
  const auto refused = maps().delete_("guarded", other);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(kube::is_conflict(refused.error()));
  kube::DeleteOptions mine;
  mine.preconditions = kube::Preconditions{.uid = map.metadata.uid};
  must(maps().delete_("guarded", mine));
}

TEST_F(CrudScenario, AFinalizerHoldsAnObjectUntilItIsRemoved) {
  ConfigMap map = named("held");
  map.metadata.finalizers.push_back("example.com/hold");
  must(maps().create(map));
  must(maps().delete_("held"));
  ConfigMap terminating = must(maps().get("held"));
  EXPECT_TRUE(terminating.metadata.deletion_timestamp.has_value());
  terminating.metadata.finalizers.clear();
  must(maps().update(terminating));
  EXPECT_TRUE(eventually([&] { return !maps().get("held"); }));
}

TEST_F(CrudScenario, ACollectionIsDeletedBySelector) {
  for (int i = 0; i < 4; ++i) {
    ConfigMap map = named("many-" + std::to_string(i));
    map.metadata.labels["half"] = std::to_string(i % 2);
    must(maps().create(map));
  }
  kube::ListOptions half;
  half.label_selector = "half=0";
  must(maps().delete_collection({}, half));
  kube::ListOptions labelled;
  labelled.label_selector = "half";
  EXPECT_EQ(must(maps().list(labelled)).size(), 2u);
}

TEST_F(CrudScenario, UnknownFieldsSurviveInUnstructured) {
  const auto dynamic = client_.api(kube::meta::resource_of<ConfigMap>(), namespace_);
  kube::Unstructured object = must(kube::unstructured_from_json(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"free"},"data":{"a":"b"}})"));
  const kube::Unstructured created = must(dynamic.create(object));
  EXPECT_EQ(created.name(), "free");
  EXPECT_EQ(created.kind(), "ConfigMap");
  kube::Unstructured next = created;
  next.set_annotation("note", "kept");
  EXPECT_EQ(must(dynamic.update(next)).annotations().at("note"), "kept");
  must(dynamic.delete_("free"));
}

}  // namespace
}  // namespace scenarios
