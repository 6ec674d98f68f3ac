// SPDX-License-Identifier: Apache-2.0
//
// A manifest that brings its own namespace and its own kind, applied more than once. A real server
// needs a moment before it serves a kind.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/client/api.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/client/client_side_apply.hpp>
#include <kube/meta/errors.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::ApplyManifestOptions;
using kube::ApplyMode;
using ::testing::ElementsAre;

constexpr std::string_view kManifest = R"(
apiVersion: v1
kind: Namespace
metadata: {name: MADE}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: toys.GROUP}
spec:
  group: GROUP
  scope: Namespaced
  names: {plural: toys, singular: toy, kind: Toy, listKind: ToyList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {color: {type: string}, size: {type: integer}}
---
apiVersion: GROUP/v1
kind: Toy
metadata: {name: bear, namespace: MADE}
spec: {color: brown, size: 0}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: MADE}
data: {kept: a, REMOVED}
)";

class ManifestScenario : public Scenario {
 protected:
  void TearDown() override {
    const std::string definition = "toys." + group_;
    static_cast<void>(client_.api(definitions_).delete_(definition));
    static_cast<void>(client_.api(namespaces_).delete_(made_));
  }
  static void replace(std::string& text, std::string_view what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
      text.replace(at, what.size(), with);
  }
  std::string manifest(const std::string& removed = "") const {
    std::string text(kManifest);
    replace(text, "MADE", made_);
    replace(text, "GROUP", group_);
    replace(text, ", REMOVED", removed);
    return text;
  }
  // What became of each object: its kind with the change, or the error.
  std::vector<std::string> apply(const std::string& text, const ApplyManifestOptions& options) {
    std::vector<std::string> lines;
    for (const kube::AppliedObject& each : must(kube::apply_manifest(client_, text, options))) {
      const bool created = each.change == kube::AppliedObject::Change::Created;
      const bool configured = each.change == kube::AppliedObject::Change::Configured;
      lines.push_back(std::string(each.object.kind()) +
                      (!each.result ? ": " + each.result.error().to_string()
                       : created    ? " created"
                       : configured ? " configured"
                                    : " unchanged"));
      for (const std::string& warning : each.warnings) lines.push_back(warning);
    }
    return lines;
  }
  kube::Unstructured toy() {
    const kube::meta::ResourceInfo toys{.group = group_,
                                        .version = "v1",
                                        .kind = "Toy",
                                        .plural = "toys",
                                        .singular = "toy",
                                        .namespaced = true};
    return must(client_.api(toys, made_).get("bear"));
  }
  kube::core::v1::ConfigMap settings() {
    return must(client_.api<kube::core::v1::ConfigMap>(made_).get("settings"));
  }

  const std::string made_ = namespace_ + "-made";
  const std::string group_ = namespace_ + ".example.com";
  const kube::meta::ResourceInfo definitions_{.group = "apiextensions.k8s.io",
                                              .version = "v1",
                                              .kind = "CustomResourceDefinition",
                                              .plural = "customresourcedefinitions",
                                              .singular = "customresourcedefinition",
                                              .namespaced = false};
  const kube::meta::ResourceInfo namespaces_{.group = "",
                                             .version = "v1",
                                             .kind = "Namespace",
                                             .plural = "namespaces",
                                             .singular = "namespace",
                                             .namespaced = false};
};

TEST_F(ManifestScenario, ItsOwnNamespaceAndKindAreThereForItsObjects) {
  EXPECT_THAT(apply(manifest(), {.field_manager = "one"}),
              ElementsAre("Namespace created", "CustomResourceDefinition created", "Toy created",
                          "ConfigMap created"));
  // A server completes a Namespace after it has created it.
  apply(manifest(), {.field_manager = "one"});
  EXPECT_THAT(apply(manifest(), {.field_manager = "one"}),
              ElementsAre("Namespace unchanged", "CustomResourceDefinition unchanged",
                          "Toy unchanged", "ConfigMap unchanged"));
  const kube::Unstructured bear = toy();
  EXPECT_EQ(bear.content.string_at({"spec", "color"}), "brown");
  EXPECT_EQ(bear.content.int_at({"spec", "size"}), 0);
}

TEST_F(ManifestScenario, WhatWasAppliedClientSideIsTakenOverByTheServer) {
  EXPECT_THAT(
      apply(manifest(", gone: b"), {.field_manager = "client", .mode = ApplyMode::ClientSide}),
      ElementsAre("Namespace created", "CustomResourceDefinition created", "Toy created",
                  "ConfigMap created"));
  const ApplyManifestOptions on_server{
      .field_manager = "server", .mode = ApplyMode::ServerSide, .migrate = true};
  const std::vector<std::string> moved = apply(manifest(), on_server);
  if (!has(Capability::ServerSideApply)) {
    EXPECT_THAT(moved, ::testing::Each(
                           ::testing::AnyOf(::testing::HasSubstr("accepted media types"),
                                            ::testing::HasSubstr("415: Unsupported Media Type"))))
        << "said clearly, at least";
    GTEST_SKIP() << without(Capability::ServerSideApply);
  }
  EXPECT_THAT(moved, ElementsAre("Namespace configured", "CustomResourceDefinition configured",
                                 "Toy configured", "ConfigMap configured"));
  const kube::core::v1::ConfigMap after = settings();
  EXPECT_TRUE(after.data.contains("kept"));
  EXPECT_FALSE(after.data.contains("gone")) << "the manifest has it no longer";
  EXPECT_FALSE(after.metadata.annotations.contains(kube::kLastAppliedAnnotation));
  for (const auto& entry : after.metadata.managed_fields) EXPECT_EQ(entry.manager, "server");
  apply(manifest(), on_server);
  EXPECT_THAT(apply(manifest(), on_server),
              ElementsAre("Namespace unchanged", "CustomResourceDefinition unchanged",
                          "Toy unchanged", "ConfigMap unchanged"));

  ApplyManifestOptions unread = on_server;
  unread.read_before = false;
  EXPECT_THAT(apply(manifest(), unread),
              ElementsAre("Namespace configured", "CustomResourceDefinition configured",
                          "Toy configured", "ConfigMap configured"))
      << "nothing is known of them before";
}

TEST_F(ManifestScenario, ADryRunDefinesNoKind) {
  const std::vector<std::string> lines =
      apply(manifest(), {.field_manager = "one", .dry_run = true});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1], "CustomResourceDefinition created");
  EXPECT_THAT(lines[2], ::testing::HasSubstr("no matches for kind \"Toy\""));
}

}  // namespace
}  // namespace scenarios
