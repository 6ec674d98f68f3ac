// SPDX-License-Identifier: Apache-2.0
//
// URLs, headers, answers and errors of RestClient. What is tried again is in retry_test.cpp.
#include <kube/client/rest_client.hpp>

#include <thread>
#include <type_traits>

#include <kube/meta/errors.hpp>
#include <kube/testing/fake_clock.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

static_assert(!std::is_default_constructible_v<RestClient>, "only create() makes clients");
static_assert(std::is_copy_constructible_v<RestClient> && std::is_copy_assignable_v<RestClient>);
static_assert(std::equality_comparable<RestClient>);

class RestClientTest : public ClientTest {
 protected:
  Result<transport::HttpResponse> send(const RestClient& client, const Request& request) {
    return client.send(request, stop.get_token());
  }
  std::string line_for(const rest::Config& config, const Request& request) {
    answer(200);
    EXPECT_TRUE(send(make(config), request));
    return request_line(last_request());
  }
};

TEST_F(RestClientTest, URL_03_URL_07_TheHostsBasePathGoesInFront) {
  const Request request{.verb = "list", .path = "/api/v1/pods"};
  EXPECT_EQ(line_for({.host = "https://h"}, request), "GET /api/v1/pods");
  EXPECT_EQ(last_request().url, "https://h/api/v1/pods");
  EXPECT_EQ(line_for({.host = "https://h/prefix"}, request), "GET /prefix/api/v1/pods");
  EXPECT_EQ(line_for({.host = "https://h/prefix/?q=1#f"}, request), "GET /prefix/api/v1/pods");
  EXPECT_EQ(line_for({.host = "http://h:8080//"}, request), "GET /api/v1/pods");
}

TEST_F(RestClientTest, URL_16_ParametersAreSortedAndRepeatedOnesKeepTheirOrder) {
  EXPECT_EQ(line_for({}, {.path = "/x", .query = {{"c", "2"}, {"a", "x y"}, {"c", "1"}}}),
            "GET /x?a=x+y&c=2&c=1");
  EXPECT_EQ(line_for({}, {.path = "/x", .query = {{"labelSelector", "app in (a,b),!c/d"}}}),
            "GET /x?labelSelector=app+in+%28a%2Cb%29%2C%21c%2Fd");
}

TEST_F(RestClientTest, URL_17_ATimeoutIsToldInGosNotation) {
  EXPECT_EQ(line_for({}, {.path = "/x", .timeout = 10s}), "GET /x?timeout=10s");
  EXPECT_EQ(line_for({}, {.path = "/x", .query = {{"timeout", "1s"}}, .timeout = 60s}),
            "GET /x?timeout=1m0s");
  EXPECT_EQ(line_for({}, {.path = "/x", .timeout = 0s}), "GET /x");
  EXPECT_EQ(line_for({}, {.path = "/x", .timeout = 1500ms}), "GET /x?timeout=1.5s");
}

TEST_F(RestClientTest, HeadersOfRequestsWithAndWithoutBody) {
  line_for({.host = "https://h", .user_agent = "mine"}, {.path = "/x"});
  EXPECT_EQ(header(last_request(), "Accept"), "application/json");
  EXPECT_EQ(header(last_request(), "User-Agent"), "mine");
  EXPECT_EQ(header(last_request(), "Content-Type"), "none");
  line_for({.host = "https://h"}, {.method = "POST", .path = "/x", .body = "{}"});
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/json");
  EXPECT_EQ(last_request().body, "{}");
  line_for({.host = "https://h"}, {.method = "PATCH",
                                   .path = "/x",
                                   .body = "{}",
                                   .content_type = "application/merge-patch+json",
                                   .accept = "text/plain"});
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(header(last_request(), "Accept"), "text/plain");
}

TEST_F(RestClientTest, UserAgentDefaultsToProgramAndLibrary) {
  line_for({.host = "https://h"}, {.path = "/x"});
  EXPECT_EQ(header(last_request(), "User-Agent"), rest::default_user_agent());
}

