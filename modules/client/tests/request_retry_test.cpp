// SPDX-License-Identifier: Apache-2.0
//
// What RestClient::send() tries again, and when.
#include <kube/client/rest_client.hpp>

#include <kube/meta/errors.hpp>
#include <kube/transport/exchange_failure.hpp>

#include "client_fixture.hpp"
#include "request_retries.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class RequestRetry : public ClientTest {
 protected:
  Result<transport::HttpResponse> send(const Request& request) {
    return client.send(request, stop.get_token());
  }
  void throttle(const std::string& seconds, int status = 429) {
    next_answer(status, "", {{"Retry-After", seconds}});
  }
  RestClient client = make();
  const rest::RetryPolicy never{.max_retries = 0};
};

TEST_F(RequestRetry, TheEleventhRefusalOfAReadIsFinal) {
  std::size_t before = 0;
  for (const int code : {429, 500, 502, 503, 504, 599}) {
    answer(code, "", {{"Retry-After", "1"}});
    const auto begin = elapsed();
    const auto response = send({.path = "/x"});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().http_status(), code);
    EXPECT_EQ(sent() - before, 11U) << code;
    EXPECT_EQ(elapsed() - begin, 10s) << code;
    before = sent();
  }
}

TEST_F(RequestRetry, RETRY_02_TheBudgetIsTheRequests) {
  throttle("1");
  EXPECT_FALSE(send({.path = "/x", .retry = never}));
  EXPECT_EQ(sent(), 1U);
  throttle("1");
  next_answer(200);
  EXPECT_TRUE(send({.path = "/x", .retry = rest::RetryPolicy{.max_retries = 1}}));
  EXPECT_EQ(sent(), 3U);
}

TEST_F(RequestRetry, ThePolicyOfAConfigIsThatOfItsRequestsUnlessOneHasItsOwn) {
  answer(429, "", {{"Retry-After", "1"}});
  const auto attempts = [&](const Request& request) {
    const std::size_t before = sent();
    EXPECT_FALSE(send(request));
    return sent() - before;
  };
  client = make({.host = "https://h", .retry = never});
  EXPECT_EQ(attempts({.path = "/x"}), 1U);
  EXPECT_EQ(attempts({.method = "POST", .path = "/x"}), 1U);
  EXPECT_EQ(attempts({.path = "/x", .retry = rest::RetryPolicy{.max_retries = 2}}), 3U);
  EXPECT_EQ(attempts({.path = "/x", .retry = rest::RetryPolicy{}}), 11U);
  client = make({.host = "https://h", .retry = {.max_retries = 3}});
  EXPECT_EQ(attempts({.path = "/x"}), 4U);
  EXPECT_EQ(attempts({.path = "/x", .retry = never}), 1U);
}

TEST_F(RequestRetry, APolicyMayRepeatReadsAlone) {
  client = make({.host = "https://h", .retry = {.retry_writes = false}});
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    throttle("1");
    EXPECT_FALSE(send({.method = method, .path = "/x"})) << method;
  }
  EXPECT_EQ(sent(), 4U);
  for (const char* method : {"GET", "HEAD"}) {
    throttle("1");
    next_answer(200);
    EXPECT_TRUE(send({.method = method, .path = "/x"})) << method;
  }
  EXPECT_EQ(sent(), 8U);
  throttle("1");
  next_answer(200);
  EXPECT_TRUE(send({.method = "POST", .path = "/x", .retry = rest::RetryPolicy{}}));
}

TEST_F(RequestRetry, APolicySaysWhetherAndWhenALostConnectionIsRepeated) {
  const auto reset = [&] { server->once("", "*", [](ScriptedCall call) { call.reset(); }); };
  const rest::RetryPolicy refusals_alone{.retry_lost_connections = false};
  reset();
  EXPECT_EQ(send({.path = "/x", .retry = refusals_alone}).error().code(), ErrorCode::Unreachable);
  EXPECT_EQ(sent(), 1U);
  throttle("1");
  next_answer(200);
  EXPECT_TRUE(send({.path = "/x", .retry = refusals_alone}));
  EXPECT_EQ(elapsed(), 1s);

  reset();
  reset();
  next_answer(200);
  EXPECT_TRUE(send({.path = "/x", .retry = rest::RetryPolicy{.lost_connection_delay = 10s}}));
  EXPECT_EQ(elapsed(), 21s);
  for (int i = 0; i < 3; ++i) reset();
  next_answer(200);
  EXPECT_TRUE(send({.path = "/x", .retry = rest::RetryPolicy{.lost_connection_delay = 0ms}}));
  EXPECT_EQ(elapsed(), 21s + 0ms + 100ms + 200ms) << "no loop without pause";
}

