// SPDX-License-Identifier: Apache-2.0
#include <kube/remote/pod_calls.hpp>

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/client/client.hpp>
#include <kube/testing/fake_clock.hpp>

#include "websocket_server.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using ::testing::HasSubstr;
using transport::WebSocketPeer;
using transport::WebSocketServer;

class PodCalls : public ::testing::Test {
 protected:
  void serve(WebSocketServer::Script script, std::string protocol = "v5.channel.k8s.io") {
    server_ = std::make_unique<WebSocketServer>(
        WebSocketServer::Options{.chosen = std::move(protocol)}, std::move(script));
    client_ = std::make_unique<Client>(
        Client::create({.host = server_->url("")},
                       {.runtime = {.executor = std::make_shared<ThreadPool>(
                                        ThreadPool::Options{.clock = clock_})}})
            .value());
  }
  Api<Pod> pods() const { return client_->api<Pod>("web"); }

  const std::shared_ptr<testing::FakeClock> clock_ = std::make_shared<testing::FakeClock>();

 private:
  std::unique_ptr<WebSocketServer> server_;
  std::unique_ptr<Client> client_;
};

void end(WebSocketPeer& peer, std::string_view status) {
  peer.write("\3" + std::string(status));
  peer.close(1000);
}

TEST_F(PodCalls, ExecReturnsOutputAndExitCode) {
  std::string target;
  serve([&](WebSocketPeer& peer) {
    target = peer.target();
    peer.write("\1out");
    peer.write("\2err");
    peer.write("\1put");
    end(peer, R"({"status":"Failure","reason":"NonZeroExitCode",)"
              R"("details":{"causes":[{"reason":"ExitCode","message":"7"}]}})");
  });
  const Result<ExecResult> result = exec(pods(), "front-0", {"ls", "/"}, {.container = "app"});
  ASSERT_TRUE(result) << result.error().to_string();
  EXPECT_EQ(result->out, "output");
  EXPECT_EQ(result->err, "err");
  EXPECT_EQ(result->exit_code, 7);
  EXPECT_EQ(target.substr(0, target.find('?')), "/api/v1/namespaces/web/pods/front-0/exec");
  for (const char* each :
       {"command=ls", "command=%2F", "container=app", "stdout=true", "stderr=true"}) {
    EXPECT_THAT(target, HasSubstr(each));
  }
  EXPECT_THAT(target, ::testing::Not(HasSubstr("stdin")));
}

TEST_F(PodCalls, ExecRefusesOutputThatIsTooLong) {
  serve([](WebSocketPeer& peer) {
    peer.write("\1output");
    peer.write("\2err");
    end(peer, R"({"status":"Success"})");
  });
  EXPECT_TRUE(exec(pods(), "front-0", {"ls"}, {.max_bytes = 9}));
  const Result<ExecResult> too_long = exec(pods(), "front-0", {"ls"}, {.max_bytes = 8});
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code(), ErrorCode::Decode);
  EXPECT_EQ(too_long.error().message(), "the command's output is longer than 8 bytes");
}

TEST_F(PodCalls, ExecEndsWithinTheLimitOfTheHandle) {
  serve([this](WebSocketPeer& peer) {
    peer.write("\1some");
    clock_->advance(3s);
    static_cast<void>(peer.read());
  });
  const Result<ExecResult> late = exec(pods().within(3s), "front-0", {"sleep", "9"});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(late.error().to_string(),
            "exec pods \"front-0\" in namespace \"web\": the command did not end within 3s");
}

TEST_F(PodCalls, ExecEndsWithTheCallThatItIsPartOf) {
  serve([this](WebSocketPeer& peer) {
    peer.write("\1some");
    clock_->advance(1s);
    static_cast<void>(peer.read());
  });
  const Api<Pod> call(pods().within(3s).raw().started());
  clock_->advance(2s);
  const Result<ExecResult> late = exec(call, "front-0", {"sleep", "9"});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
}

TEST_F(PodCalls, AStopIsNoTimeout) {
  std::stop_source stop;
  serve([&](WebSocketPeer& peer) {
    stop.request_stop();
    static_cast<void>(peer.read());
  });
  const auto stopped = exec(pods().within(3s), "front-0", {"sleep", "9"}, {}, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::Cancelled);
}

TEST_F(PodCalls, PortForwardListensOnAFreePort) {
  serve([](WebSocketPeer& peer) { static_cast<void>(peer.read()); }, "SPDY/3.1+portforward.k8s.io");
  const auto forwarder = port_forward(pods(), "front-0", 8080);
  ASSERT_TRUE(forwarder) << forwarder.error().to_string();
  ASSERT_FALSE((*forwarder)->ports().empty());
  EXPECT_NE((*forwarder)->ports().front().local, 0);
  EXPECT_EQ((*forwarder)->ports().front().remote, 8080);
  EXPECT_EQ(port_forward(pods(), "", 8080).error().code(), ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace kube