TEST_F(RestClientTest, TRN_25_CredentialsOfTheConfigAreSent) {
  line_for({.host = "https://h", .bearer_token = "abc"}, {.path = "/x"});
  EXPECT_EQ(header(last_request(), "Authorization"), "Bearer abc");
  line_for({.host = "https://h", .username = "user", .password = "pw"}, {.path = "/x"});
  EXPECT_EQ(header(last_request(), "Authorization"), "Basic dXNlcjpwdw==");
}

TEST_F(RestClientTest, CopiesAreEqualAndShareWhatTheyHave) {
  const RestClient client = make();
  const RestClient copy = client;
  EXPECT_EQ(client, copy);
  EXPECT_NE(client, make());
}

TEST_F(RestClientTest, CreateRefusesWhatCanNeverWork) {
  EXPECT_EQ(RestClient::create({.host = "ftp://h"}, runtime, server).error().code(),
            ErrorCode::Config);
  EXPECT_EQ(RestClient::create({.host = "https://h"}, Runtime{}, server).error().code(),
            ErrorCode::InvalidArgument);
}

TEST_F(RestClientTest, REST_20_RESP_01_AnswersFrom200To206AreGood) {
  for (const int code : {200, 201, 202, 204, 206}) {
    for (const char* body : {"", "{}"}) {
      next_answer(code, body);
      const auto response = send(make(), {.path = "/x"});
      ASSERT_TRUE(response) << code;
      EXPECT_EQ(response->status, code);
      EXPECT_EQ(response->body, body);
    }
  }
  for (const int code : {199, 207, 302, 304, 401, 403, 404, 409, 422, 500}) {
    next_answer(code, "");
    const auto response = send(make(), {.path = "/x"});
    ASSERT_FALSE(response) << code;
    EXPECT_EQ(response.error().http_status(), code);
    EXPECT_EQ(response.error().code(), ErrorCode::Server);
  }
}

TEST_F(RestClientTest, RESP_02_RESP_03_TextThatIsNoStatusIsNotTheMessage) {
  next_answer(401, "{not json");
  const auto json = send(make(), {.path = "/x"});
  ASSERT_FALSE(json);
  EXPECT_TRUE(is_unauthorized(json.error()));
  EXPECT_THAT(json.error().message(), Not(HasSubstr("not json")));
  next_answer(401, "go away", {{"Content-Type", "text/plain"}});
  EXPECT_EQ(
      send(make(), {.path = "/x"}).error().message(),
      "the server has asked for the client to provide credentials: HTTP 401 with a body of type "
      "text/plain");
}

TEST_F(RestClientTest, RESP_07_ConflictMeansAlreadyExistsForPosts) {
  answer(409, "");
  EXPECT_TRUE(is_already_exists(send(make(), {.method = "POST", .path = "/x"}).error()));
  EXPECT_TRUE(is_conflict(send(make(), {.method = "PUT", .path = "/x"}).error()));
}

TEST_F(RestClientTest, TheStatusInTheBodyIsTheError) {
  next_answer(400, status_json(404, "NotFound", "no such thing"));
  const auto response = send(make(), {.path = "/x"});
  ASSERT_FALSE(response);
  EXPECT_TRUE(is_not_found(response.error()));
  EXPECT_EQ(response.error().message(), "no such thing");
  ASSERT_NE(meta::status_of(response.error()), nullptr);
  EXPECT_EQ(meta::status_of(response.error())->status.at_path({"metadata"})->type_name(), "object");
}

TEST_F(RestClientTest, RESP_10_AMadeUpErrorNamesResourceAndName) {
  next_answer(404, "", {});
  const auto response =
      send(make(), {.path = "/x", .resource = {"apps", "deployments"}, .name = "web"});
  EXPECT_EQ(response.error().message(),
            "the server could not find the requested resource (get deployments.apps web): HTTP 404 "
            "without a body");
  EXPECT_TRUE(is_unexpected_server_error(response.error()));
}

TEST_F(RestClientTest, RESP_12_RetryAfterIsPartOfTheError) {
  answer(429, "", {{"Retry-After", "7"}});
  const auto response = send(make(), {.path = "/x", .retry = rest::RetryPolicy{.max_retries = 0}});
  EXPECT_EQ(response.error().retry_after(), 7s);
}

