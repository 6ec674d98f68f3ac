// SPDX-License-Identifier: Apache-2.0
//
// The client's own pauses: rate limit, backoff of a host, and their order around attempts.
#include <kube/client/backoff_manager.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/client/text_request.hpp>

#include "client_fixture.hpp"
#include "retry_after.hpp"
#include "throttle_log.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Events = std::vector<std::string>;

class RecordingLimiter final : public flowcontrol::RateLimiter {
 public:
  explicit RecordingLimiter(Events& events) : events_(events) {}
  bool try_accept() override { return true; }
  void accept() override {}
  Result<void> wait_until(TimePoint /*deadline*/, std::stop_token /*stop*/) override {
    events_.emplace_back("limiter wait");
    return {};
  }
  float qps() const override { return 1; }

 private:
  Events& events_;
};

class RecordingBackoff final : public rest::BackoffManager {
 public:
  explicit RecordingBackoff(Events& events, Duration delay = {}) : events_(events), delay_(delay) {}
  Duration calculate_backoff(std::string_view /*url*/) override {
    events_.emplace_back("calculate backoff");
    return delay_;
  }
  void update_backoff(std::string_view /*url*/, int /*status*/) override {
    events_.emplace_back("update backoff");
  }
  WaitStatus pause(Clock& clock, Duration delay, std::stop_token stop) override {
    events_.emplace_back("sleep");
    slept.push_back(delay);
    return rest::BackoffManager::pause(clock, delay, std::move(stop));
  }
  std::vector<Duration> slept;

 private:
  Events& events_;
  const Duration delay_;
};

// Records the counters of attempts and retries as they are incremented.
class RecordingMetrics final : public metrics::Provider {
 public:
  explicit RecordingMetrics(Events& events) : events_(events) {}
  std::shared_ptr<metrics::CounterImpl> counter(std::string_view name,
                                                const metrics::Labels& /*labels*/) override {
    return std::make_shared<Named>(
        events_, name == "rest_client_requests_total" ? "result metric" : "retry metric");
  }
  std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view, const metrics::Labels&) override {
    return nullptr;
  }
  std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view,
                                                    const metrics::Labels&) override {
    return nullptr;
  }

 private:
  class Named final : public metrics::CounterImpl {
   public:
    Named(Events& events, std::string name) : events_(events), name_(std::move(name)) {}
    void add(double /*amount*/) override { events_.push_back(name_); }

   private:
    Events& events_;
    const std::string name_;
  };
  Events& events_;
};

class RequestBackoff : public ClientTest {
 protected:
  static Duration url_delay(rest::UrlBackoff& backoff, const std::string& url) {
    return backoff.calculate_backoff(url);
  }
  Events events;
};

TEST_F(RequestBackoff, RETRY_06_TheOrderOfWhatHappensAroundAttempts) {
  const Events attempts = {
      "calculate backoff", "sleep",         "send",         "result metric", "update backoff",
      "calculate backoff", "sleep",         "limiter wait", "send",          "result metric",
      "retry metric",      "update backoff"};
  for (const bool watch : {false, true}) {
    events.clear();
    runtime.metrics = std::make_shared<RecordingMetrics>(events);
    const RestClient client = make();
    for (const int code : {500, 200}) {
      server->once("", "*", [this, code](ScriptedCall call) {
        events.emplace_back("send");
        call.respond(code, "", {{"Retry-After", "1"}, {"Content-Type", "application/json"}});
      });
    }
    Request request{.verb = watch ? "watch" : "get", .path = "/x"};
    request.rate_limiter = std::make_shared<RecordingLimiter>(events);
    request.backoff = std::make_shared<RecordingBackoff>(events);
    if (watch) {
      EXPECT_TRUE(RawWatch::open(client, request, {}));
    } else {
      EXPECT_TRUE(client.send(request, {}));
      ASSERT_FALSE(events.empty());
      EXPECT_EQ(events.front(), "limiter wait");
      events.erase(events.begin());
    }
    EXPECT_EQ(events, attempts) << watch;
  }
}

TEST_F(RequestBackoff, RETRY_05_TheLongerOfBackoffAndRetryAfterIsSlept) {
  for (const auto& [backoff, expected] : {std::pair<Duration, Duration>(3s, 3s), {1s, 2s}}) {
    const RestClient client = make();
    next_answer(503, "", {{"Retry-After", "2"}});
    next_answer(200);
    const auto manager = std::make_shared<RecordingBackoff>(events, backoff);
    Request request{.path = "/x"};
    request.backoff = manager;
    EXPECT_TRUE(client.send(request, {}));
    EXPECT_THAT(manager->slept, ElementsAre(backoff, expected));
  }
}

