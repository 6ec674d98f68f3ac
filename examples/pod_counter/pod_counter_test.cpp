// SPDX-License-Identifier: Apache-2.0
//
// How a controller is tested: on the embedded API server, and with a server that is the test.
#include "pod_counter.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include <kube/apiserver/api_server.hpp>
#include <kube/client/api.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/fake/settle.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/matchers.hpp>
#include <kube/testing/recording_logger.hpp>
#include <kube/testing/scripted_transport.hpp>
#include <kube/transport/curl_transport.hpp>

namespace example {
namespace {

using kube::core::v1::ConfigMap;
using kube::core::v1::Pod;
using kube::fake::FakeClient;
using kube::fake::settle;
using kube::testing::eventually;
using kube::testing::FailsWith;
using kube::testing::HasReason;
using kube::testing::IsOk;
using kube::testing::IsOkAndHolds;
using kube::testing::RecordingLogger;
using kube::testing::ScriptedCall;
using kube::testing::ScriptedTransport;
using ::testing::Contains;
using ::testing::Field;
using ::testing::Pair;

// [dozen]
constexpr std::string_view kPod = R"(
{apiVersion: v1, kind: Pod, metadata: {namespace: web, name: a}, spec: {containers: [{name: main, image: app:1}]}}
)";

TEST(PodCounter, CountsThePodsOfANamespace) {
  const auto fake = FakeClient::start(kPod).value();
  PodCounter counter(fake->client());
  ASSERT_THAT(counter.start(), IsOk());
  ASSERT_THAT(settle(fake->server(), counter.controller()), IsOk());
  EXPECT_THAT(fake->client().api<ConfigMap>("web").get("pod-count"),
              IsOkAndHolds(Field(&ConfigMap::data, Contains(Pair("pods", "1")))));
}
// [dozen]

// [fixture]
class PodCounterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = kube::apiserver::ApiServer::start();
    ASSERT_THAT(server, IsOk());
    server_ = std::move(*server);
    kube::rest::Config config;
    config.host = server_->url();
    auto client = kube::Client::create(config, {.runtime = {.logger = logger_}});
    ASSERT_THAT(client, IsOk());
    client_ = std::make_unique<kube::Client>(*client);
  }

  static Pod pod(const std::string& name) {
    Pod pod;
    pod.metadata.name = name;
    auto& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "registry.example/app:1";
    return pod;
  }
  std::string count() const {
    const auto found = client_->api<ConfigMap>("default").get("pod-count");
    return found ? found->data.at("pods") : found.error().reason();
  }

  const std::shared_ptr<RecordingLogger> logger_ =
      std::make_shared<RecordingLogger>(kube::LogLevel::Warning);
  std::unique_ptr<kube::apiserver::ApiServer> server_;
  std::unique_ptr<kube::Client> client_;
};
// [fixture]

// [test]
TEST_F(PodCounterTest, CountsThePodsOfANamespace) {
  ASSERT_THAT(client_->api<Pod>("default").create(pod("a")), IsOk());
  PodCounter counter(*client_);
  ASSERT_THAT(counter.start(), IsOk());
  ASSERT_THAT(settle(*server_, counter.controller()), IsOk());
  EXPECT_EQ(count(), "1");

  ASSERT_THAT(client_->api<Pod>("default").create(pod("b")), IsOk());
  ASSERT_THAT(settle(*server_, counter.controller()), IsOk());
  EXPECT_EQ(count(), "2");
  EXPECT_THAT(client_->api<Pod>("default").create(pod("b")), FailsWith(HasReason("AlreadyExists")));
  EXPECT_THAT(logger_->lines(), ::testing::IsEmpty());
}
// [test]

TEST_F(PodCounterTest, WritesNothingAfterItHasStopped) {
  PodCounter counter(*client_);
  ASSERT_THAT(counter.start(), IsOk());
  ASSERT_THAT(client_->api<Pod>("default").create(pod("a")), IsOk());
  EXPECT_TRUE(eventually([&] { return count() == "1"; })) << count();
  counter.stop_counting();
  ASSERT_THAT(client_->api<Pod>("default").create(pod("b")), IsOk());
  EXPECT_TRUE(eventually([&] { return counter.pods().lister().list().size() == 2; }));
  EXPECT_EQ(count(), "1");
}

// [otherwise]
TEST_F(PodCounterTest, AWriteThatTheServerRefusesIsTriedAgain) {
  const auto transport = std::make_shared<ScriptedTransport>(
      ScriptedTransport::Options{.otherwise = kube::transport::CurlTransport::create({}).value()});
  transport->once("POST", "/api/v1/namespaces/default/configmaps", [](ScriptedCall call) {
    call.respond(
        500,
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"etcd is away","code":500})");
  });
  kube::rest::Config config;
  config.host = server_->url();
  auto client =
      kube::Client::create(config, {.runtime = {.logger = logger_}, .transport = transport});
  ASSERT_THAT(client, IsOk());
  ASSERT_THAT(client_->api<Pod>("default").create(pod("a")), IsOk());
  PodCounter counter(*client);
  ASSERT_THAT(counter.start(), IsOk());
  ASSERT_THAT(settle(*server_, counter.controller()), IsOk());
  EXPECT_EQ(count(), "1");
  EXPECT_THAT(logger_->lines_with("etcd is away"), ::testing::SizeIs(1));
}
// [otherwise]

// [scripted]
TEST(PodCounterAndABadServer, ARefusedWriteIsTriedAgain) {
  const auto transport = std::make_shared<ScriptedTransport>();
  transport->on("GET", "/api/v1/pods", [](ScriptedCall call) {
    if (call.query("sendInitialEvents")) {
      call.respond(400, "this server lists");
    } else if (call.query("watch")) {
      call.head(200);  // and no event: the watch stays open
    } else {
      call.respond(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},)"
                        R"("items":[{"metadata":{"name":"a","namespace":"web","uid":"1",)"
                        R"("resourceVersion":"1"}}]})");
    }
  });
  transport->on("GET", "/api/v1/configmaps", [](ScriptedCall call) {
    if (call.query("sendInitialEvents")) {
      call.respond(400, "this server lists");
    } else if (call.query("watch")) {
      call.head(200);
    } else {
      call.respond(
          200,
          R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]})");
    }
  });
  std::atomic<int> writes{0};
  transport->on("POST", "/api/v1/namespaces/web/configmaps", [&](ScriptedCall call) {
    if (++writes == 1) {
      call.respond(
          500,
          R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"etcd is away","code":500})");
    } else {
      call.respond(201, call.request().body,
                   {{"Content-Type", "application/vnd.kubernetes.protobuf"}});
    }
  });
  const auto logger = std::make_shared<RecordingLogger>(kube::LogLevel::Warning);
  auto client = kube::Client::create({.host = "http://server"},
                                     {.runtime = {.logger = logger}, .transport = transport});
  ASSERT_THAT(client, IsOk());
  PodCounter counter(*client);
  ASSERT_THAT(counter.start(), IsOk());
  EXPECT_TRUE(eventually([&] { return writes == 2; }));
  counter.stop();
  EXPECT_THAT(logger->lines(), ::testing::Contains(::testing::HasSubstr("etcd is away")));
}
// [scripted]

}  // namespace
}  // namespace example