TEST_F(RestClientTest, ErrorsSayWhatWasDone) {
  server->on("", "*", [](ScriptedCall call) { call.refuse(); });
  const Request list{.verb = "list",
                     .path = "/api/v1/namespaces/x/pods",
                     .query = {{"limit", "5"}},
                     .subject = R"(pods in namespace "x")"};
  EXPECT_EQ(send(make(), list).error().to_string(),
            R"(list pods in namespace "x": GET https://h/api/v1/namespaces/x/pods: )"
            "connection refused");
  EXPECT_EQ(send(make(), list).error().code(), ErrorCode::Unreachable);
  answer(403, status_json(403, "Forbidden", "pods is forbidden"));
  EXPECT_EQ(send(make(), list).error().to_string(),
            R"(list pods in namespace "x": pods is forbidden)");
  EXPECT_EQ(send(make(), {.path = "/version"}).error().to_string(),
            "GET /version: pods is forbidden");
}

TEST_F(RestClientTest, REST_19_AStopRequestEndsTheWaitForAnAnswer) {
  const Timer timer = stop_after(5s);
  const auto response = send(make(), {.verb = "get", .path = "/x"});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(elapsed(), 5s);
  EXPECT_TRUE(server->take_request()->cancelled());
}

TEST_F(RestClientTest, NothingIsSentAfterAStopRequest) {
  stop.request_stop();
  EXPECT_EQ(send(make(), {.path = "/x"}).error().to_string(),
            "GET /x: stopped before the request was sent");
  EXPECT_EQ(sent(), 0U);
}

TEST_F(RestClientTest, REST_19_AStopRequestOfAnotherThreadEndsTheWait) {
  // Real threads: the client waits on the fake clock until the other thread asks to stop.
  const auto clock = std::make_shared<testing::FakeClock>();
  const auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1, .clock = clock});
  const auto silent = std::make_shared<ScriptedTransport>();
  const auto client = RestClient::create({.host = "https://h"}, {.executor = pool}, silent);
  ASSERT_TRUE(client);
  std::optional<Result<transport::HttpResponse>> response;
  {
    const std::jthread user(
        [&] { response = client->send({.verb = "get", .path = "/x"}, stop.get_token()); });
    const auto call = silent->await_request();
    ASSERT_TRUE(call);
    stop.request_stop();
    EXPECT_TRUE(call->await_cancelled());
  }
  EXPECT_EQ(response->error().code(), ErrorCode::Cancelled);
}

TEST_F(RestClientTest, REST_26_ManyThreadsShareAClientWithoutMixingAnswers) {
  const auto clock = std::make_shared<testing::FakeClock>();
  const auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1, .clock = clock});
  const auto echo = std::make_shared<ScriptedTransport>();
  echo->on("", "*", [](ScriptedCall call) { call.respond(200, call.path()); });
  const auto client =
      RestClient::create({.host = "https://h"}, {.executor = pool, .metrics = metrics}, echo);
  ASSERT_TRUE(client);
  {
    std::vector<std::jthread> users;
    for (int i = 0; i < 8; ++i) {
      users.emplace_back([&, i] {
        for (int round = 0; round < 20; ++round) {
          const std::string path = "/" + std::to_string(i) + "/" + std::to_string(round);
          EXPECT_EQ(client->send({.path = path}, {}).value().body, path);
        }
      });
    }
  }
  EXPECT_EQ(metrics->values()["rest_client_requests_total{code=200,method=GET,host=h}"], 160);
}

TEST_F(RestClientTest, TimeoutsAreThoseOfTheConfigUnlessTheRequestHasItsOwn) {
  const RestClient client = make({.host = "https://h", .timeout = 3s});
  answer(200);
  EXPECT_TRUE(send(client, {.path = "/x"}));
  EXPECT_EQ(last_request().timeout, 3s);
  EXPECT_EQ(request_line(last_request()), "GET /x") << "a setting of the client is not told";
  EXPECT_TRUE(send(client, {.path = "/x", .timeout = 5s}));
  EXPECT_EQ(last_request().timeout, 5s);
  EXPECT_TRUE(send(make(), {.path = "/x"}));
  EXPECT_EQ(last_request().timeout, std::nullopt);
}