TEST_F(RequestBackoff, RETRY_10_RETRY_11_TheReasonOfARetryIsLogged) {
  const RestClient client = make();
  next_answer(429, "", {{"Retry-After", "2"}, {"X-Kubernetes-PF-FlowSchema-UID", "fs-1"}});
  next_answer(503, "", {{"Retry-After", "1"}});
  server->once("", "*", [](ScriptedCall call) { call.reset(); });
  next_answer(200);
  EXPECT_TRUE(client.send({.path = "/x"}, {}));
  std::vector<std::string> reasons;
  for (const auto& entry : log->entries()) {
    if (entry.message == "request is tried again") reasons.push_back(entry.field("reason"));
  }
  ASSERT_EQ(reasons.size(), 3U);
  EXPECT_EQ(reasons[0],
            "retries: 1, retry-after: 2s - retry-reason: due to server-side throttling, FlowSchema "
            "UID: \"fs-1\"");
  EXPECT_EQ(reasons[1], "retries: 2, retry-after: 1s - retry-reason: 503");
  EXPECT_THAT(reasons[2], ::testing::StartsWith("retries: 3, retry-after: 1s - retry-reason: due "
                                                "to retryable error, error: "));
}

TEST_F(RequestBackoff, RETRY_16_HostsAndPortsAreApart) {
  rest::UrlBackoff backoff(1s, 60s, runtime.clock());
  backoff.update_backoff("http://1.2.3.4:8080/api/v1/pods", 500);
  EXPECT_EQ(backoff.calculate_backoff("http://1.2.3.4:8080/other?a=b"), 1s);
  EXPECT_EQ(backoff.calculate_backoff("http://1.2.3.4:100/api/v1/pods"), 0s);
}

TEST_F(RequestBackoff, RETRY_17_OverloadDoublesTheDelayAndTheRestEndsIt) {
  rest::UrlBackoff backoff(1s, 60s, runtime.clock());
  std::vector<Duration> delays;
  for (const int code : {429, 500, 501, 502, 300, 500, 501, 502}) {
    delays.push_back(backoff.calculate_backoff("http://h:1/x"));
    backoff.update_backoff("http://h:1/x", code);
  }
  EXPECT_THAT(delays, ElementsAre(0s, 1s, 2s, 4s, 8s, 0s, 1s, 2s));
  backoff.update_backoff("http://h:1/x", 0);
  EXPECT_EQ(backoff.calculate_backoff("http://h:1/x"), 0s) << "an error without a response";
}

TEST_F(RequestBackoff, RETRY_18_ARequestWaitsForTheBackoffOfItsHost) {
  const RestClient client = make();
  Request request{.path = "/x"};
  request.backoff = std::make_shared<rest::UrlBackoff>(1s, 60s, runtime.clock());
  std::vector<Duration> delays;
  for (int call = 1; call <= 10; ++call) {
    next_answer(call == 5 || call == 9 ? 200 : 504, "{}");
    const Duration before = elapsed();
    (void)client.send(request, {});
    delays.push_back(elapsed() - before);
  }
  EXPECT_THAT(delays, ElementsAre(0s, 1s, 2s, 4s, 8s, 0s, 1s, 2s, 4s, 0s));
}

TEST_F(RequestBackoff, RETRY_19_NoBackoffDelaysNothingAndItsSleepEndsAtAStop) {
  rest::NoBackoff none;
  for (const int code : {500, 429, 0}) none.update_backoff("http://h/", code);
  EXPECT_EQ(none.calculate_backoff("http://h/"), 0s);
  const Timer timer = stop_after(1s);
  EXPECT_EQ(none.pause(*runtime.clock(), 1h, stop.get_token()), WaitStatus::Stopped);
  EXPECT_EQ(elapsed(), 1s);
  EXPECT_EQ(none.pause(*runtime.clock(), 1h, stop.get_token()), WaitStatus::Stopped);
  EXPECT_EQ(elapsed(), 1s) << "stopped before";
}

TEST_F(RequestBackoff, RETRY_20_TheEnvironmentTurnsTheBackoffOn) {
  using Variables = std::map<std::string, std::string, std::less<>>;
  const auto delay_with = [&](const Variables& variables) {
    const auto backoff = rest::backoff_from_environment(
        [variables](std::string_view name) -> std::optional<std::string> {
          const auto found = variables.find(name);
          if (found == variables.end()) return std::nullopt;
          return found->second;
        },
        runtime.clock());
    backoff->update_backoff("http://h/", 500);
    return backoff->calculate_backoff("http://h/");
  };
  EXPECT_EQ(delay_with({{"KUBE_CLIENT_BACKOFF_BASE", "1"}, {"KUBE_CLIENT_BACKOFF_DURATION", "60"}}),
            1s);
  EXPECT_EQ(
      delay_with({{"KUBE_CLIENT_BACKOFF_BASE", "illegal"}, {"KUBE_CLIENT_BACKOFF_DURATION", "60"}}),
      0s);
  EXPECT_EQ(
      delay_with({{"KUBE_CLIENT_BACKOFF_BASE", "1"}, {"KUBE_CLIENT_BACKOFF_DURATION", "illegal"}}),
      0s);
  EXPECT_EQ(delay_with({{"KUBE_CLIENT_BACKOFF_BASE", "1"}}), 0s);
  EXPECT_EQ(delay_with({{"KUBE_CLIENT_BACKOFF_DURATION", "60"}}), 0s);
  EXPECT_EQ(delay_with({}), 0s);
}

