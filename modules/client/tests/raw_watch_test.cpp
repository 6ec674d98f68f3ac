// SPDX-License-Identifier: Apache-2.0
#include <kube/client/raw_watch.hpp>

#include <atomic>
#include <thread>
#include <type_traits>

#include <kube/client/raw_api.hpp>
#include <kube/meta/errors.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/transport/exchange_failure.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

static_assert(!std::is_copy_constructible_v<RawWatch>);
static_assert(std::is_nothrow_move_constructible_v<RawWatch>);

std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

class RawWatchTest : public ClientTest {
 protected:
  /// A watch whose server is the returned call.
  RawWatch open() {
    server->once("", "*", [this](ScriptedCall scripted) {
      call = scripted;
      scripted.head(200);
    });
    auto watch = pods.watch({.resource_version = "5"}, stop.get_token());
    EXPECT_TRUE(watch) << watch.error().to_string();
    return *std::move(watch);
  }
  Optional<Result<RawWatchEvent>> next(RawWatch& watch) { return watch.next({}); }
  /// "ADDED {...}", "error: ...", "end".
  std::string next_line(RawWatch& watch) {
    auto event = next(watch);
    if (!event) return "end";
    if (!*event) return "error: " + event->error().to_string();
    return std::string(to_string((*event)->type)) + " " + (*event)->object;
  }

  RestClient client = make();
  RawApi pods{client, kPodsResource, "web"};
  std::optional<ScriptedCall> call;
};

TEST_F(RawWatchTest, WATCH_11_TheRequest) {
  const RawWatch watch = open();
  EXPECT_EQ(request_line(last_request()),
            "GET /api/v1/namespaces/web/pods?resourceVersion=5&watch=true");
  answer(200, "");
  EXPECT_TRUE(pods.watch({.allow_watch_bookmarks = true, .timeout_seconds = 21}, {}));
  EXPECT_EQ(request_line(last_request()),
            "GET /api/v1/namespaces/web/pods?allowWatchBookmarks=true&timeout=21s&timeoutSeconds=21"
            "&watch=true");
  EXPECT_EQ(last_request().timeout, std::nullopt) << "the server ends it, not we";
}

TEST_F(RawWatchTest, WATCH_01_WATCH_02_EventsArriveInOrderAsTheyAre) {
  RawWatch watch = open();
  call->data(event("ADDED", R"({"n":1})") + event("MODIFIED", R"({"n":2})"));
  call->data(event("DELETED", R"({"n":3})") + event("BOOKMARK", R"({"n":4})"));
  call->data(event("ERROR", status_json(410, "Expired", "too old")));
  call->end();
  EXPECT_EQ(next_line(watch), R"(ADDED {"n":1})");
  EXPECT_EQ(next_line(watch), R"(MODIFIED {"n":2})");
  EXPECT_EQ(next_line(watch), R"(DELETED {"n":3})");
  EXPECT_EQ(next_line(watch), R"(BOOKMARK {"n":4})");
  const auto failed = next(watch);
  ASSERT_TRUE(failed && *failed);
  EXPECT_EQ((*failed)->type, WatchEventType::Error);
  EXPECT_TRUE(is_resource_expired((*failed)->error.value()));
  EXPECT_EQ(next_line(watch), "end");
  EXPECT_EQ(next_line(watch), "end");
  EXPECT_TRUE(watch.end_reason());
}

TEST_F(RawWatchTest, AStreamCutAtEveryByteGivesTheSameEvents) {
  const std::string text = event("ADDED", R"({"a":"}\"{"})") + event("DELETED", R"({"b":[{}]})");
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    RawWatch watch = open();
    call->data_in_pieces(text, piece).end();
    EXPECT_EQ(next_line(watch), R"(ADDED {"a":"}\"{"})") << piece;
    EXPECT_EQ(next_line(watch), R"(DELETED {"b":[{}]})") << piece;
    EXPECT_EQ(next_line(watch), "end") << piece;
  }
}

TEST_F(RawWatchTest, WATCH_03_AnEndInTheMiddleOfAnEventIsAnEnd) {
  const std::string text = event("ADDED", R"({"n":1})");
  for (std::size_t kept = 0; kept < text.size() - 2; ++kept) {
    RawWatch watch = open();
    call->data(event("ADDED", "{}")).data(text.substr(0, kept)).end();
    EXPECT_EQ(next_line(watch), "ADDED {}");
    EXPECT_EQ(next_line(watch), "end") << kept;
    EXPECT_EQ(watch.end_reason().has_value(), kept == 0) << kept;
  }
}

