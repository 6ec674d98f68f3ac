// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/scripted_transport.hpp>

#include <future>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/round_trip.hpp>

namespace kube::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using transport::Flow;
using transport::HttpRequest;
using transport::HttpResponse;
using transport::ResponseHandler;
using transport::ResponseHead;

constexpr std::string_view kPods = "http://server/api/v1/pods";

HttpRequest get(std::string_view url) {
  HttpRequest request;
  request.url = std::string(url);
  return request;
}

// Writes down what it is told: "head 200", "data abc", "end", "end Unreachable".
class Recorder final : public ResponseHandler {
 public:
  void on_head(ResponseHead head) override {
    calls.push_back("head " + std::to_string(head.status));
  }
  Flow on_data(std::string_view chunk) override {
    calls.push_back("data " + std::string(chunk));
    if (during_data) during_data();
    return flow;
  }
  void on_end(Result<void> result) override {
    calls.push_back(result ? "end" : "end " + std::string(to_string(result.error().code())));
    if (!result) error = result.error().to_string();
    if (during_end) during_end();
  }

  std::vector<std::string> calls{};
  std::string error{};
  Flow flow = Flow::Continue;
  std::function<void()> during_data{};
  std::function<void()> during_end{};
};

struct Started {
  std::shared_ptr<Recorder> handler = std::make_shared<Recorder>();
  std::shared_ptr<transport::Exchange> exchange{};
  std::optional<ScriptedCall> call{};
};

Started start(ScriptedTransport& transport, std::stop_token stop = {}) {
  Started started;
  started.exchange = transport.start(get(kPods), started.handler, std::move(stop));
  started.call = transport.take_request();
  return started;
}

TEST(ScriptedTransport, DeliversWhatTheScriptSendsInOrder) {
  ScriptedTransport transport;
  Started s = start(transport);
  ASSERT_TRUE(s.call);
  s.call->head(200).data("ab").data("c").end();
  EXPECT_THAT(s.handler->calls, ElementsAre("head 200", "data ab", "data c", "end"));
  EXPECT_TRUE(s.call->ended());
  EXPECT_EQ(transport.open(), 0U);
}

TEST(ScriptedTransport, ShowsThePathAndTheDecodedQuery) {
  ScriptedTransport transport;
  transport.start(get("https://h:1/api/v1/pods?watch&labelSelector=a%3Db%2Cc&x=1+2#f"),
                  std::make_shared<Recorder>(), {});
  const ScriptedCall call = transport.take_request().value();
  EXPECT_EQ(call.path(), "/api/v1/pods");
  EXPECT_EQ(call.query("watch"), "");
  EXPECT_EQ(call.query("labelSelector"), "a=b,c");
  EXPECT_EQ(call.query("x"), "1 2");
  EXPECT_EQ(call.query("limit"), std::nullopt);
}

TEST(ScriptedTransport, SplitsDataAtEveryByte) {
  ScriptedTransport transport;
  Started s = start(transport);
  s.call->head().data_in_pieces("abc", 1).data_in_pieces("defgh", 3).end();
  EXPECT_THAT(s.handler->calls,
              ElementsAre("head 200", "data a", "data b", "data c", "data def", "data gh", "end"));
}

TEST(ScriptedTransport, BytesWithoutAHeadBringOne) {
  ScriptedTransport transport;
  Started s = start(transport);
  s.call->data("x").end();
  EXPECT_THAT(s.handler->calls, ElementsAre("head 200", "data x", "end"));
}

TEST(ScriptedTransport, ASecondHeadIsReportedAsAMistakeOfTheScript) {
  ScriptedTransport transport;
  Started s = start(transport);
  s.call->head().head();
  EXPECT_THAT(s.handler->calls, ElementsAre("head 200", "end Internal"));
}

