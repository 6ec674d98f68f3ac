// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/node.hpp>
#include <kube/client/wait_for.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/meta/errors.hpp>
#include <kube/testing/eventually.hpp>

#include "child_program.hpp"
#include "temporary_folder.hpp"

namespace {

using kube::apps::v1::Deployment;
using ::testing::HasSubstr;

constexpr std::string_view kFile = R"({apiVersion: apps/v1, kind: Deployment,
 metadata: {name: web}, spec: {selector: {matchLabels: {a: b}}, template:
 {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {level: "2"}}
)";

class SmallClient : public ::testing::Test {
 protected:
  programs::Program run(const std::string& node) {
    return programs::Program(
        {SMALL_CLIENT, node, folder_.write("mixed.yaml", std::string(kFile)), "web"},
        {.environment = {"KUBECONFIG=" +
                         folder_.write("kubeconfig", fake_->server().kubeconfig())}});
  }

  const programs::TemporaryFolder folder_;
  const std::unique_ptr<kube::fake::FakeClient> fake_ =
      kube::fake::FakeClient::start("{apiVersion: v1, kind: Node, metadata: {name: n1}}").value();
};

TEST_F(SmallClient, LabelsAppliesWaitsAndDeletes) {
  programs::Program program = run("n1");
  const auto deployments = fake_->client().api<Deployment>("default");
  // The Deployment controller, which this server does not have.
  auto applied = kube::wait_for(
      deployments, "web", [](const Deployment&) { return true; }, kube::testing::kPatience);
  ASSERT_TRUE(applied) << applied.error().to_string() << program.err();
  applied->status.observed_generation = applied->metadata.generation;
  applied->status.replicas = 1;
  applied->status.ready_replicas = 1;
  applied->status.available_replicas = 1;
  applied->status.conditions = {{.type = "Available", .status = "True"}};
  ASSERT_TRUE(deployments.update_status(*applied));

  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(program.out(),
            "Deployment web is applied\nConfigMap settings is applied\n"
            "web is available: 1\nweb is gone\n");
  const auto node = fake_->client().api<kube::core::v1::Node>().get("n1").value();
  EXPECT_EQ(node.metadata.labels.at("example.com/zone"), "b");
  EXPECT_TRUE(kube::is_not_found(deployments.get("web").error()));
}

TEST_F(SmallClient, SaysWhatFailed) {
  programs::Program program = run("n2");
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(program.out(), "");
  EXPECT_THAT(program.err(), HasSubstr("nodes \"n2\" not found"));
}

}  // namespace