TEST_F(RawWatchTest, WATCH_03_ABrokenConnectionAndASilenceAreEndsWithAReason) {
  RawWatch reset = open();
  call->data(event("ADDED", "{}")).reset();
  EXPECT_EQ(next_line(reset), "ADDED {}");
  EXPECT_EQ(next_line(reset), "end");
  ASSERT_FALSE(reset.end_reason());
  EXPECT_EQ(reset.end_reason().error().code(), ErrorCode::Unreachable);
  EXPECT_THAT(log->lines(), ::testing::Contains(HasSubstr("rest: watch broke off")));

  RawWatch late = open();
  call->fail(Error(ErrorCode::Timeout, "silent for too long"));
  EXPECT_EQ(next_line(late), "end");
  EXPECT_EQ(late.end_reason().error().code(), ErrorCode::Timeout);
}

TEST_F(RawWatchTest, CODEC_27_ATimeoutWithinAnEventIsATimeout) {
  const std::string text = event("ADDED", R"({"n":1})");
  RawWatch watch = open();
  call->data(event("ADDED", "{}")).data(text.substr(0, text.size() / 2));
  call->fail(Error(ErrorCode::Timeout, "silent for too long"));
  EXPECT_EQ(next_line(watch), "ADDED {}");
  EXPECT_EQ(next_line(watch), "end");
  ASSERT_FALSE(watch.end_reason());
  EXPECT_EQ(watch.end_reason().error().code(), ErrorCode::Timeout);
}

TEST_F(RawWatchTest, WATCH_04_WATCH_05_WhatMakesNoSenseIsOneErrorEventAndThenTheEnd) {
  for (const std::string& garbage :
       {std::string("<html>"), event("ADDED", "null"), std::string(R"({"type":"ADDED"})"),
        std::string(R"({"type" "ADDED"})"), std::string("[1]"), std::string("1\n")}) {
    RawWatch watch = open();
    call->data(event("ADDED", "{}")).data(garbage).data(event("ADDED", "{}"));
    EXPECT_EQ(next_line(watch), "ADDED {}");
    const auto failed = next(watch);
    ASSERT_TRUE(failed && *failed) << garbage;
    EXPECT_EQ((*failed)->type, WatchEventType::Error);
    const Error& error = (*failed)->error.value();
    EXPECT_TRUE(is_internal_error(error));
    EXPECT_EQ(error.http_status(), 500);
    EXPECT_THAT(error.message(),
                AllOf(StartsWith("an error on the server (\"unable to decode an event from the "
                                 "watch stream: "),
                      EndsWith("\") has prevented the request from succeeding")));
    EXPECT_TRUE(meta::has_status_cause(error, "UnexpectedServerResponse"));
    EXPECT_TRUE(meta::has_status_cause(error, "ClientWatchDecoding"));
    EXPECT_EQ(next_line(watch), "end") << garbage;
    EXPECT_TRUE(call->cancelled()) << garbage;
  }
}

TEST_F(RawWatchTest, WATCH_01_AnUnknownTypeIsNamed) {
  RawWatch watch = open();
  call->data(event("RENAMED", "{}"));
  EXPECT_THAT((*next(watch)).value().error.value().message(),
              HasSubstr("got invalid watch event type: RENAMED"));
}

TEST_F(RawWatchTest, AnErrorEventCarriesItsStatusAndIsTheLast) {
  RawWatch watch = open();
  call->data(event("ERROR", status_json(410, "Expired", "too old resource version")) +
             event("ADDED", "{}"));
  const auto failed = next(watch);
  ASSERT_TRUE(failed && *failed);
  EXPECT_EQ((*failed)->type, WatchEventType::Error);
  EXPECT_TRUE(is_resource_expired((*failed)->error.value()));
  EXPECT_EQ(next_line(watch), "end");
}

TEST_F(RawWatchTest, AnErrorEventWithoutStatusIsStillAnError) {
  RawWatch watch = open();
  call->data(event("ERROR", R"({"kind":"Pod","apiVersion":"v1"})"));
  EXPECT_TRUE(is_unexpected_object_error((*next(watch)).value().error.value()));
}

TEST_F(RawWatchTest, WATCH_06_StoppingDropsWhatWasNotTaken) {
  RawWatch watch = open();
  call->data(event("ADDED", "{}"));
  executor->run_ready();
  watch.stop();
  watch.stop();
  EXPECT_EQ(next_line(watch), "end");
  EXPECT_TRUE(call->cancelled());
}