TEST(ScriptedTransport, RefusalResetAndTruncationAreUnreachable) {
  ScriptedTransport transport;
  Started refused = start(transport);
  refused.call->refuse();
  EXPECT_THAT(refused.handler->calls, ElementsAre("end Unreachable"));
  EXPECT_EQ(refused.handler->error, "GET http://server/api/v1/pods: connection refused");

  Started reset = start(transport);
  reset.call->data("{\"items\":[").reset();
  EXPECT_THAT(reset.handler->calls,
              ElementsAre("head 200", "data {\"items\":[", "end Unreachable"));
  EXPECT_THAT(reset.handler->error, HasSubstr("reset"));

  Started truncated = start(transport);
  truncated.call->head().truncate();
  EXPECT_THAT(truncated.handler->calls, ElementsAre("head 200", "end Unreachable"));
}

TEST(ScriptedTransport, WhatComesAfterTheEndIsLost) {
  ScriptedTransport transport;
  Started s = start(transport);
  s.call->head().end();
  s.call->data("late").end();
  s.call->reset();
  EXPECT_THAT(s.handler->calls, ElementsAre("head 200", "end"));
}

TEST(ScriptedTransport, APauseHoldsEverythingBackUntilResume) {
  ScriptedTransport transport;
  Started s = start(transport);
  s.handler->flow = Flow::Pause;
  s.call->head().data("a").data("bc").end();
  EXPECT_THAT(s.handler->calls, ElementsAre("head 200", "data a"));
  EXPECT_TRUE(s.call->paused());
  EXPECT_EQ(s.call->undelivered(), 2U);
  s.handler->flow = Flow::Continue;
  s.exchange->resume();
  EXPECT_THAT(s.handler->calls, ElementsAre("head 200", "data a", "data bc", "end"));
  EXPECT_FALSE(s.call->paused());
}

TEST(ScriptedTransport, AResumeInsideOnDataIsNotLost) {
  ScriptedTransport transport;
  Started s = start(transport);
  s.handler->flow = Flow::Pause;
  s.handler->during_data = [&] { s.exchange->resume(); };
  s.call->data("a").data("b").end();
  EXPECT_THAT(s.handler->calls, ElementsAre("head 200", "data a", "data b", "end"));
}

TEST(ScriptedTransport, AResumeWithoutAPauseDoesNotUndoALaterOne) {
  ScriptedTransport transport;
  Started s = start(transport);
  s.handler->flow = Flow::Pause;
  s.exchange->resume();
  s.call->data("a").data("b");
  EXPECT_TRUE(s.call->paused());
}

TEST(ScriptedTransport, CancelOvertakesAPauseAndWhatIsQueued) {
  ScriptedTransport transport;
  Started s = start(transport);
  s.handler->flow = Flow::Pause;
  s.call->data("a").data("b").end();
  s.exchange->cancel();
  s.exchange->cancel();
  EXPECT_THAT(s.handler->calls, ElementsAre("head 200", "data a", "end Cancelled"));
  EXPECT_TRUE(s.call->cancelled());
  EXPECT_TRUE(s.call->await_cancelled());
  EXPECT_TRUE(s.call->await_ended());
}

TEST(ScriptedTransport, AStopRequestCancels) {
  ScriptedTransport transport;
  std::stop_source stop;
  Started s = start(transport, stop.get_token());
  s.call->head();
  stop.request_stop();
  EXPECT_THAT(s.handler->calls, ElementsAre("head 200", "end Cancelled"));
}

TEST(ScriptedTransport, AStopBeforeTheStartSendsNothing) {
  ScriptedTransport transport;
  std::stop_source stop;
  stop.request_stop();
  Started s = start(transport, stop.get_token());
  EXPECT_THAT(s.handler->calls, ElementsAre("end Cancelled"));
  EXPECT_FALSE(s.call);
  EXPECT_TRUE(transport.requests().empty());
}

TEST(ScriptedTransport, DestructionEndsWhatIsOpen) {
  std::vector<Started> all;
  {
    ScriptedTransport transport;
    for (int i = 0; i < 3; ++i) all.push_back(start(transport));
    all[1].call->head().data("x");
  }
  EXPECT_THAT(all[0].handler->calls, ElementsAre("end Cancelled"));
  EXPECT_THAT(all[1].handler->calls, ElementsAre("head 200", "data x", "end Cancelled"));
  all[2].call->data("too late");
  all[2].exchange->resume();
  EXPECT_THAT(all[2].handler->calls, ElementsAre("end Cancelled"));
}