TEST_F(RequestRetry, RETRY_03_TheWholeBodyIsSentEachTime) {
  const std::string body(4000, 'x');
  for (int i = 0; i < 4; ++i) throttle("1");
  next_answer(201);
  EXPECT_TRUE(send({.method = "POST", .path = "/x", .body = body}));
  ASSERT_EQ(sent(), 5U);
  for (const auto& request : server->requests()) EXPECT_EQ(request.body, body);
}

TEST_F(RequestRetry, RETRY_04_EachRetryWaitsAndTheFirstSendDoesNot) {
  std::vector<Duration> sent_at;
  for (const int code : {429, 429, 429, 429, 200}) {
    server->once("", "*", [&, code](ScriptedCall call) {
      sent_at.push_back(elapsed());
      call.respond(code, "", {{"Retry-After", "1"}});
    });
  }
  EXPECT_TRUE(send({.path = "/x"}));
  EXPECT_THAT(sent_at, ::testing::ElementsAre(0s, 1s, 2s, 3s, 4s));
}

TEST_F(RequestRetry, WaitsAsLongAsTheServerAsks) {
  throttle("1");
  throttle("30", 503);
  throttle("0");
  next_answer(200);
  const auto response = send({.path = "/x"});
  ASSERT_TRUE(response) << response.error().to_string();
  EXPECT_EQ(elapsed(), 31s);
}

TEST_F(RequestRetry, AServerThatAsksForMoreTimeThanIsLeftIsTheError) {
  answer(429, status_json(429, "TooManyRequests", "busy"), {{"Retry-After", "50"}});
  const auto response = send({.path = "/x", .timeout = 32s});
  ASSERT_FALSE(response);
  EXPECT_EQ(sent(), 1U);
  EXPECT_EQ(elapsed(), 0s);
  EXPECT_EQ(response.error().http_status(), 429);
  EXPECT_EQ(response.error().retry_after(), 50s);
  EXPECT_THAT(response.error().message(),
              HasSubstr("busy; the server asks for a retry after 50 s, and the deadline comes "
                        "before"));
}

TEST_F(RequestRetry, RetryAfterZeroIsObeyedOnceAndThenPaused) {
  answer(429, "", {{"Retry-After", "0"}});
  EXPECT_FALSE(send({.path = "/x"}));
  EXPECT_EQ(sent(), 11U);
  EXPECT_EQ(elapsed(), 0ms + 100ms + 200ms + 400ms + 800ms + 5 * 1s);
}

TEST_F(RequestRetry, RETRY_07_AReadWhoseConnectionBrokeIsRepeatedAfterASecond) {
  for (int i = 0; i < 2; ++i) {
    server->once("", "*", [](ScriptedCall call) { call.reset(); });
  }
  next_answer(200);
  EXPECT_TRUE(send({.path = "/x"}));
  EXPECT_EQ(sent(), 3U);
  EXPECT_EQ(elapsed(), 2s);
}

TEST_F(RequestRetry, RETRY_08_AWriteWhoseConnectionBrokeIsNot) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    server->once("", "*", [](ScriptedCall call) { call.reset(); });
    const auto response = send({.method = method, .path = "/x"});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code(), ErrorCode::Unreachable);
  }
  EXPECT_EQ(sent(), 4U);
}

TEST_F(RequestRetry, AWriteThatAGatewayGaveUpIsNotRepeated) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    for (const auto& [status, attempts] :
         {std::pair(502, 1U), std::pair(504, 1U), std::pair(500, 2U), std::pair(503, 2U),
          std::pair(429, 2U)}) {
      const std::size_t before = sent();
      throttle("1", status);
      answer(200);
      (void)send({.method = method, .path = "/x"});
      EXPECT_EQ(sent() - before, attempts) << method << " " << status;
    }
  }
}

