// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/howto/client-calls.md and of the headers that it names: it runs, against the
// embedded server where that has what it needs, and does what its comments say.
#include <cstdint>
#include <iostream>
#include <memory>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/base/time_limit.hpp>
#include <kube/client/async_api.hpp>
#include <kube/client/client.hpp>
#include <kube/client/create_or_update.hpp>
#include <kube/client/pod_logs.hpp>
#include <kube/client/retry.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/meta/status.hpp>
#include <kube/remote/pod_calls.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "websocket_server.hpp"

namespace kube::header_examples {
namespace {

using apps::v1::Deployment;
using core::v1::ConfigMap;
using core::v1::Node;
using core::v1::Pod;
using fake::FakeClient;
using ::testing::HasSubstr;
using testing::ScriptedCall;
using testing::ScriptedTransport;
using std::chrono_literals::operator""s;

// What is printed while it exists.
class Printed {
 public:
  Printed() : before_(std::cout.rdbuf(text_.rdbuf())) {}
  ~Printed() { std::cout.rdbuf(before_); }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* const before_;
};

constexpr const char* kObjects = R"(
apiVersion: v1
kind: Namespace
metadata: {name: web}
---
apiVersion: v1
kind: Node
metadata: {name: n1, annotations: {example.com/note: old}}
---
apiVersion: v1
kind: Pod
metadata: {name: front-0, namespace: web, labels: {app: web}}
spec: {containers: [{name: main, image: main}]}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: front-1, namespace: web}
spec: {containers: [{name: main, image: main}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: front, namespace: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: main}]}
)";

class ClientCalls : public ::testing::Test {
 protected:
  const std::unique_ptr<FakeClient> cluster = FakeClient::start(kObjects).value();
  const Client client = cluster->client();
  const Api<Pod> pods = client.api<Pod>("web");
};

// A server that says nothing, or what its script says, in virtual time.
class ScriptedCalls : public ::testing::Test {
 protected:
  ~ScriptedCalls() override {
    server->stop();
    executor->stop();
  }
  void answer(const std::string& path, const std::string& type, const std::string& body) {
    server->on("GET", path, [=](ScriptedCall call) {
      call.respond(200, body, {{"Content-Type", type}});
    });
  }

  const std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  const std::shared_ptr<ScriptedTransport> server =
      std::make_shared<ScriptedTransport>(ScriptedTransport::Options{.executor = executor});
  const Client client = Client::create({.host = "https://server"},
                                       {.runtime = {.executor = executor}, .transport = server})
                            .value();
  const Api<Pod> pods = client.api<Pod>("web");
};

Result<void> one_call(const Client& client) {
  // [calls-one]
  const Api<Pod> pods = client.api<Pod>("web");
  Result<Pod> pod = pods.get("front-0");
  if (!pod && is_not_found(pod.error())) std::cout << "there is no front-0\n";
  if (!pod) return pod.error();
  std::cout << pod->status.phase << "\n";

  auto web = pods.list_all({.label_selector = "app=web"});
  if (!web) return web.error();
  for (const Pod& each : *web) std::cout << each.metadata.name << "\n";
  // [calls-one]
  return {};
}

TEST_F(ClientCalls, OneCall) {
  {
    const Printed printed;
    const Result<void> done = one_call(client);
    EXPECT_TRUE(done) << done.error().to_string();
    EXPECT_EQ(printed.text(), "Running\nfront-0\n");
  }
  ASSERT_TRUE(pods.delete_("front-0", {.grace_period_seconds = 0}));
  const Printed printed;
  EXPECT_TRUE(is_not_found(one_call(client).error()));
  EXPECT_EQ(printed.text(), "there is no front-0\n");
}

Result<Pod> api(const Client& client) {
  // [kube/client/api.hpp]
  Api<core::v1::Pod> pods = client.api<core::v1::Pod>("web");
  Result<core::v1::Pod> pod = pods.get("front-0");
  if (!pod && is_not_found(pod.error())) std::cout << "not found\n";
  if (!pod) return pod.error();
  pod->metadata.labels["seen"] = "yes";
  Result<core::v1::Pod> updated = pods.update(*pod);  // Conflict if it has changed meanwhile
  // [kube/client/api.hpp]
  return updated;
}

TEST_F(ClientCalls, GetAndUpdate) {
  const Result<Pod> updated = api(client);
  ASSERT_TRUE(updated) << updated.error().to_string();
  EXPECT_EQ(pods.get("front-0").value().metadata.labels.at("seen"), "yes");
  cluster->prepend_reactor("update", "pods", [](fake::Action&) -> fake::Reaction {
    return Result<json::Value>(meta::conflict_error({"", "pods"}, "front-0", "it has changed"));
  });
  EXPECT_TRUE(is_conflict(api(client).error()));
}