TEST_F(RequestBackoff, RETRY_21_AStreamIsRepeatedWhenTheServerAsksButNotWhenItsConnectionBreaks) {
  const RestClient client = make();
  next_answer(500, "", {{"Retry-After", "1"}});
  server->once("", "*", [](ScriptedCall call) { call.reset(); });
  const auto stream = TextRequest(client, Request{.path = "/log"}).stream();
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code(), ErrorCode::Unreachable);
  EXPECT_EQ(sent(), 2U);
  EXPECT_EQ(elapsed(), 1s);
}

TEST_F(RequestBackoff, ADateInRetryAfterIsObeyed) {
  const RestClient client = make();
  const auto seconds_until = [](const char* date, std::chrono::sys_days now) {
    return retry_after({{"Retry-After", date}}, WallTime(now));
  };
  using namespace std::chrono;
  const auto today = sys_days(2026y / October / 21);
  EXPECT_EQ(seconds_until("Wed, 21 Oct 2026 00:00:07 GMT", today), 7s);
  EXPECT_EQ(seconds_until("Tue, 20 Oct 2026 23:59:59 GMT", today), 0s);
  EXPECT_EQ(seconds_until("Wednesday, 21-Oct-26 00:00:07 GMT", today), 7s);
  EXPECT_EQ(seconds_until("Friday, 21-Oct-94 00:00:07 GMT", today), 0s) << "of 1994";
  EXPECT_EQ(seconds_until("Wed Oct 21 00:00:07 2026", today), 7s);
  EXPECT_EQ(seconds_until("Sun Nov  1 00:00:00 2026", today), days(11));
  for (const char* wrong :
       {"", "soon", "Wed, 21 Oct 2026 00:00:07", "Wed, 41 Oct 2026 00:00:07 GMT",
        "Wed, 21 Xyz 2026 00:00:07 GMT", "Wed, 21 Oct 2026 24:00:07 GMT",
        "Wednesday, 21-Oct-26 00:00:07", "Wednesday, 21 Oct 26 00:00:07 GMT",
        "Wed Oct 21 00:00:07 GMT2", ", ", "Wed Oct  x 00:00:07 2026"}) {
    EXPECT_EQ(seconds_until(wrong, today), std::nullopt) << wrong;
  }
  // A moment ago by any clock of a test.
  next_answer(503, "", {{"Retry-After", "Wed, 21 Oct 1998 07:28:00 GMT"}});
  next_answer(200);
  EXPECT_TRUE(client.send({.path = "/x"}, {}));
  EXPECT_EQ(sent(), 2U);
}

TEST_F(RequestBackoff, REST_18_AStopInTheRateLimitIsNotTheRateLimitsError) {
  const RestClient client = make({.host = "https://h", .qps = 0.001F, .burst = 1});
  answer(200);
  EXPECT_TRUE(client.send({.path = "/x"}, {}));
  const Timer timer = stop_after(1s);
  const auto stopped = client.send({.path = "/x"}, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::Cancelled);
  EXPECT_THAT(stopped.error().to_string(), Not(HasSubstr("client rate limiter")));
  Request never{.path = "/x"};
  never.rate_limiter = flowcontrol::never_rate_limiter();
  EXPECT_EQ(client.send(never, {}).error().message(),
            "client rate limiter Wait returned an error: the rate limiter will never allow the "
            "request");
}

TEST_F(RequestBackoff, RCFG_05_ASuppliedLimiterIsUsedWhateverQpsAndBurstAre) {
  for (const float qps : {-1.0F, 0.0F, 0.001F, 1000.0F}) {
    Events waits;
    rest::Config config{.host = "https://h", .qps = qps, .burst = 1};
    config.rate_limiter = std::make_shared<RecordingLimiter>(waits);
    const RestClient client = make(config);
    answer(200);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.send({.path = "/x"}, {}));
    EXPECT_THAT(waits, ElementsAre("limiter wait", "limiter wait", "limiter wait")) << qps;
    EXPECT_EQ(elapsed(), 0s) << qps;
  }
}