TEST_F(RequestRetry, AServerThatIsDownIsReportedAtOnce) {
  server->set_down(true);
  EXPECT_EQ(send({.path = "/x"}).error().message(), "connection refused");
  EXPECT_EQ(sent(), 1U);
}

TEST_F(RequestRetry, OnlyThrottlingAndServerErrorsWithSecondsAreRepeated) {
  const auto once_only = [&](int status, transport::Headers headers) {
    const std::size_t before = sent();
    next_answer(status, "", std::move(headers));
    EXPECT_FALSE(send({.path = "/x"}));
    EXPECT_EQ(sent(), before + 1) << status;
  };
  once_only(429, {});
  once_only(503, {});
  once_only(503, {{"Retry-After", "Wed, 21 Oct 2926 07:28:00 GMT"}});  // too late
  once_only(503, {{"Retry-After", "-1"}});
  once_only(404, {{"Retry-After", "1"}});
  once_only(301, {{"Retry-After", "1"}});
}

TEST_F(RequestRetry, RETRY_12_TheFinalErrorMentionsThePreviousOne) {
  throttle("1");
  next_answer(404, status_json(404, "NotFound", "no such pod"));
  const auto response = send({.verb = "get", .path = "/x", .subject = "pods \"a\""});
  ASSERT_FALSE(response);
  EXPECT_TRUE(is_not_found(response.error()));
  EXPECT_EQ(response.error().to_string(),
            "get pods \"a\": no such pod - error from a previous attempt: the server has received "
            "too many requests and has asked us to try again later: HTTP 429 without a body");
  throttle("1");
  next_answer(429, "");
  EXPECT_EQ(
      send({.verb = "get", .path = "/x"}).error().to_string(),
      "get /x: GET https://h/x: the server has received too many requests and has asked us to try "
      "again later: HTTP 429 without a body");
}

TEST_F(RequestRetry, RETRY_14_AStopRequestBetweenAttemptsNamesThePreviousError) {
  throttle("60", 503);
  const Timer timer = stop_after(5s);
  const auto response = send({.verb = "get", .path = "/x"});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(
      response.error().to_string(),
      "get /x: stopped while waiting to try again - error from a previous attempt: the server "
      "is currently unable to handle the request: HTTP 503 without a body");
  EXPECT_EQ(elapsed(), 5s);
  EXPECT_EQ(sent(), 1U);
}

TEST_F(RequestRetry, ATimeoutBoundsAllAttemptsTogether) {
  throttle("2");
  throttle("2");
  next_answer(200);
  EXPECT_TRUE(send({.path = "/x", .timeout = 10s}));
  EXPECT_EQ(last_request().timeout, 6s);
  throttle("60");
  const auto late = send({.path = "/x", .timeout = 10s});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().http_status(), 429);
  EXPECT_EQ(late.error().retry_after(), 60s);
  EXPECT_EQ(elapsed(), 4s) << "a wait that can't succeed is not begun";
}

TEST_F(RequestRetry, AYearsRetryAfterIsNotWaitedForAndTheErrorNamesIt) {
  for (const auto& [method, status] : {std::pair("GET", 429), std::pair("POST", 503)}) {
    throttle("31536000", status);
    const std::size_t before = sent();
    const auto response = send({.method = method, .path = "/x"});
    ASSERT_FALSE(response);
    EXPECT_EQ(sent(), before + 1);
    EXPECT_EQ(response.error().http_status(), status);
    EXPECT_EQ(response.error().retry_after(), 31536000s);
    EXPECT_THAT(response.error().to_string(),
                HasSubstr("the server asks for a retry after 31536000 s, more "
                          "than the maximum of 60 s"));
  }
  EXPECT_EQ(elapsed(), 0s);
}

TEST_F(RequestRetry, HowLongAServerMayAskToWaitIsOfThePolicy) {
  throttle("61");
  next_answer(200);
  EXPECT_TRUE(send({.path = "/x", .retry = rest::RetryPolicy{.max_retry_after = 61s}}));
  EXPECT_EQ(elapsed(), 61s);
  throttle("1");
  EXPECT_FALSE(send({.path = "/x", .retry = rest::RetryPolicy{.max_retry_after = 0s}}));
  client = make({.host = "https://h", .retry = {.max_retry_after = 5s}});
  throttle("6");
  EXPECT_THAT(send({.path = "/x"}).error().message(),
              HasSubstr("a retry after 6 s, more than the maximum of 5 s"));
  EXPECT_EQ(elapsed(), 61s);
}