TEST_F(RestClientTest, ASilentServerTimesOut) {
  const auto response = send(make({.host = "https://h", .timeout = 3s}), {.path = "/x"});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(elapsed(), 3s);
}

TEST_F(RestClientTest, AServerThatHangsTimesOutUnlessTheConfigSaysOtherwise) {
  const auto response = send(make(), {.path = "/x"});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(elapsed(), 90s);
  EXPECT_EQ(sent(), 1U) << "it may be at work on it";

  answer(200);
  const auto sent_with = [&](const rest::Config& config, const Request& request) {
    EXPECT_TRUE(send(make(config), request));
    return last_request().idle_timeout;
  };
  EXPECT_EQ(sent_with({.host = "https://h", .idle_timeout = 5s}, {.path = "/x"}), 5s);
  EXPECT_EQ(sent_with({.host = "https://h", .idle_timeout = 0s}, {.path = "/x"}), std::nullopt);
  EXPECT_EQ(sent_with({.host = "https://h"}, {.path = "/x", .idle_timeout = 7s}), 7s);
  EXPECT_EQ(sent_with({.host = "https://h"}, {.path = "/x", .idle_timeout = 0s}), std::nullopt);
}

TEST_F(RestClientTest, ALongerTimeoutRaisesTheLimitOfSilence) {
  answer(200);
  const auto limit = [&](const rest::Config& config, const Request& request) {
    EXPECT_TRUE(send(make(config), request));
    return last_request().idle_timeout;
  };
  EXPECT_EQ(limit({.host = "https://h"}, {.path = "/x", .timeout = 2min}), 2min);
  EXPECT_EQ(limit({.host = "https://h"}, {.path = "/x", .timeout = 2s}), 90s);
  EXPECT_EQ(limit({.host = "https://h", .timeout = 2min}, {.path = "/x"}), 2min);
  EXPECT_EQ(limit({.host = "https://h", .timeout = 2min}, {.path = "/x", .timeout = 3min}), 3min);
  for (const char* forwarded :
       {"/api/v1/namespaces/web/pods/a/proxy/slow", "/api/v1/namespaces/web/services/a:80/proxy",
        "/api/v1/nodes/n/proxy/metrics"}) {
    EXPECT_EQ(limit({.host = "https://h"}, {.path = forwarded}), std::nullopt) << forwarded;
  }
  for (const char* own : {"/api/v1/namespaces/proxy/pods/proxy", "/api/v1/nodes/proxy",
                          "/api/v1/namespaces/web/configmaps/a/proxy", "/proxy"}) {
    EXPECT_EQ(limit({.host = "https://h"}, {.path = own}), 90s) << own;
  }
}

TEST_F(RestClientTest, AWriteThatTimedOutOrWasCutOffSaysThatItMayHaveBeenCarriedOut) {
  const RestClient client = make();
  const Request write{.verb = "create", .method = "POST", .path = "/x"};
  EXPECT_THAT(send(client, write).error().to_string(),
              EndsWith("; the request may have been carried out"));
  server->once("", "*", [](ScriptedCall call) { call.reset(); });
  EXPECT_THAT(send(client, write).error().to_string(),
              EndsWith("; the request may have been carried out"));
  server->once("", "*", [](ScriptedCall call) { call.refuse(); });
  EXPECT_THAT(send(client, write).error().to_string(), Not(HasSubstr("carried out")));
  EXPECT_THAT(send(client, {.path = "/x"}).error().to_string(), Not(HasSubstr("carried out")));
}

TEST_F(RestClientTest, ARefusalWithoutAnEndIsReadForTenSeconds) {
  server->on("", "*", [](ScriptedCall call) {
    call.head(403, {{"Content-Type", "text/plain"}}).data("go away, and ");
  });
  const auto response = send(make(), {.verb = "get", .path = "/x"});
  ASSERT_FALSE(response);
  EXPECT_TRUE(is_forbidden(response.error()));
  EXPECT_THAT(response.error().to_string(), HasSubstr("go away, and"));
  EXPECT_EQ(elapsed(), 10s);
  EXPECT_EQ(server->open(), 0U);
}

