// SPDX-License-Identifier: Apache-2.0
//
// Api<T>::within(): a limit for each call as a whole.
#include <kube/api/core/v1/node.hpp>
#include <kube/client/api.hpp>
#include <kube/client/pod_logs.hpp>
#include <kube/client/table_api.hpp>
#include <kube/client/text_request.hpp>

#include "api_fixture.hpp"

namespace kube {
namespace {

using core::v1::Pod;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class ApiWithin : public ApiTest {
 protected:
  // Responds to everything with these status and Retry-After.
  void throttle(const std::string& seconds, int status = 429) {
    answer(status, status_json(status, "TooManyRequests", "slow down"),
           {{"Content-Type", "application/json"}, {"Retry-After", seconds}});
  }
  // Responds to everything with an empty page after this time.
  void answer_late(Duration delay, const std::string& body) {
    server->on("", "*", [=, this](ScriptedCall call) {
      timers.push_back(executor->submit_after(delay, [=]() mutable { call.respond(200, body); }));
    });
  }
  Api<Pod> of(const rest::Config& config) {
    return Api<Pod>(RawApi(make(config), kPodsResource, "web"));
  }
  std::vector<Timer> timers;
};

TEST_F(ApiWithin, ASilentServerEndsTheCallAndTheErrorNamesTheLimit) {
  const auto pod = pods.within(3s).get("a");
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code(), ErrorCode::Timeout);
  EXPECT_THAT(pod.error().to_string(), HasSubstr("get pods \"a\" in namespace \"web\": "));
  EXPECT_THAT(pod.error().to_string(), HasSubstr("the call did not end within 3s: "));
  EXPECT_EQ(elapsed(), 3s);
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/pods/a") << "the server does not see it";
}

TEST_F(ApiWithin, EachCallOfTheHandleHasTheWholeLimit) {
  answer(200, kPodJson);
  const Api<Pod> quick = pods.within(3s);
  EXPECT_TRUE(quick.get("a"));
  executor->run_for(10s);
  EXPECT_TRUE(quick.get("a"));
  EXPECT_EQ(last_request().timeout, 3s);
  EXPECT_TRUE(pods.get("a"));
  EXPECT_EQ(last_request().timeout, std::nullopt) << "another handle has none";
  EXPECT_EQ(quick, pods.within(3s));
  EXPECT_NE(quick, pods);
}

TEST_F(ApiWithin, TheLimitIsThatOfAllAttemptsAndOfThePausesBetweenThem) {
  throttle("2");
  const auto pod = pods.within(5s).get("a");
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code(), ErrorCode::Timeout);
  EXPECT_THAT(pod.error().to_string(), HasSubstr("the call did not end within 5s: "));
  EXPECT_THAT(pod.error().to_string(), HasSubstr("slow down")) << "why it took so long";
  EXPECT_EQ(sent(), 3U);
  EXPECT_EQ(last_request().timeout, 1s) << "what was left";
  EXPECT_EQ(elapsed(), 4s) << "a wait that can't succeed is not begun";
}

TEST_F(ApiWithin, TheWaitForTheRateLimitCounts) {
  answer(200, kPodJson);
  const Api<Pod> limited = of({.host = "https://h", .qps = 0.1F, .burst = 1});
  EXPECT_TRUE(limited.get("a"));
  const auto pod = limited.within(3s).get("a");
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code(), ErrorCode::Timeout);
  EXPECT_THAT(pod.error().to_string(), HasSubstr("the call did not end within 3s: client rate"));
  EXPECT_EQ(sent(), 1U);
  EXPECT_TRUE(limited.within(20s).get("a")) << "what is not over is waited for";
}

TEST_F(ApiWithin, TheTimeoutOfTheConfigurationStillLimitsAnAttempt) {
  const Api<Pod> impatient = of({.host = "https://h", .timeout = 2s});
  const auto early = impatient.within(10s).get("a");
  ASSERT_FALSE(early);
  EXPECT_EQ(elapsed(), 2s);
  EXPECT_THAT(early.error().to_string(), Not(HasSubstr("10s")));
  const auto late = impatient.within(1s).get("a");
  EXPECT_EQ(elapsed(), 3s);
  EXPECT_THAT(late.error().to_string(), HasSubstr("did not end within 1s"));
  // The limit of a list goes to the server, as without within().
  EXPECT_FALSE(impatient.within(10s).list({.timeout_seconds = 4}));
  EXPECT_EQ(elapsed(), 7s);
  EXPECT_THAT(sent_line(), HasSubstr("timeout=4s"));
}