TEST_F(RequestRetry, ARefusalWithoutRetryAfterIsRepeatedByTheBackoffOfThePolicy) {
  next_answer(429);
  EXPECT_EQ(send({.path = "/x"}).error().http_status(), 429) << "no policy has one at first";
  EXPECT_EQ(sent(), 1U);

  std::vector<Duration> sent_at;
  for (const int status : {429, 500, 502, 503, 504, 429, 503, 200}) {
    server->once("", "*", [this, &sent_at, status](ScriptedCall call) {
      sent_at.push_back(elapsed());
      call.respond(status, "");
    });
  }
  client = make({.host = "https://h", .retry = {.refusal_backoff = 800ms}});
  EXPECT_TRUE(send({.path = "/x"}));
  ASSERT_EQ(sent_at.size(), 8U);
  Duration least = 800ms;
  for (std::size_t i = 1; i < sent_at.size(); ++i) {
    const Duration delay = sent_at[i] - sent_at[i - 1];
    EXPECT_GE(delay, least) << i;
    EXPECT_LE(delay, 2 * least) << i;
    least = std::min<Duration>(2 * least, 30s);
  }

  answer(503, "");
  const std::size_t before = sent();
  EXPECT_EQ(send({.path = "/x"}).error().http_status(), 503);
  EXPECT_EQ(sent() - before, 11U);
}

TEST_F(RequestRetry, AWriteThatMayBeDoneIsNotRepeatedByTheBackoffOfThePolicy) {
  client = make({.host = "https://h", .retry = {.refusal_backoff = 1s}});
  for (const int status : {500, 503}) {
    next_answer(status);
    EXPECT_EQ(send({.method = "POST", .path = "/x"}).error().http_status(), status);
  }
  EXPECT_EQ(sent(), 2U);
  next_answer(429);
  next_answer(201);
  EXPECT_TRUE(send({.method = "POST", .path = "/x"}));
  next_answer(429);
  EXPECT_FALSE(send({.method = "POST",
                     .path = "/x",
                     .retry = rest::RetryPolicy{.retry_writes = false, .refusal_backoff = 1s}}));
  EXPECT_EQ(sent(), 5U);
}

TEST_F(RequestRetry, ATimeThatTheServerAsksForGoesBeforeTheBackoffOfThePolicy) {
  client = make({.host = "https://h", .retry = {.refusal_backoff = 10s}});
  throttle("3");
  next_answer(200);
  EXPECT_TRUE(send({.path = "/x"}));
  EXPECT_EQ(elapsed(), 3s);
  throttle("61");
  EXPECT_FALSE(send({.path = "/x"})) << "longer than the policy obeys";
  EXPECT_EQ(elapsed(), 3s);
}

TEST_F(RequestRetry, ARetryAfterBeyondAllMeasureCountsAsNone) {
  for (const char* seconds : {"99999999999999999999", "1e9", "", " 1", "1 ", "0x1", "1.5", "+1"}) {
    throttle(seconds);
    const auto response = send({.path = "/x"});
    ASSERT_FALSE(response) << seconds;
    EXPECT_EQ(response.error().retry_after(), std::nullopt) << seconds;
  }
  // Of a Status it is an int32; as nanoseconds this one would not fit into a Duration.
  next_answer(429, R"({"kind":"Status","status":"Failure","code":429,)"
                   R"("details":{"retryAfterSeconds":9223372036854775807}})");
  EXPECT_EQ(send({.path = "/x"}).error().retry_after(), 2147483647s);
  EXPECT_EQ(elapsed(), 0s);
}