Result<Pod> within(const Api<Pod>& pods, std::stop_token stop) {
  Result<Pod> pod = Pod();
  // [calls-within]
  const Api<Pod> quick = pods.within(3s);  // of each call, retries and all pages included
  pod = quick.get("front-0", {}, stop);
  if (!pod && pod.error().code() == ErrorCode::Timeout) std::cout << "not within 3s\n";
  // [calls-within]
  return pod;
}

TEST_F(ClientCalls, WithinALimit) {
  EXPECT_EQ(within(pods, {}).value().metadata.name, "front-0");
}

TEST_F(ScriptedCalls, WithinALimit) {
  const Printed printed;
  EXPECT_EQ(within(pods, {}).error().code(), ErrorCode::Timeout);
  EXPECT_EQ(printed.text(), "not within 3s\n");
}

Result<void> time_limit(const Client& client, const Api<Pod>& pods, const std::stop_token& stop) {
  // [kube/base/time_limit.hpp]
  const TimeLimit limit(*client.runtime().executor, 5s, stop);
  auto pod = pods.get("web-0", {}, limit.token());
  if (pod) pod = pods.update(*pod, {}, limit.token());
  if (!pod && limit.is_over()) std::cout << "not done after five seconds\n";
  // [kube/base/time_limit.hpp]
  if (!pod) return pod.error();
  return {};
}

TEST_F(ClientCalls, SeveralCallsWithATimeLimit) {
  Pod pod = pods.get("front-0").value();
  pod.metadata = {.name = "web-0"};
  ASSERT_TRUE(pods.create(pod));
  const Printed printed;
  const Result<void> done = time_limit(client, pods, {});
  EXPECT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(printed.text(), "");
}

TEST_F(ScriptedCalls, SeveralCallsWithATimeLimit) {
  answer("/api/v1/namespaces/web/pods/web-0", "application/json",
         R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0"}})");
  const Printed printed;
  EXPECT_EQ(time_limit(client, pods, {}).error().code(), ErrorCode::Cancelled) << "no PUT ends";
  EXPECT_EQ(printed.text(), "not done after five seconds\n");
}

Result<void> change_an_object(const Client& client) {
  // [calls-metadata]
  const Api<Node> nodes = client.api<Node>();
  Result<Node> node = nodes.set_label("n1", "example.com/zone", "b");
  if (!node) return node.error();
  node = nodes.remove_annotation("n1", "example.com/note");
  // [calls-metadata]
  if (!node) return node.error();

  // [calls-create-or-update]
  const Api<ConfigMap> maps = client.api<ConfigMap>("web");
  auto done = create_or_update(maps, "settings", [](ConfigMap& m) { m.data["level"] = "2"; });
  if (!done) return done.error();
  std::cout << done->object.metadata.name << " " << to_string(done->operation) << "\n";
  // [calls-create-or-update]

  // [calls-patch]
  const Api<Deployment> deployments = client.api<Deployment>("web");
  const auto two = Patch::merge_text(R"({"spec":{"replicas":2}})");
  if (!two) return two.error();
  auto scaled = deployments.patch("front", *two);
  if (!scaled) return scaled.error();
  // [calls-patch]
  EXPECT_EQ(scaled->spec.replicas, 2);

  // [calls-update]
  const auto scale = [&]() -> Result<Deployment> {
    Result<Deployment> current = deployments.get("front");
    if (!current) return current;
    current->spec.replicas = 3;
    return deployments.update(*current);
  };
  scaled = retry_on_conflict(client.runtime(), scale);
  // [calls-update]
  if (!scaled) return scaled.error();
  return {};
}

TEST_F(ClientCalls, ChangeAnObject) {
  int conflicts = 0;
  cluster->prepend_reactor("update", "deployments", [&](fake::Action&) -> fake::Reaction {
    if (conflicts++ > 0) return std::nullopt;
    return Result<json::Value>(
        meta::conflict_error({"apps", "deployments"}, "front", "it has changed"));
  });
  {
    const Printed printed;
    const Result<void> done = change_an_object(client);
    EXPECT_TRUE(done) << done.error().to_string();
    EXPECT_EQ(printed.text(), "settings created\n");
  }
  EXPECT_EQ(conflicts, 2);
  const Node node = client.api<Node>().get("n1").value();
  EXPECT_EQ(node.metadata.labels.at("example.com/zone"), "b");
  EXPECT_EQ(node.metadata.annotations.count("example.com/note"), 0U);
  EXPECT_EQ(client.api<Deployment>("web").get("front").value().spec.replicas, 3);
  const Printed printed;
  EXPECT_TRUE(change_an_object(client));
  EXPECT_EQ(printed.text(), "settings unchanged\n");
}