TEST_F(RestClientTest, AnAnswerThatIsNoStatusIsToldFromWhereAndWhatItWas) {
  const RestClient client = make();
  const Request request{.verb = "get", .path = "/x", .subject = "pods \"a\""};
  const auto error = [&](int status, const char* body, transport::Headers headers) {
    next_answer(status, body, std::move(headers));
    return send(client, request).error().to_string();
  };
  EXPECT_EQ(
      error(502, "<html><head><title>502 Bad\nGateway</title></head><body>nginx</body></html>",
            {{"Content-Type", "text/html; charset=utf-8"}}),
      "get pods \"a\": GET https://h/x: an error on the server (\"502 Bad\\\\nGateway\") has "
      "prevented the request from succeeding: HTTP 502 with an HTML page (\"502 Bad\\nGateway\"), "
      "which no Kubernetes API server sends");
  EXPECT_EQ(
      error(302, "", {{"Location", "https://u:p@login/?session=1"}}),
      "get pods \"a\": GET https://h/x: the server responded with the status code 302 but did "
      "not return more information: HTTP 302 that redirects to https://login/, which is not "
      "followed");
  EXPECT_THAT(error(302, "", {{"Location", "/x"}}),
              HasSubstr("HTTP 302 that redirects to /x, which is not followed"))
      << "a circle";
  EXPECT_EQ(error(403, "no\x1b[2J\n", {{"Content-Type", "text/plain"}}),
            "get pods \"a\": GET https://h/x: no\\x1b[2J: HTTP 403 with a body of type text/plain");
}

TEST_F(RestClientTest, RCFG_04_TheRateLimitIsOffUnlessAsked) {
  answer(200);
  for (const float qps : {0.0F, -1.0F}) {
    const RestClient client = make({.host = "https://h", .qps = qps});
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(send(client, {.path = "/x"}));
  }
  EXPECT_EQ(elapsed(), 0s);
  const RestClient limited = make({.host = "https://h", .qps = 10});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(send(limited, {.path = "/x"}));
  EXPECT_EQ(elapsed(), 0s) << "a burst of 10 by default";
  EXPECT_TRUE(send(limited, {.path = "/x"}));
  EXPECT_EQ(elapsed(), 100ms);
}

TEST_F(RestClientTest, REST_17_TheRateLimitDoesNotEatTheRequestsTimeout) {
  answer(200);
  const RestClient client = make({.host = "https://h", .qps = 0.1F, .burst = 1});
  EXPECT_TRUE(send(client, {.path = "/x", .timeout = 1s}));
  EXPECT_TRUE(send(client, {.path = "/x", .timeout = 1s}));
  EXPECT_GE(elapsed(), 9s);
  EXPECT_EQ(last_request().timeout, 1s);
}

TEST_F(RestClientTest, AStopRequestEndsTheWaitForTheRateLimit) {
  answer(200);
  const RestClient client = make({.host = "https://h", .qps = 0.1F, .burst = 1});
  EXPECT_TRUE(send(client, {.path = "/x"}));
  const Timer timer = stop_after(1s);
  const auto response = send(client, {.path = "/x"});
  EXPECT_EQ(response.error().code(), ErrorCode::Cancelled);
  EXPECT_THAT(response.error().to_string(), Not(HasSubstr("client rate limiter")));
  EXPECT_EQ(sent(), 1U);
}