TEST_F(RawWatchTest, WATCH_07_DestroyingEndsTheExchange) {
  {
    const RawWatch watch = open();
    for (int i = 0; i < 100; ++i) call->data(event("ADDED", "{}"));
    executor->run_ready();
    EXPECT_FALSE(call->cancelled());
  }
  executor->run_ready();
  EXPECT_TRUE(call->cancelled()) << "though nobody took an event";
  EXPECT_TRUE(call->ended());
  RawWatch first = open();
  const ScriptedCall replaced = *call;
  first = open();
  EXPECT_TRUE(replaced.cancelled());
  EXPECT_FALSE(call->cancelled());
}

TEST_F(RawWatchTest, AStopRequestOfTheCallLeavesTheWatchOpen) {
  RawWatch watch = open();
  std::stop_source impatient;
  const Timer timer = executor->submit_after(3s, [&] { impatient.request_stop(); });
  const auto nothing = watch.next(impatient.get_token());
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(elapsed(), 3s);
  call->data(event("ADDED", "{}"));
  EXPECT_EQ(next_line(watch), "ADDED {}");
}

TEST_F(RawWatchTest, AnEventThatIsThereGoesBeforeAStopRequest) {
  RawWatch watch = open();
  call->data(event("ADDED", "{}"));
  executor->run_ready();
  std::stop_source asked;
  asked.request_stop();
  const auto event = watch.next(asked.get_token());
  ASSERT_TRUE(event);
  EXPECT_TRUE(*event);
}

TEST_F(RawWatchTest, TheStopRequestOfTheWatchIsToldOnce) {
  RawWatch watch = open();
  const Timer timer = stop_after(3s);
  const auto cancelled = next(watch);
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(next_line(watch), "end");
}

TEST_F(RawWatchTest, ASlowReaderHoldsTheServerBack) {
  RawWatch watch = open();
  const std::string big = event("ADDED", R"({"x":")" + std::string(100'000, 'x') + R"("})");
  for (int i = 0; i < 40; ++i) call->data(big);
  call->end();
  executor->run_ready();
  EXPECT_TRUE(call->paused());
  EXPECT_GT(call->undelivered(), big.size() * 25);
  int events = 0;
  while (auto taken = next(watch)) {
    ASSERT_TRUE(*taken);
    ++events;
  }
  EXPECT_EQ(events, 40);
  EXPECT_EQ(call->undelivered(), 0U);
}

TEST_F(RawWatchTest, WATCH_06_StopOfAnotherThreadEndsTheWait) {
  const auto clock = std::make_shared<testing::FakeClock>();
  const auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1, .clock = clock});
  const auto direct = std::make_shared<ScriptedTransport>();
  std::optional<ScriptedCall> served;
  direct->on("", "*", [&](ScriptedCall scripted) {
    served = scripted;
    scripted.head(200);
  });
  const auto other = RestClient::create({.host = "https://h"}, {.executor = pool}, direct);
  auto watch = RawApi(*other, kPodsResource).watch({}, {});
  ASSERT_TRUE(watch);
  std::vector<std::string> lines;
  std::atomic<int> taken = 0;
  {
    const std::jthread reader([&] {
      for (int i = 0; i < 3; ++i, ++taken) lines.push_back(next_line(*watch));
    });
    served->data(event("ADDED", R"({"n":1})"));
    served->data(event("ADDED", R"({"n":2})"));
    // The reader has taken both when it waits for the third.
    while (taken < 2 && !clock->await_blocked(1)) {
    }
    watch->stop();
  }
  EXPECT_EQ(lines.back(), "end");
}

TEST_F(RawWatchTest, RESP_13_ARefusedWatchIsAnError) {
  answer(403, status_json(403, "Forbidden", "you may not watch"));
  const auto watch = pods.watch({}, {});
  ASSERT_FALSE(watch);
  EXPECT_TRUE(is_forbidden(watch.error()));
  EXPECT_EQ(watch.error().to_string(), "watch pods in namespace \"web\": you may not watch");
}

TEST_F(RawWatchTest, AnythingBut200IsAnError) {
  answer(204, "");
  EXPECT_EQ(pods.watch({}, {}).error().to_string(),
            "watch pods in namespace \"web\": GET https://h/api/v1/namespaces/web/pods: expected a "
            "stream of events, got status: 204");
}

TEST_F(RawWatchTest, CODEC_07_TheContentTypeMustBeKnownIfItIsOne) {
  answer(200, event("ADDED", "{}"), {{"Content-Type", "application/xml"}});
  const auto other = pods.watch({}, {});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::Decode);
  for (const char* type : {"application/json;stream=watch", "application/,", ""}) {
    answer(200, event("ADDED", "{}"), {{"Content-Type", type}});
    auto watch = pods.watch({}, {});
    ASSERT_TRUE(watch) << type;
    EXPECT_EQ(next_line(*watch), "ADDED {}");
  }
}