TEST_F(ApiWithin, ALongLimitLeavesTheLimitOfSilence) {
  const auto pod = pods.within(5min).get("a");
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code(), ErrorCode::Timeout);
  EXPECT_THAT(pod.error().to_string(), Not(HasSubstr("5m")));
  EXPECT_EQ(elapsed(), 90s);
}

TEST_F(ApiWithin, TablesHaveTheLimit) {
  const TableApi tables(pods.within(3s).raw());
  const auto one = tables.get("a");
  ASSERT_FALSE(one);
  EXPECT_THAT(one.error().to_string(), HasSubstr("the call did not end within 3s"));
  EXPECT_FALSE(tables.list());
  EXPECT_EQ(elapsed(), 6s);
  server->on("", "*", [&](ScriptedCall call) {
    timers.push_back(executor->submit_after(
        3s, [=]() mutable { call.fail(Error(ErrorCode::Timeout, "no response began")); }));
  });
  const auto watch = tables.watch();
  ASSERT_FALSE(watch);
  EXPECT_THAT(watch.error().to_string(), HasSubstr("the call did not end within 3s"));
  EXPECT_EQ(last_request().head_timeout, 3s);
}

TEST_F(ApiWithin, AllPagesOfATableShareTheLimit) {
  answer_late(2s, R"({"kind":"Table","apiVersion":"meta.k8s.io/v1",)"
                  R"("metadata":{"resourceVersion":"5","continue":"next"},)"
                  R"("columnDefinitions":[],"rows":[{"cells":["a"]},{"cells":["b"]}]})");
  std::size_t rows = 0;
  const auto all = TableApi(pods.within(3s).raw())
                       .for_each_page({.limit = 2}, [&](const meta::Table& page) -> Result<void> {
                         rows += page.rows.size();
                         return {};
                       });
  ASSERT_FALSE(all);
  EXPECT_THAT(all.error().to_string(), HasSubstr("did not end within 3s"));
  EXPECT_EQ(rows, 2U) << "the second page is too late";
  EXPECT_EQ(elapsed(), 3s);
}

TEST_F(ApiWithin, ProxiesHaveTheLimit) {
  const auto page = get_proxied(pods.within(3s).raw(), "", "a", "80", "", {}).do_raw();
  ASSERT_FALSE(page);
  EXPECT_THAT(page.error().to_string(), HasSubstr("the call did not end within 3s"));
  EXPECT_EQ(elapsed(), 3s);
}

TEST_F(ApiWithin, TheTextsOfACallThatHasBegunShareItsLimit) {
  const Api<Pod> call(pods.within(3s).raw().started());
  executor->run_for(2s);
  EXPECT_FALSE(call.logs("a").do_raw());
  EXPECT_EQ(elapsed(), 3s);
  EXPECT_FALSE(get_proxied(call.raw(), "", "a", "80", "", {}).do_raw());
  EXPECT_EQ(elapsed(), 3s);
  EXPECT_EQ(sent(), 1U) << "nothing is sent after the deadline";
  EXPECT_FALSE(call.logs("a").within(1s).do_raw());
  EXPECT_EQ(elapsed(), 4s) << "a limit of its own begins with its use";
}

TEST_F(ApiWithin, AllPagesOfAListShareTheLimit) {
  answer_late(2s, R"({"metadata":{"resourceVersion":"5","continue":"next"},"items":[{},{}]})");
  std::size_t visited = 0;
  const auto all = pods.within(3s).for_each({.limit = 2}, [&](const Pod&) -> Result<void> {
    ++visited;
    return {};
  });
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code(), ErrorCode::Timeout);
  EXPECT_THAT(all.error().to_string(), HasSubstr("did not end within 3s"));
  EXPECT_EQ(visited, 2U) << "the second page is too late";
  EXPECT_EQ(elapsed(), 3s);
}