TEST_F(RestClientTest, MetricsCountAttemptsAndRequests) {
  next_answer(429, "", {{"Retry-After", "1"}});
  next_answer(200);
  server->once("", "*", [](ScriptedCall call) { call.refuse(); });
  const RestClient client = make({.host = "https://h:6443", .qps = 100});
  EXPECT_TRUE(send(client, {.path = "/x"}));
  EXPECT_FALSE(send(client, {.method = "POST", .path = "/x"}));
  EXPECT_THAT(
      metrics->values(),
      ElementsAre(
          std::pair("rest_client_rate_limiter_duration_seconds{verb=GET,host=h:6443}", 2.0),
          std::pair("rest_client_rate_limiter_duration_seconds{verb=POST,host=h:6443}", 1.0),
          std::pair("rest_client_request_duration_seconds{verb=GET,host=h:6443}", 1.0),
          std::pair("rest_client_request_duration_seconds{verb=POST,host=h:6443}", 1.0),
          std::pair("rest_client_request_retries_total{code=200,verb=GET,host=h:6443}", 1.0),
          std::pair("rest_client_requests_total{code=200,method=GET,host=h:6443}", 1.0),
          std::pair("rest_client_requests_total{code=429,method=GET,host=h:6443}", 1.0),
          std::pair("rest_client_requests_total{code=<error>,method=POST,host=h:6443}", 1.0)));
}

TEST_F(RestClientTest, LogsHoldNoSecrets) {
  answer(200, "body-secret");
  const RestClient client = make({.host = "https://h", .bearer_token = "token-secret"});
  EXPECT_TRUE(send(client, {.method = "POST",
                            .path = "/x",
                            .query = {{"continue", "query-secret"}},
                            .body = "request-secret"}));
  EXPECT_THAT(log->lines(),
              Contains(HasSubstr("request done method=POST url=https://h/x status=200")));
  EXPECT_THAT(log->lines(), Not(Contains(HasSubstr("secret"))));
}

class RecordingWarnings final : public rest::WarningHandler {
 public:
  void handle_warning_header(int code, std::string_view, std::string_view text) override {
    heard.push_back(std::to_string(code) + " " + std::string(text));
    if (text == "throw") throw std::runtime_error("from user code");
  }
  std::vector<std::string> heard;
};

TEST_F(RestClientTest, WarningsAreLoggedOnceEach) {
  answer(200, "{}",
         {{"Warning", R"(299 - "one", 299 - "two")"},
          {"Warning", R"(300 - "not for users")"},
          {"warning", R"(299 - "one")"}});
  const RestClient client = make();
  EXPECT_TRUE(send(client, {.path = "/x"}));
  EXPECT_TRUE(send(client, {.path = "/x"}));
  std::vector<std::string> warnings;
  for (const std::string& line : log->lines()) {
    if (line.find("server warning") != std::string::npos) warnings.push_back(line);
  }
  EXPECT_THAT(warnings, ElementsAre("warning rest: server warning text=one",
                                    "warning rest: server warning text=two"));
}

TEST_F(RestClientTest, TheRequestsHandlerBeatsTheClients) {
  const auto of_client = std::make_shared<RecordingWarnings>();
  const auto of_request = std::make_shared<RecordingWarnings>();
  const RestClient client = make({.host = "https://h"}, of_client);
  answer(200, "{}", {{"Warning", R"(299 - "one")"}});
  EXPECT_TRUE(send(client, {.path = "/x"}));
  EXPECT_TRUE(send(client, {.path = "/x", .warning_handler = of_request}));
  EXPECT_THAT(of_client->heard, ElementsAre("299 one"));
  EXPECT_THAT(of_request->heard, ElementsAre("299 one"));
}

TEST_F(RestClientTest, AWarningHandlerThatThrowsIsLoggedAndTheAnswerArrives) {
  const auto warnings = std::make_shared<RecordingWarnings>();
  answer(404, "", {{"Warning", R"(299 - "throw")"}});
  EXPECT_TRUE(is_not_found(send(make({.host = "https://h"}, warnings), {.path = "/x"}).error()));
  EXPECT_THAT(warnings->heard, ElementsAre("299 throw"));
  EXPECT_THAT(log->lines(),
              Contains(HasSubstr("rest: warning handler threw error=from user code")));
}

// What a streaming handler was told.
class Recording final : public transport::ResponseHandler {
 public:
  void on_head(transport::ResponseHead head) override {
    events.push_back("head " + std::to_string(head.status));
  }
  transport::Flow on_data(std::string_view chunk) override {
    events.push_back("data " + std::string(chunk));
    return transport::Flow::Continue;
  }
  void on_end(Result<void> result) override {
    events.push_back("end");
    end = std::move(result);
  }
  std::vector<std::string> events;
  std::optional<Result<void>> end;
};