Result<void> create_or_update_example(const Client& client) {
  // [kube/client/create_or_update.hpp]
  const Api<ConfigMap> maps = client.api<ConfigMap>("web");
  auto done = create_or_update(maps, "settings", [](ConfigMap& m) { m.data["level"] = "2"; });
  if (!done) return done.error();
  if (done->operation != OperationResult::Unchanged) std::cout << done->object.metadata.name;
  // [kube/client/create_or_update.hpp]
  return {};
}

TEST_F(ClientCalls, CreateOrUpdate) {
  const Printed printed;
  EXPECT_TRUE(create_or_update_example(client));
  EXPECT_EQ(printed.text(), "settings");
  EXPECT_TRUE(create_or_update_example(client));
  EXPECT_EQ(printed.text(), "settings") << "nothing was changed";
  EXPECT_EQ(client.api<ConfigMap>("web").get("settings").value().data.at("level"), "2");
}

void log_error(const Error& error) {
  std::cout << error.message();
}
void async_example(const Api<Pod>& pods) {
  // [kube/client/async_api.hpp]
  pods.async().get("front-0", [](const Result<Pod>& pod) {
    if (!pod) return log_error(pod.error());
    std::cout << pod->status.phase << "\n";
  });
  // [kube/client/async_api.hpp]
}

TEST_F(ScriptedCalls, WithoutWaiting) {
  answer("/api/v1/namespaces/web/pods/front-0", "application/json",
         R"({"kind":"Pod","apiVersion":"v1","status":{"phase":"Running"}})");
  const Printed printed;
  async_example(pods);
  EXPECT_EQ(printed.text(), "");
  executor->run_ready();
  EXPECT_EQ(printed.text(), "Running\n");
  server->on("GET", "*", [](ScriptedCall call) { call.respond(404, "{}"); });
  async_example(pods);
  executor->run_ready();
  EXPECT_THAT(printed.text(), HasSubstr("could not find the requested resource"));
}

Result<void> pod_logs_example(const Client& client) {
  // [kube/client/pod_logs.hpp]
  auto log = client.api<Pod>("web").logs("front-0", {.tail_lines = 100}).do_raw();
  if (!log) return log.error();
  std::cout << *log;
  // [kube/client/pod_logs.hpp]
  return {};
}

TEST_F(ScriptedCalls, Logs) {
  answer("/api/v1/namespaces/web/pods/front-0/log*", "text/plain", "one\ntwo\n");
  const Printed printed;
  const Result<void> done = pod_logs_example(client);
  EXPECT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(printed.text(), "one\ntwo\n");
  EXPECT_THAT(server->requests().back().url, HasSubstr("tailLines=100"));
}

Result<void> exec_example(const Api<Pod>& pods) {
  // [kube/remote/pod_calls.hpp]
  auto date = kube::exec(pods, "web-0", {"date"});
  if (!date) return date.error();
  std::cout << date->out;  // and err, exit_code
  // [kube/remote/pod_calls.hpp]
  return {};
}

Result<std::uint16_t> port_forward_example(const Api<Pod>& pods) {
  // [kube/remote/pod_calls.hpp:2]
  auto forwarder = kube::port_forward(pods, "web-0", 8080);
  if (!forwarder) return forwarder.error();
  const std::uint16_t local = (*forwarder)->ports().front().local;  // of 127.0.0.1
  // [kube/remote/pod_calls.hpp:2]
  return local;
}

TEST(PodCalls, Exec) {
  std::string target;
  const transport::WebSocketServer server({.chosen = "v5.channel.k8s.io"},
                                          [&](transport::WebSocketPeer& peer) {
                                            target = peer.target();
                                            peer.write("\1Tue Jul 1\n");
                                            peer.write("\3{\"status\":\"Success\"}");
                                            peer.close(1000);
                                          });
  const Client client = Client::create({.host = server.url("")}).value();
  const Printed printed;
  const Result<void> done = exec_example(client.api<Pod>("web"));
  EXPECT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(printed.text(), "Tue Jul 1\n");
  EXPECT_THAT(target, HasSubstr("/pods/web-0/exec?command=date"));
}

TEST(PodCalls, PortForward) {
  const transport::WebSocketServer server(
      {.chosen = "SPDY/3.1+portforward.k8s.io"},
      [](transport::WebSocketPeer& peer) { static_cast<void>(peer.read()); });
  const Client client = Client::create({.host = server.url("")}).value();
  const Result<std::uint16_t> local = port_forward_example(client.api<Pod>("web"));
  ASSERT_TRUE(local) << local.error().to_string();
  EXPECT_GT(*local, 0);
}

}  // namespace
}  // namespace kube::header_examples