TEST(ScriptedTransport, AHandlerMayStartAnotherExchangeWhileTheTransportIsDestroyed) {
  const auto last = std::make_shared<Recorder>();
  {
    ScriptedTransport transport;
    Started s = start(transport);
    s.handler->during_end = [&] { transport.start(get(kPods), last, {}); };
  }
  EXPECT_THAT(last->calls, ElementsAre("end Cancelled"));
}

TEST(ScriptedTransport, AHandlerMayDestroyTheTransport) {
  auto transport = std::make_unique<ScriptedTransport>();
  Started other = start(*transport);
  Started s = start(*transport);
  s.handler->during_data = [&] { transport.reset(); };
  s.call->data("x").data("y");
  EXPECT_THAT(s.handler->calls, ElementsAre("head 200", "data x", "end Cancelled"));
  EXPECT_THAT(other.handler->calls, ElementsAre("end Cancelled"));
}

TEST(ScriptedTransport, AHandlerThatThrowsEndsItsExchangeOnly) {
  ScriptedTransport transport;
  Started s = start(transport);
  s.handler->during_data = [] { throw std::runtime_error("bad handler"); };
  s.call->data("x").data("y");
  EXPECT_THAT(s.handler->calls, ElementsAre("head 200", "data x", "end Internal"));
  EXPECT_THAT(s.handler->error, HasSubstr("bad handler"));
  Started next = start(transport);
  next.call->respond(200);
  EXPECT_THAT(next.handler->calls, ElementsAre("head 200", "end"));
}

TEST(ScriptedTransport, RulesAnswerBlockingCallsOfTheSameThread) {
  ScriptedTransport transport;
  transport.on("GET", "/api/v1/pods", [](ScriptedCall c) { c.respond(200, "pods"); });
  transport.on("", "/api/v1/nodes*", [](ScriptedCall c) { c.respond(404, "none"); });
  const Result<HttpResponse> pods = round_trip(transport, get(kPods), {});
  ASSERT_TRUE(pods);
  EXPECT_EQ(pods->body, "pods");
  EXPECT_EQ(pods->headers.find("content-type"), "application/json");
  EXPECT_EQ(round_trip(transport, get("http://server/api/v1/nodes/n1?x=y"), {}).value().status,
            404);
  EXPECT_EQ(transport.waiting(), 0U);
  EXPECT_EQ(transport.requests().size(), 2U);
}

TEST(ScriptedTransport, OnceRulesGoFirstInTheirOrderThenTheNewestRule) {
  ScriptedTransport transport;
  const auto answer = [](int status) { return [status](ScriptedCall c) { c.respond(status); }; };
  transport.on("GET", "/api/v1/pods", answer(203));
  transport.on("GET", "/api/v1/pods", answer(202));
  transport.once("GET", "/api/v1/pods", answer(200));
  transport.once("GET", "/api/v1/pods", answer(201));
  std::vector<int> statuses;
  for (int i = 0; i < 4; ++i)
    statuses.push_back(round_trip(transport, get(kPods), {}).value().status);
  EXPECT_THAT(statuses, ElementsAre(200, 201, 202, 202));
}

TEST(ScriptedTransport, AServerThatIsDownRefusesAndComesBack) {
  ScriptedTransport transport;
  transport.on("GET", "*", [](ScriptedCall c) { c.head(); });
  Started watch;
  watch.exchange = transport.start(get(kPods), watch.handler, {});
  transport.set_down(true);
  transport.reset_all();
  EXPECT_THAT(watch.handler->calls, ElementsAre("head 200", "end Unreachable"));
  EXPECT_EQ(round_trip(transport, get(kPods), {}).error().code(), ErrorCode::Unreachable);
  transport.set_down(false);
  Started again;
  again.exchange = transport.start(get(kPods), again.handler, {});
  EXPECT_THAT(again.handler->calls, ElementsAre("head 200"));
}