TEST_F(RequestBackoff, ClientsOfOneConfigShareItsRateLimiter) {
  rest::Config config{.host = "https://h"};
  config.rate_limiter = flowcontrol::token_bucket_rate_limiter(1, 1, runtime.clock());
  const RestClient one = make(config);
  const RestClient two = make(config);
  answer(200);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(one.send({.path = "/x"}, {}));
    EXPECT_TRUE(two.send({.path = "/x"}, {}));
  }
  EXPECT_EQ(elapsed(), 5s);
}

TEST_F(RequestBackoff, REST_27_ManyRunsOfOneRequestHaveTheirOwnRetries) {
  const RestClient client = make();
  answer(500, "", {{"Retry-After", "1"}});
  const Request request{.path = "/x", .retry = rest::RetryPolicy{.max_retries = 9}};
  int ended = 0;
  for (int i = 0; i < 20; ++i) {
    executor->submit([&] {
      EXPECT_FALSE(client.send(request, {}));
      ++ended;
    });
  }
  EXPECT_TRUE(executor->run_until([&] { return ended == 20; }));
  EXPECT_EQ(sent(), 200U);
}

TEST_F(RequestBackoff, REST_32_WaitsForTheRateLimitDoNotFillTheLog) {
  ThrottleLog throttled;
  int lines = 0;
  TimePoint now = runtime.clock()->now();
  for (int second = 0; second < 1000; ++second, now += 1s) {
    for (int caller = 0; caller < 10; ++caller) {
      lines += throttled.level_of(2s, now) == LogLevel::Info ? 1 : 0;
    }
  }
  EXPECT_EQ(lines, 100);
  EXPECT_EQ(throttled.level_of(50ms, now), std::nullopt);
  EXPECT_EQ(throttled.level_of(51ms, now), LogLevel::Debug);
}

TEST_F(RequestBackoff, CredentialsWithoutEncryptionAreWarnedOf) {
  const auto warnings = [&](rest::Config config) {
    answer(200);
    const RestClient client = make(std::move(config));
    for (int i = 0; i < 2; ++i) (void)client.send({.path = "/x"}, {});
    std::vector<std::string> found;
    for (const std::string& line : log->take_lines()) {
      if (line.find("without encryption") != std::string::npos) found.push_back(line);
    }
    return found;
  };
  EXPECT_THAT(warnings({.host = "http://h:8080", .bearer_token = "secret"}),
              ElementsAre("warning rest: credentials are sent without encryption: the server's URL "
                          "is not https url=http://h:8080/x"));
  EXPECT_EQ(warnings({.host = "http://h", .username = "me", .password = "secret"}).size(), 1U);
  for (const char* fine : {"https://h", "http://localhost:80", "http://127.0.0.1", "http://[::1]:1",
                           "unix:///run/kube.sock"}) {
    EXPECT_TRUE(warnings({.host = fine, .bearer_token = "secret"}).empty()) << fine;
  }
  EXPECT_TRUE(warnings({.host = "http://h"}).empty());
  for (const char* other : {"http://localhost.evil.example", "http://127.evil.example",
                            "http://127.0.0.1.evil.example:80", "http://127.1"}) {
    EXPECT_EQ(warnings({.host = other, .bearer_token = "secret"}).size(), 1U) << other;
  }
  // The proxy gets them, and what is between it and here.
  EXPECT_EQ(
      warnings({.host = "http://127.0.0.1", .bearer_token = "s", .proxy_url = "http://p:1"}).size(),
      1U);
  EXPECT_TRUE(
      warnings({.host = "http://127.0.0.1", .bearer_token = "s", .proxy_url = "http://127.0.0.1:1"})
          .empty());
  // A header of the request itself.
  const RestClient client = make({.host = "http://h"});
  Request request{.path = "/x"};
  request.headers.add("Authorization", "Bearer secret");
  EXPECT_TRUE(client.send(request, {}));
  EXPECT_THAT(log->take_lines(), ::testing::Contains(HasSubstr("without encryption")));
}

TEST_F(RequestBackoff, REST_02_HeadersOfARequestAreSentInPlaceOfTheClients) {
  const RestClient client = make({.host = "https://h", .bearer_token = "own"});
  answer(200);
  Request request{.path = "/x"};
  request.headers.set("X-One", "1");
  request.headers.set("X-One", "2");
  request.headers.add("X-Two", "a");
  request.headers.add("X-Two", "b");
  request.headers.set("accept", "text/plain");
  request.headers.set("Authorization", "Bearer other");
  EXPECT_TRUE(client.send(request, {}));
  const transport::HttpRequest got = last_request();
  EXPECT_EQ(header(got, "X-One"), "2");
  EXPECT_EQ(header(got, "Accept"), "text/plain");
  EXPECT_EQ(header(got, "Authorization"), "Bearer other");
  std::vector<std::string> two;
  for (const auto& [name, value] : got.headers) {
    if (name == "X-Two") two.push_back(value);
  }
  EXPECT_THAT(two, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace kube
