// SPDX-License-Identifier: Apache-2.0
//
// A ScriptedTransport on another transport, to which it passes on what it has no rule for.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/round_trip.hpp>
#include <kube/testing/scripted_transport.hpp>

namespace kube::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using transport::Flow;
using transport::HttpRequest;

HttpRequest request_of(std::string method, std::string_view path = "/api/v1/pods") {
  HttpRequest request;
  request.method = std::move(method);
  request.url = "http://server" + std::string(path);
  return request;
}

class Lines final : public transport::ResponseHandler {
 public:
  void on_head(transport::ResponseHead head) override {
    calls.push_back("head " + std::to_string(head.status));
  }
  Flow on_data(std::string_view chunk) override {
    calls.push_back("data " + std::string(chunk));
    return flow;
  }
  void on_end(Result<void> result) override {
    calls.push_back(result ? "end" : "end " + std::string(to_string(result.error().code())));
  }
  std::vector<std::string> calls{};
  Flow flow = Flow::Continue;
};

class PassedExchangeTest : public ::testing::Test {
 protected:
  const std::shared_ptr<ScriptedTransport> network = std::make_shared<ScriptedTransport>();
  ScriptedTransport transport{ScriptedTransport::Options{.otherwise = network}};
  const std::shared_ptr<Lines> handler = std::make_shared<Lines>();
};

TEST_F(PassedExchangeTest, WhatNoRuleRespondsToIsPassedOn) {
  network->on("", "*", [](ScriptedCall call) { call.respond(200, "from the network"); });
  transport.once("PUT", "/api/v1/*", [](ScriptedCall call) { call.respond(409, "conflict"); });
  const auto status = [&](const std::string& method) {
    return round_trip(transport, request_of(method), {}).value().status;
  };
  EXPECT_EQ(status("PUT"), 409);
  EXPECT_EQ(status("PUT"), 200) << "the rule was for one request";
  const auto got = round_trip(transport, request_of("GET"), {});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, "from the network");
  EXPECT_EQ(network->requests().size(), 2U);
  EXPECT_EQ(transport.requests().size(), 3U);
  EXPECT_EQ(transport.waiting(), 0U);
  EXPECT_EQ(transport.open(), 0U);
}

TEST_F(PassedExchangeTest, ARuleMayPassARequestOn) {
  network->on("", "*", [](ScriptedCall call) { call.respond(201, call.request().body); });
  int seen = 0;
  transport.on("POST", "*", [&](ScriptedCall call) {
    if (++seen == 2) return call.refuse();
    call.pass_on();
  });
  EXPECT_EQ(round_trip(transport, request_of("POST"), {}).value().status, 201);
  EXPECT_FALSE(round_trip(transport, request_of("POST"), {}));
  EXPECT_EQ(round_trip(transport, request_of("POST"), {}).value().status, 201);
}

TEST_F(PassedExchangeTest, WithoutAnotherTransportPassingOnFails) {
  ScriptedTransport alone;
  alone.on("", "*", [](ScriptedCall call) { call.pass_on(); });
  const auto failed = round_trip(alone, request_of("GET"), {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::Internal);
  EXPECT_THAT(failed.error().to_string(), HasSubstr("no transport to pass it on to"));
}

TEST_F(PassedExchangeTest, ItsErrorsAreThoseOfTheOtherTransport) {
  network->on("", "*", [](ScriptedCall call) { call.head(200).data("half").reset(); });
  transport.start(request_of("GET"), handler, {});
  EXPECT_THAT(handler->calls, ElementsAre("head 200", "data half", "end Unreachable"));
}

TEST_F(PassedExchangeTest, AResetOrACancelEndsItOnBothSides) {
  transport.start(request_of("GET"), handler, {});
  ScriptedCall watch = network->take_request().value();
  watch.data("event");
  EXPECT_EQ(transport.open(), 1U);
  transport.reset_all();
  EXPECT_THAT(handler->calls, ElementsAre("head 200", "data event", "end Unreachable"));
  EXPECT_TRUE(watch.cancelled());
  watch.data("late").end();
  EXPECT_EQ(handler->calls.size(), 3U);

  const auto cancelled = std::make_shared<Lines>();
  const auto exchange = transport.start(request_of("GET"), cancelled, {});
  const ScriptedCall second = network->take_request().value();
  exchange->cancel();
  EXPECT_THAT(cancelled->calls, ElementsAre("end Cancelled"));
  EXPECT_TRUE(second.cancelled());
}

TEST_F(PassedExchangeTest, WhileItIsDownNothingIsPassedOn) {
  transport.set_down(true);
  EXPECT_FALSE(round_trip(transport, request_of("GET"), {}));
  EXPECT_TRUE(network->requests().empty());
}

TEST_F(PassedExchangeTest, APauseOfTheClientPausesTheOtherTransport) {
  handler->flow = Flow::Pause;
  const auto exchange = transport.start(request_of("GET"), handler, {});
  ScriptedCall call = network->take_request().value();
  call.data("1").data("2").data("3").end();
  EXPECT_THAT(handler->calls, ElementsAre("head 200", "data 1"));
  EXPECT_GT(call.undelivered(), 0U) << "the network still has the last one";
  exchange->resume();
  exchange->resume();
  EXPECT_THAT(handler->calls, ElementsAre("head 200", "data 1", "data 2", "data 3"));
  handler->flow = Flow::Continue;
  exchange->resume();
  EXPECT_EQ(handler->calls.back(), "end");
}

TEST_F(PassedExchangeTest, ItIsDeliveredOnTheExecutorAsScriptedResponsesAre) {
  const auto executor = std::make_shared<SeededExecutor>(1);
  ScriptedTransport on_executor({.executor = executor, .otherwise = network});
  on_executor.start(request_of("GET"), handler, {});
  network->take_request()->respond(200, "x");
  EXPECT_TRUE(handler->calls.empty());
  executor->run_ready();
  EXPECT_THAT(handler->calls, ElementsAre("head 200", "data x", "end"));
}

TEST_F(PassedExchangeTest, AStopEndsItWithCancelled) {
  transport.start(request_of("GET"), handler, {});
  const ScriptedCall call = network->take_request().value();
  transport.stop();
  EXPECT_THAT(handler->calls, ElementsAre("end Cancelled"));
  EXPECT_TRUE(call.cancelled());
}

TEST_F(PassedExchangeTest, ManyThreadsMayPassOn) {
  network->on("", "*", [](ScriptedCall call) { call.respond(200, "x"); });
  std::atomic<int> passed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k) {
          if (round_trip(transport, request_of("GET"), {})) ++passed;
        }
      });
    }
  }
  EXPECT_EQ(passed, 200);
  EXPECT_EQ(transport.open(), 0U);
}

}  // namespace
}  // namespace kube::testing