class Streaming : public RestClientTest {
 protected:
  std::shared_ptr<transport::Exchange> start(const Request& request, const RestClient& client) {
    return client.start(request, handler, stop.get_token());
  }
  std::shared_ptr<Recording> handler = std::make_shared<Recording>();
  const Request watch{.verb = "watch", .path = "/api/v1/pods", .subject = "pods in all namespaces"};
};

TEST_F(Streaming, BytesArriveAsTheyAreSent) {
  const RestClient client = make();
  const auto exchange = start(watch, client);
  ScriptedCall call = server->take_request().value();
  call.head(200).data("one").data("two");
  executor->run_ready();
  EXPECT_THAT(handler->events, ElementsAre("head 200", "data one", "data two"));
  call.end();
  executor->run_ready();
  EXPECT_EQ(handler->events.back(), "end");
  EXPECT_TRUE(*handler->end);
}

TEST_F(Streaming, RESP_13_RESP_14_ARefusalIsOneErrorAtTheEnd) {
  answer(403, status_json(403, "Forbidden", "you may not"));
  const RestClient client = make();
  const auto exchange = start(watch, client);
  executor->run_ready();
  EXPECT_THAT(handler->events, ElementsAre("end"));
  EXPECT_TRUE(is_forbidden(handler->end->error()));
  EXPECT_EQ(handler->end->error().to_string(), "watch pods in all namespaces: you may not");
}

TEST_F(Streaming, RESP_13_ARefusalWithoutBodyGoesByItsCode) {
  const RestClient client = make();
  for (const int code : {401, 403}) {
    answer(code, "", {});
    const auto exchange = start(watch, client);
    executor->run_ready();
    EXPECT_EQ(is_unauthorized(handler->end->error()), code == 401);
    EXPECT_EQ(is_forbidden(handler->end->error()), code == 403);
  }
}

TEST_F(Streaming, ARefusalThatIsCutOffIsStillARefusal) {
  server->on("", "*", [](ScriptedCall call) {
    call.head(410).data(R"({"kind":"Status","apiVers)").truncate();
  });
  const RestClient client = make();
  const auto exchange = start(watch, client);
  executor->run_ready();
  EXPECT_TRUE(is_gone(handler->end->error()));
}

TEST_F(Streaming, OfAnEndlessRefusalAMebibyteIsReadAndTheExchangeEnded) {
  std::optional<ScriptedCall> refused;
  server->on("", "*", [&](ScriptedCall call) {
    call.head(500, {{"Content-Type", "text/plain"}});
    for (int i = 0; i < 40; ++i) call.data(std::string(64 * 1024, 'x'));
    refused = call;  // and it goes on
  });
  const RestClient client = make();
  const auto exchange = start(watch, client);
  executor->run_ready();
  ASSERT_TRUE(handler->end);
  EXPECT_TRUE(is_internal_error(handler->end->error()));
  EXPECT_LT(handler->end->error().message().size(), 4096U);
  EXPECT_TRUE(refused->cancelled());
}

TEST_F(Streaming, ARefusalWithoutAnEndIsReadForTenSeconds) {
  server->on("", "*", [](ScriptedCall call) { call.head(503); });
  const RestClient client = make();
  const auto exchange = start(watch, client);
  executor->run_for(9s);
  EXPECT_FALSE(handler->end);
  executor->run_for(1s);
  ASSERT_TRUE(handler->end);
  EXPECT_TRUE(is_service_unavailable(handler->end->error()));
  EXPECT_EQ(server->open(), 0U);
}

// In each of its functions.
struct Sender final : transport::ResponseHandler {
  explicit Sender(RestClient sends) : client(std::move(sends)) {}
  void on_head(transport::ResponseHead) override { send(); }
  transport::Flow on_data(std::string_view) override {
    send();
    return transport::Flow::Continue;
  }
  void on_end(Result<void>) override { send(); }
  void send() {
    const auto sent = client.send({.verb = "create", .method = "POST", .path = "/x"}, {});
    refused.push_back(!sent && sent.error().code() == ErrorCode::InvalidArgument);
  }
  const RestClient client;
  std::vector<bool> refused;
};