TEST_F(RawWatchTest, WATCH_09_WarningsAreHandledAtTheOpening) {
  server->once("", "*", [](ScriptedCall scripted) {
    scripted.head(200, {{"Warning", R"(299 - "deprecated")"}});
    scripted.data(event("ADDED", "{}")).end();
  });
  struct Counted final : rest::WarningHandler {
    void handle_warning_header(int, std::string_view, std::string_view text) override {
      seen.emplace_back(text);
    }
    std::vector<std::string> seen;
  };
  const auto warnings = std::make_shared<Counted>();
  auto watch = RawApi(make({.host = "https://h"}, warnings), kPodsResource).watch({}, {});
  ASSERT_TRUE(watch);
  EXPECT_THAT(warnings->seen, ElementsAre("deprecated"));
  EXPECT_EQ(next_line(*watch), "ADDED {}");
  EXPECT_EQ(next_line(*watch), "end");
  EXPECT_THAT(warnings->seen, ElementsAre("deprecated")) << "once";
}

TEST_F(RawWatchTest, RETRY_22_LostConnectionsAreRepeatedAndThenAnEmptyWatch) {
  server->on("", "*", [](ScriptedCall scripted) { scripted.reset(); });
  auto request = pods.watch_request({});
  ASSERT_TRUE(request);
  request->retry = rest::RetryPolicy{.max_retries = 2};
  auto watch = RawWatch::open(client, *request, {});
  ASSERT_TRUE(watch);
  EXPECT_EQ(sent(), 3U);
  EXPECT_EQ(elapsed(), 2s);
  EXPECT_EQ(next_line(*watch), "end");
  EXPECT_FALSE(watch->end_reason());
}

TEST_F(RawWatchTest, RETRY_22_ThrottlingIsRepeatedAndThenAnError) {
  answer(500, "", {{"Retry-After", "1"}});
  auto request = pods.watch_request({});
  request->retry = rest::RetryPolicy{.max_retries = 2};
  const auto watch = RawWatch::open(client, *request, {});
  ASSERT_FALSE(watch);
  EXPECT_TRUE(is_internal_error(watch.error()));
  EXPECT_EQ(sent(), 3U);
}

TEST_F(RawWatchTest, ALostConnectionIsAnErrorWhereThePolicyDoesNotRepeatIt) {
  server->on("", "*", [](ScriptedCall scripted) { scripted.reset(); });
  auto request = pods.watch_request({});
  ASSERT_TRUE(request);
  request->retry = rest::RetryPolicy{.retry_lost_connections = false};
  const auto watch = RawWatch::open(client, *request, {});
  ASSERT_FALSE(watch);
  EXPECT_EQ(watch.error().code(), ErrorCode::Unreachable);
  EXPECT_EQ(sent(), 1U);
}

TEST_F(RawWatchTest, RETRY_23_OtherFailuresAreReportedAtOnce) {
  server->set_down(true);
  const auto watch = pods.watch({}, {});
  ASSERT_FALSE(watch);
  EXPECT_EQ(watch.error().to_string(),
            "watch pods in namespace \"web\": GET https://h/api/v1/namespaces/web/pods: "
            "connection refused");
  EXPECT_EQ(sent(), 1U);
}

TEST_F(RawWatchTest, CredentialsThatWereNotThereInTimeAreAnErrorAndNotAskedForAgain) {
  server->on("", "*", [](ScriptedCall scripted) {
    scripted.fail(transport::with_exchange_failure(Error(ErrorCode::Timeout, "the plugin hangs"),
                                                   transport::ExchangeFailure::NoCredentials));
  });
  const auto watch = pods.watch({}, {});
  ASSERT_FALSE(watch);
  EXPECT_EQ(watch.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(sent(), 1U);
}

TEST_F(RawWatchTest, AStopRequestWhileOpeningIsCancelled) {
  const Timer timer = stop_after(3s);
  const auto watch = pods.watch({}, stop.get_token());
  ASSERT_FALSE(watch);
  EXPECT_EQ(watch.error().code(), ErrorCode::Cancelled);
  EXPECT_THAT(watch.error().to_string(), HasSubstr("watch pods in namespace \"web\": "));
  executor->run_ready();
  EXPECT_EQ(server->open(), 0U);
}

TEST_F(RawWatchTest, ATransportThatFailsInTlsIsAnErrorOfTheStream) {
  RawWatch watch = open();
  call->fail(Error(ErrorCode::Credentials, "certificate expired"));
  EXPECT_THAT(next_line(watch), HasSubstr("error: watch pods in namespace \"web\": "));
  EXPECT_EQ(next_line(watch), "end");
}

}  // namespace
}  // namespace kube