TEST(ScriptedTransport, AHandlerMayStartTheNextRequestFromItsEnd) {
  // As a reflector does with a server that closes each watch at once.
  struct Rewatch final : ResponseHandler, std::enable_shared_from_this<Rewatch> {
    explicit Rewatch(ScriptedTransport& t) : transport(t) {}
    void on_head(ResponseHead) override {}
    Flow on_data(std::string_view) override { return Flow::Continue; }
    void on_end(Result<void>) override {
      EXPECT_EQ(depth, 0) << "on_end inside on_end";
      ++depth;
      if (++ends < 100) transport.start(get(kPods), shared_from_this(), {});
      --depth;
    }
    ScriptedTransport& transport;
    int ends = 0;
    int depth = 0;
  };
  ScriptedTransport transport;
  transport.on("GET", "/api/v1/pods", [](ScriptedCall c) { c.head().end(); });
  const auto handler = std::make_shared<Rewatch>(transport);
  transport.start(get(kPods), handler, {});
  EXPECT_EQ(handler->ends, 100);
}

TEST(ScriptedTransport, ABlockingClientInAnotherThreadIsAnsweredByTheTest) {
  ScriptedTransport transport;
  auto answer = std::async(std::launch::async,
                           [&] { return round_trip(transport, get(kPods), std::stop_token()); });
  ScriptedCall call = transport.await_request("GET", "/api/v1/pods").value();
  call.respond(201, "made");
  const Result<HttpResponse> response = answer.get();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 201);
}

TEST(ScriptedTransport, AStopRequestEndsABlockingCallAndAWaitForARequest) {
  ScriptedTransport transport;
  std::stop_source stop;
  auto answer = std::async(std::launch::async,
                           [&] { return round_trip(transport, get(kPods), stop.get_token()); });
  const ScriptedCall call = transport.await_request().value();
  stop.request_stop();
  EXPECT_EQ(answer.get().error().code(), ErrorCode::Cancelled);
  EXPECT_TRUE(call.await_ended());
  EXPECT_EQ(transport.await_request(stop.get_token()).error().code(), ErrorCode::Cancelled);
}

TEST(ScriptedTransport, TakesRequestsByPathInAnyOrder) {
  ScriptedTransport transport;
  transport.start(get("http://s/a"), std::make_shared<Recorder>(), {});
  transport.start(get("http://s/b"), std::make_shared<Recorder>(), {});
  EXPECT_EQ(transport.waiting(), 2U);
  EXPECT_EQ(transport.take_request("GET", "/b")->path(), "/b");
  EXPECT_FALSE(transport.take_request("POST", "/a"));
  EXPECT_EQ(transport.take_request()->path(), "/a");
  EXPECT_FALSE(transport.take_request());
}

TEST(ScriptedTransport, ManyThreadsMayUseOneTransport) {
  ScriptedTransport transport;
  transport.on("GET", "*", [](ScriptedCall c) { c.head().data_in_pieces("abcdef", 1).end(); });
  std::vector<std::future<int>> users;
  for (int t = 0; t < 4; ++t) {
    users.push_back(std::async(std::launch::async, [&] {
      int complete = 0;
      for (int i = 0; i < 200; ++i) {
        const Result<HttpResponse> response = round_trip(transport, get(kPods), {});
        complete += response && response->body == "abcdef" ? 1 : 0;
      }
      return complete;
    }));
  }
  for (std::future<int>& user : users) EXPECT_EQ(user.get(), 200);
}

TEST(ScriptedTransport, WithAnExecutorNothingIsDeliveredInsideACall) {
  const auto executor = std::make_shared<SeededExecutor>(1);
  ScriptedTransport transport({.executor = executor});
  Started s = start(transport);
  s.call->respond(200, "abc");
  EXPECT_TRUE(s.handler->calls.empty());
  executor->run_ready();
  EXPECT_THAT(s.handler->calls, ElementsAre("head 200", "data abc", "end"));
  Started cancelled = start(transport);
  cancelled.exchange->cancel();
  EXPECT_TRUE(cancelled.call->cancelled());
  EXPECT_TRUE(cancelled.handler->calls.empty());
  executor->run_ready();
  EXPECT_THAT(cancelled.handler->calls, ElementsAre("end Cancelled"));
}