TEST_F(ApiWithin, ThePausesBetweenEmptyPagesEndWithTheLimit) {
  int page = 0;
  server->on("", "*", [&](ScriptedCall call) {
    call.respond(200, R"({"metadata":{"resourceVersion":"5","continue":"p)" +
                          std::to_string(++page) + R"("},"items":[]})");
  });
  const auto all = pods.within(3s).list_all();
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(elapsed(), 3s);
}

TEST_F(ApiWithin, AWriteThatIsSentAgainInJsonHasOneLimit) {
  // The server refuses protobuf after two seconds, and is silent then.
  server->once("", "*", [&](ScriptedCall call) {
    timers.push_back(executor->submit_after(2s, [=]() mutable {
      call.respond(415, status_json(415, "UnsupportedMediaType", "json only"));
    }));
  });
  const auto pod = of({.host = "https://h"}).within(3s).create(Pod{});
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(sent(), 2U);
  EXPECT_EQ(elapsed(), 3s);
}

TEST_F(ApiWithin, ADeletionThatIsSentAgainInJsonHasOneLimit) {
  server->once("", "*", [&](ScriptedCall call) {
    timers.push_back(executor->submit_after(2s, [=]() mutable {
      call.respond(415, status_json(415, "UnsupportedMediaType", "json only"));
    }));
  });
  EXPECT_FALSE(of({.host = "https://h"}).within(3s).delete_("a"));
  EXPECT_EQ(sent(), 2U);
  EXPECT_EQ(elapsed(), 3s);
}

TEST_F(ApiWithin, AWatchHasToBeginInTimeAndMayThenGoOn) {
  server->on("", "*", [&](ScriptedCall call) {
    timers.push_back(executor->submit_after(
        10s, [=]() mutable { call.fail(Error(ErrorCode::Timeout, "no response began")); }));
  });
  const auto late = pods.within(10s).watch();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
  EXPECT_THAT(late.error().to_string(), HasSubstr("the call did not end within 10s: "));
  EXPECT_EQ(last_request().head_timeout, 10s);
  EXPECT_EQ(last_request().timeout, std::nullopt);
  EXPECT_EQ(sent(), 1U);

  EXPECT_FALSE(pods.within(1min).watch());
  EXPECT_EQ(sent(), 7U);
  EXPECT_EQ(last_request().head_timeout, 5s) << "what five attempts and pauses have left";

  // Without the limit, this is a watch that has ended.
  const Api<Pod> once = of({.host = "https://h", .retry = {.max_retries = 0}});
  EXPECT_TRUE(once.watch());
  EXPECT_FALSE(once.within(10s).watch());

  server->on("", "*", [](ScriptedCall call) { call.head(); });
  auto watch = pods.within(1s).watch();
  ASSERT_TRUE(watch);
  const Timer timer = stop_after(1h);
  const auto event = watch->next(stop.get_token());
  ASSERT_TRUE(event);
  EXPECT_EQ(event->error().code(), ErrorCode::Cancelled) << "it goes on";
}

TEST_F(ApiWithin, ALimitOfNothingSendsNothing) {
  answer(200, kPodJson);
  for (const Duration limit : {Duration(0s), Duration(-1s)}) {
    const auto pod = pods.within(limit).get("a");
    ASSERT_FALSE(pod);
    EXPECT_EQ(pod.error().code(), ErrorCode::Timeout);
  }
  EXPECT_EQ(sent(), 0U);
  EXPECT_TRUE(pods.within(Duration::max()).get("a")) << "for ever is no limit";
  EXPECT_EQ(last_request().timeout, std::nullopt);
}

TEST_F(ApiWithin, AStopRequestEndsTheCallBefore) {
  const Timer timer = stop_after(1s);
  const auto pod = pods.within(3s).get("a", {}, stop.get_token());
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code(), ErrorCode::Cancelled);
}

TEST_F(ApiWithin, OfAStreamOfTextItIsTheTimeUntilItBegins) {
  server->on("", "*", [](ScriptedCall call) { call.head(200, {}); });
  Request request{.verb = "get", .path = "/log"};
  request.bound = pods.within(3s).raw().bound();
  const auto stream = TextRequest(client.rest(), request).stream();
  ASSERT_TRUE(stream);
  EXPECT_EQ(last_request().head_timeout, 3s);
  EXPECT_EQ(last_request().timeout, std::nullopt);
}

}  // namespace
}  // namespace kube