TEST_F(Streaming, AHandlerThatSendsAndWaitsGetsAnErrorWhateverTheTransport) {
  for (const auto& transport : {server, std::make_shared<ScriptedTransport>()}) {
    transport->on("", "*", [](ScriptedCall call) { call.respond(200, "text"); });
    const RestClient client = RestClient::create({.host = "https://h"}, runtime, transport).value();
    const auto sender = std::make_shared<Sender>(client);
    client.start({.verb = "get", .path = "/x"}, sender, {});
    executor->run_ready();
    EXPECT_THAT(sender->refused, ElementsAre(true, true, true));
    EXPECT_EQ(transport->requests().size(), 1U) << "nothing else was sent";
    EXPECT_TRUE(client.send({.verb = "get", .path = "/x"}, {})) << "outside of a handler";
  }
}

TEST_F(Streaming, CancellingEndsTheExchange) {
  const RestClient client = make();
  const auto exchange = start(watch, client);
  exchange->cancel();
  executor->run_ready();
  EXPECT_EQ(handler->end->error().code(), ErrorCode::Cancelled);
}

TEST_F(Streaming, AStopRequestBeatsARefusalThatIsStillComing) {
  const RestClient client = make();
  const auto exchange = start(watch, client);
  server->take_request()->head(500);
  executor->run_ready();
  stop.request_stop();
  executor->run_ready();
  EXPECT_EQ(handler->end->error().code(), ErrorCode::Cancelled);
}

TEST_F(Streaming, AGetThatUpgradesAndIsCutOffMayHaveBeenCarriedOutToo) {
  for (const bool upgrades : {true, false}) {
    server->once("", "*", [](ScriptedCall call) { call.reset(); });
    const RestClient client = make();
    const auto exchange = start({.path = "/x", .upgrade = upgrades ? "websocket" : ""}, client);
    executor->run_ready();
    EXPECT_EQ(handler->end->error().message(),
              std::string("connection reset by peer") +
                  (upgrades ? "; the request may have been carried out" : ""));
  }
}

TEST_F(Streaming, NothingIsTriedAgain) {
  answer(429, "", {{"Retry-After", "1"}});
  const RestClient client = make();
  const auto exchange = start(watch, client);
  executor->run_for(1min);
  EXPECT_EQ(sent(), 1U);
  EXPECT_EQ(handler->end->error().retry_after(), 1s);
}

TEST_F(Streaming, TheConfigsTimeoutBoundsEverythingButWatches) {
  const RestClient client = make({.host = "https://h", .timeout = 3s});
  Request list = watch;
  list.verb = "list";
  auto exchange = start(list, client);
  EXPECT_EQ(last_request().timeout, 3s);
  exchange->cancel();
  executor->run_ready();
  handler = std::make_shared<Recording>();
  Request idle = watch;
  idle.idle_timeout = 30s;
  exchange = start(idle, client);
  EXPECT_EQ(last_request().timeout, std::nullopt);
  EXPECT_EQ(last_request().idle_timeout, 30s);
}

TEST_F(Streaming, AWatchMustBeginWithinHalfAMinuteUnlessTheRequestSaysOtherwise) {
  const RestClient client = make();
  const auto bound = [&](const Request& request) {
    handler = std::make_shared<Recording>();
    start(request, client)->cancel();
    executor->run_ready();
    return last_request().head_timeout;
  };
  EXPECT_EQ(bound(watch), 30s);
  Request own = watch;
  own.head_timeout = 5s;
  EXPECT_EQ(bound(own), 5s);
  own.head_timeout = 0s;
  EXPECT_EQ(bound(own), std::nullopt);
  own.head_timeout.reset();
  own.verb = "list";
  EXPECT_EQ(bound(own), std::nullopt);
}

TEST_F(Streaming, TheClientMayGoAwayBeforeTheStreamEnds) {
  {
    const RestClient client = make();
    (void)start(watch, client);
  }
  server->take_request()->respond(200, "x");
  executor->run_ready();
  EXPECT_THAT(handler->events, ElementsAre("head 200", "data x", "end"));
}

}  // namespace
}  // namespace kube