TEST(ScriptedTransport, TheSeedDecidesHowAnswersInterleaveAndKeepsEachInOrder) {
  const auto run = [](std::uint64_t seed) {
    const auto executor = std::make_shared<SeededExecutor>(seed);
    ScriptedTransport transport({.executor = executor});
    Started a = start(transport);
    Started b = start(transport);
    std::string order;
    a.handler->during_data = [&] { order += 'a'; };
    b.handler->during_data = [&] { order += 'b'; };
    a.call->head().data_in_pieces("1234", 1).end();
    b.call->head().data_in_pieces("1234", 1).end();
    executor->run_ready();
    EXPECT_THAT(a.handler->calls,
                ElementsAre("head 200", "data 1", "data 2", "data 3", "data 4", "end"));
    EXPECT_EQ(a.handler->calls, b.handler->calls);
    return order;
  };
  EXPECT_EQ(run(7), run(7));
  std::vector<std::string> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) orders.push_back(run(seed));
  std::sort(orders.begin(), orders.end());
  EXPECT_NE(orders.front(), orders.back());
}

TEST(ScriptedTransport, TheWholeTimeoutRunsOnTheExecutorsClock) {
  const auto executor = std::make_shared<SeededExecutor>(1);
  ScriptedTransport transport({.executor = executor});
  HttpRequest request = get(kPods);
  request.timeout = std::chrono::seconds(10);
  const auto handler = std::make_shared<Recorder>();
  transport.start(request, handler, {});
  transport.take_request()->data("x");
  executor->run_for(std::chrono::seconds(9));
  EXPECT_THAT(handler->calls, ElementsAre("head 200", "data x"));
  executor->run_for(std::chrono::seconds(2));
  EXPECT_THAT(handler->calls, ElementsAre("head 200", "data x", "end Timeout"));
}

TEST(ScriptedTransport, SilenceEndsWithTimeoutButAPauseIsNotSilence) {
  const auto executor = std::make_shared<SeededExecutor>(1);
  ScriptedTransport transport({.executor = executor});
  HttpRequest request = get(kPods);
  request.idle_timeout = std::chrono::seconds(10);
  const auto handler = std::make_shared<Recorder>();
  const auto exchange = transport.start(request, handler, {});
  ScriptedCall call = transport.take_request().value();
  for (int i = 0; i < 5; ++i) {
    executor->run_for(std::chrono::seconds(8));
    call.data("x");
  }
  executor->run_ready();
  EXPECT_EQ(handler->calls.size(), 6U);

  handler->flow = Flow::Pause;
  call.data("y");
  executor->run_for(std::chrono::minutes(5));
  EXPECT_TRUE(call.paused());
  EXPECT_FALSE(call.ended());

  exchange->resume();
  executor->run_for(std::chrono::seconds(9));
  EXPECT_FALSE(call.ended());
  executor->run_for(std::chrono::seconds(2));
  EXPECT_EQ(handler->calls.back(), "end Timeout");
}

TEST(ScriptedTransport, DestructionEndsWhatTheExecutorHasNotRunYet) {
  const auto executor = std::make_shared<SeededExecutor>(1);
  const auto handler = std::make_shared<Recorder>();
  {
    ScriptedTransport transport({.executor = executor});
    transport.start(get(kPods), handler, {});
    transport.take_request()->respond(200, "x");
  }
  EXPECT_THAT(handler->calls, ElementsAre("end Cancelled"));
  executor->run_ready();
  EXPECT_THAT(handler->calls, ElementsAre("end Cancelled"));
}

TEST(ScriptedTransport, StopEndsWhatIsOpenForgetsTheRulesAndRefusesTheRest) {
  const auto executor = std::make_shared<SeededExecutor>(1);
  auto transport = std::make_shared<ScriptedTransport>(ScriptedTransport::Options{executor});
  const std::weak_ptr<ScriptedTransport> alive = transport;
  transport->on("GET", "/never", [transport](const ScriptedCall&) {});
  const auto open = std::make_shared<Recorder>();
  transport->start(get(kPods), open, {});
  transport->stop();
  EXPECT_THAT(open->calls, ElementsAre("end Cancelled"));
  const auto late = std::make_shared<Recorder>();
  transport->start(get(kPods), late, {});
  EXPECT_THAT(late->calls, ElementsAre("end Cancelled"));
  transport.reset();
  EXPECT_TRUE(alive.expired()) << "a rule still holds its transport";
}

}  // namespace
}  // namespace kube::testing
