// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>
#include <kube/client/client.hpp>

#include "child_program.hpp"
#include "temporary_folder.hpp"

namespace {

using ::testing::HasSubstr;

constexpr std::string_view kCluster = R"(
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: web, labels: {app: web}},
 spec: {nodeName: n1, containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: web, labels: {app: db}},
 spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: other, labels: {app: web}},
 spec: {containers: [{name: c, image: i}]}}
)";

/// "web/a other/a"
std::string keys_of(std::string_view document) {
  std::string out;
  const auto pods = kube::json::parse(document).value();
  if (!pods.is_array()) return "(no list)";
  for (const kube::json::Value& pod : *pods.if_array()) {
    if (!out.empty()) out += ' ';
    out.append(pod.string_at({"namespace"})).append("/").append(pod.string_at({"name"}));
  }
  return out;
}

TEST(PodService, AnswersByNamespaceByNameAndByLabel) {
  const auto cluster = kube::apiserver::ApiServer::start().value();
  ASSERT_TRUE(cluster->load_text(kCluster));
  const programs::TemporaryFolder folder;
  const std::string kubeconfig = folder.write("kubeconfig", cluster->kubeconfig());
  programs::Program service({POD_SERVICE, "127.0.0.1:0"},
                            {.environment = {"KUBECONFIG=" + kubeconfig}});
  ASSERT_TRUE(service.prints("\n")) << service.err();
  kube::rest::Config config;
  config.host = service.out().substr(0, service.out().find('\n'));
  const auto client = kube::Client::create(config).value();
  const auto get = [&](std::string path) {
    return client.rest().send({.verb = "get", .path = std::move(path)}, {});
  };
  while (!get("/readyz")) {
  }
  const auto keys = [&](std::string path) { return keys_of(get(std::move(path)).value().body); };

  EXPECT_THAT(keys("/pods/namespace/web"), ::testing::AnyOf("web/a web/b", "web/b web/a"));
  EXPECT_THAT(keys("/pods/name/a"), ::testing::AnyOf("web/a other/a", "other/a web/a"));
  EXPECT_EQ(keys("/pods/label/app=db"), "web/b");
  EXPECT_EQ(keys("/pods/name/none"), "");
  EXPECT_THAT(get("/pods/label/app=web,app!=db").value().body,
              HasSubstr(R"("node":"n1","phase":"Pending")"));
  EXPECT_EQ(get("/pods/label/!!").error().http_status(), 400);
  EXPECT_THAT(get("/api/v1/namespaces/web/pods/a").value().body, HasSubstr(R"("kind":"Pod")"));
  service.send(SIGTERM);
  EXPECT_EQ(service.wait(), 0);
}

// Of a cache without objects, that there are none is not known.
TEST(PodService, AnswersNothingBeforeItHasTheObjects) {
  const programs::TemporaryFolder folder;
  auto cluster = kube::apiserver::ApiServer::start().value();
  const std::string kubeconfig = folder.write("kubeconfig", cluster->kubeconfig());
  cluster.reset();
  programs::Program service({POD_SERVICE, "127.0.0.1:0"},
                            {.environment = {"KUBECONFIG=" + kubeconfig}});
  ASSERT_TRUE(service.prints("\n")) << service.err();
  kube::rest::Config config;
  config.host = service.out().substr(0, service.out().find('\n'));
  config.retry = {.max_retries = 0};
  const auto client = kube::Client::create(config).value();
  const auto answer = client.rest().send({.verb = "get", .path = "/pods/namespace/web"}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().http_status(), 503);
  EXPECT_THAT(answer.error().message(), HasSubstr("the cache of pods can't be served"));
  service.send(SIGTERM);
  EXPECT_EQ(service.wait(), 0);
}

}  // namespace