TEST_F(RequestRetry, ADateInRetryAfterIsWaitedFor) {
  ASSERT_EQ(executor->clock()->wall_now(), WallTime(std::chrono::seconds(1'767'225'600)))
      << "2026-01-01T00:00:00Z";
  std::vector<Duration> sent_at;
  const auto answer_once = [&](int status, const char* retry_after) {
    server->once("", "*", [this, &sent_at, status, retry_after](ScriptedCall call) {
      sent_at.push_back(elapsed());
      call.respond(status, "", {{"Retry-After", retry_after}});
    });
  };
  answer_once(429, "Thu, 01 Jan 2026 00:00:07 GMT");
  answer_once(503, "Thursday, 01-Jan-26 00:00:30 GMT");
  answer_once(429, "Thu Jan  1 00:01:30 2026");
  answer_once(200, "");
  const auto response = send({.path = "/x"});
  ASSERT_TRUE(response) << response.error().to_string();
  EXPECT_THAT(sent_at, ::testing::ElementsAre(0s, 7s, 30s, 90s));

  throttle("Thu, 01 Jan 2026 00:02:31 GMT");
  EXPECT_THAT(send({.path = "/x"}).error().message(),
              HasSubstr("a retry after 61 s, more than the maximum of 60 s"));
  EXPECT_EQ(elapsed(), 90s);
}

TEST_F(RequestRetry, RetriesPassThroughTheRateLimitToo) {
  client = make({.host = "https://h", .qps = 0.1F, .burst = 1});
  throttle("1");
  next_answer(200);
  EXPECT_TRUE(send({.path = "/x"}));
  EXPECT_GE(elapsed(), 9s);
}

TEST_F(RequestRetry, TheClientsOfAConfigAndItsCopiesShareItsLimit) {
  const rest::Config config{.host = "https://h", .qps = 1, .burst = 1};
  rest::Config faster = config;
  faster.qps = 100;
  answer(200);
  const RestClient one = make(config);
  const RestClient other = make(config);
  EXPECT_TRUE(one.send({.path = "/x"}, {}));
  EXPECT_TRUE(make(faster).send({.path = "/x"}, {}));
  EXPECT_EQ(elapsed(), 0s) << "a copy with another rate has a limit of its own";
  EXPECT_TRUE(other.send({.path = "/x"}, {}));
  EXPECT_GE(elapsed(), 900ms);
}

using transport::ExchangeFailure;

// The names of hosts are part of these texts.
TEST(ConnectionLost, IsWhatTheTransportSaysAndNotTheText) {
  const auto error = [](ErrorCode code, std::optional<ExchangeFailure> how) {
    const Error plain(code, "Could not resolve host: geoff-http2.reset.died.example");
    return how ? transport::with_exchange_failure(plain, *how) : plain;
  };
  struct Case {
    ErrorCode code;
    std::optional<ExchangeFailure> how;
    bool lost;
    bool doubt;
  };
  int number = 0;
  for (const Case& c : {
           Case{ErrorCode::Unreachable, std::nullopt, false, false},
           Case{ErrorCode::Unreachable, ExchangeFailure::NoConnection, false, false},
           Case{ErrorCode::Unreachable, ExchangeFailure::NoCredentials, false, false},
           Case{ErrorCode::Unreachable, ExchangeFailure::LostBeforeRequest, true, false},
           Case{ErrorCode::Unreachable, ExchangeFailure::LostAfterRequest, true, true},
           Case{ErrorCode::Unreachable, ExchangeFailure::BadResponse, false, true},
           Case{ErrorCode::Credentials, ExchangeFailure::LostAfterRequest, false, true},
           Case{ErrorCode::Credentials, ExchangeFailure::NoConnection, false, false},
           Case{ErrorCode::Credentials, std::nullopt, false, false},
           Case{ErrorCode::Timeout, std::nullopt, false, true},
           Case{ErrorCode::Timeout, ExchangeFailure::NoConnection, false, false},
           Case{ErrorCode::Timeout, ExchangeFailure::NoCredentials, false, false},
       }) {
    const Error found = error(c.code, c.how);
    EXPECT_EQ(is_connection_lost(found), c.lost) << number;
    EXPECT_EQ(may_be_carried_out(found), c.doubt) << number++;
  }
}

TEST_F(RequestRetry, AHostThatHasTheWordsOfALostConnectionIsReportedAtOnce) {
  server->on("", "*", [](ScriptedCall call) {
    call.fail(Error(ErrorCode::Unreachable, "Could not resolve host: geoff.invalid"));
  });
  EXPECT_FALSE(send({.path = "/x"}));
  const auto deleted = send({.method = "DELETE", .path = "/x"});
  EXPECT_EQ(sent(), 2U);
  EXPECT_EQ(deleted.error().message(), "Could not resolve host: geoff.invalid");
}

}  // namespace
}  // namespace kube
