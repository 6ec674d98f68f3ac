// SPDX-License-Identifier: Apache-2.0
//
// Server-side apply: managers own fields, and taking another's field is a conflict unless forced.
#include <set>
#include <string>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/config_map.hpp>
#include <kube/client/api.hpp>
#include <kube/client/extract.hpp>
#include <kube/meta/errors.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::core::v1::ConfigMap;

class ApplyScenario : public Scenario {
 protected:
  static kube::json::Value document(const std::string& data) {
    return *kube::json::parse(
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied"},"data":)" + data +
        "}");
  }
  kube::Result<ConfigMap> apply(const std::string& manager, const std::string& data,
                                bool force = false) {
    return client_.api<ConfigMap>(namespace_)
        .apply(document(data), {.force = force, .field_manager = manager});
  }
  // The managers that apply, as the object says.
  static std::set<std::string> managers(const ConfigMap& map) {
    std::set<std::string> names;
    for (const auto& entry : map.metadata.managed_fields) {
      if (entry.operation == "Apply") names.insert(entry.manager);
    }
    return names;
  }
  using Names = std::set<std::string>;
};

TEST_F(ApplyScenario, ManagersOwnTheirFieldsAndConflictsAreForced) {
  if (!has(Capability::ServerSideApply)) {
    // Said clearly, at least.
    const auto refused = apply("one", R"({"color":"red"})");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().http_status(), 415) << refused.error().to_string();
    GTEST_SKIP() << without(Capability::ServerSideApply);
  }
  const ConfigMap created = must(apply("one", R"({"color":"red","size":"s"})"));
  EXPECT_FALSE(created.metadata.uid.empty());
  EXPECT_EQ(created.data.at("color"), "red");
  EXPECT_EQ(managers(created), Names{"one"});
  EXPECT_EQ(must(apply("one", R"({"color":"red","size":"s"})")).metadata.resource_version,
            created.metadata.resource_version)
      << "the same again changes nothing";

  // A field of its own, and a shared one of the same value, are no conflict.
  const ConfigMap shared = must(apply("two", R"({"shape":"round","size":"s"})"));
  EXPECT_EQ(shared.data.at("shape"), "round");
  EXPECT_EQ(shared.data.at("color"), "red");
  EXPECT_EQ(managers(shared), (Names{"one", "two"}));

  const auto refused = apply("two", R"({"color":"blue","shape":"round","size":"s"})");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(kube::is_conflict(refused.error())) << refused.error().to_string();
  const kube::meta::StatusBody* status = kube::meta::status_of(refused.error());
  ASSERT_NE(status, nullptr);
  ASSERT_EQ(status->causes.size(), 1u);
  EXPECT_EQ(status->causes.front().reason, "FieldManagerConflict");
  EXPECT_EQ(status->causes.front().field, ".data.color");
  EXPECT_NE(status->causes.front().message.find("one"), std::string::npos);
  EXPECT_EQ(must(client_.api<ConfigMap>(namespace_).get("applied")).data.at("color"), "red");

  const ConfigMap forced =
      must(apply("two", R"({"color":"blue","shape":"round","size":"s"})", true));
  EXPECT_EQ(forced.data.at("color"), "blue");
  EXPECT_TRUE(kube::is_conflict(apply("one", R"({"color":"red","size":"s"})").error()))
      << "it has another owner now";

  // What a manager leaves out goes, unless somebody else owns it too.
  const ConfigMap left = must(apply("two", R"({"color":"blue"})"));
  EXPECT_FALSE(left.data.contains("shape"));
  EXPECT_EQ(left.data.at("size"), "s");
}

TEST_F(ApplyScenario, WhatAManagerAppliedIsExtractedAndAppliedAgain) {
  if (!has(Capability::ServerSideApply)) GTEST_SKIP() << without(Capability::ServerSideApply);
  using kube::apps::v1::Deployment;
  const auto api = client_.api<Deployment>(namespace_);
  Deployment first;
  first.metadata.name = "front";
  first.metadata.labels = {{"app", "web"}};
  first.spec.replicas = 2;
  first.spec.selector.emplace();
  first.spec.selector->match_labels = {{"app", "web"}};
  first.spec.template_.metadata.labels = {{"app", "web"}};
  kube::core::v1::Container container;
  container.name = "main";
  container.image = "web:1";
  container.args = {"a", "b"};
  container.ports.push_back({.container_port = 80, .protocol = "TCP"});
  first.spec.template_.spec.containers.push_back(container);
  must(api.apply(first, {.field_manager = "mine"}));
  must(api.patch("front", kube::Patch::merge(*kube::json::parse(
                              R"({"metadata":{"labels":{"team":"x"}},"spec":{"paused":true}})"))));

  const Deployment read = must(api.get("front"));
  auto mine = must(kube::extract(read, "mine"));
  first.metadata.namespace_ = namespace_;
  const Deployment& extracted = mine;
  EXPECT_EQ(extracted, first) << "what was applied, without defaults and what others set";
  mine.spec.template_.spec.containers.front().image = "web:2";
  mine.spec.template_.spec.containers.front().args.clear();
  const Deployment applied = must(api.apply(mine, {.field_manager = "mine"}));
  EXPECT_EQ(applied.spec.template_.spec.containers.front().image, "web:2");
  EXPECT_TRUE(applied.spec.template_.spec.containers.front().args.empty()) << "given up";
  EXPECT_EQ(applied.metadata.labels.at("team"), "x");
  EXPECT_TRUE(applied.spec.paused);
  EXPECT_EQ(must(kube::extract(applied, "nobody")).spec, kube::apps::v1::DeploymentSpec());
}

}  // namespace
}  // namespace scenarios
