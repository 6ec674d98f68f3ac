// SPDX-License-Identifier: Apache-2.0
#include <kube/client/retry_watcher.hpp>

#include <kube/meta/errors.hpp>

#include "api_fixture.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string pod_event(const std::string& type, const std::string& version) {
  return R"({"type":")" + type +
         R"(","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a")" +
         (version.empty() ? "" : R"(,"resourceVersion":")" + version + "\"") + "}}}\n";
}
std::string error_event(int code, const std::string& reason, const std::string& more = "") {
  return R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure",)"
         R"("message":"m","reason":")" +
         reason + R"(","code":)" + std::to_string(code) + more + "}}\n";
}

class RetryWatcherTest : public ApiTest {
 protected:
  RetryWatcher<Pod> watch_from(const std::string& version) {
    auto made =
        RetryWatcher<Pod>::create(pods, {.label_selector = "app=web", .resource_version = version});
    EXPECT_TRUE(made) << made.error().to_string();
    return *std::move(made);
  }
  /// The next watch sends these events and ends.
  void serves(const std::string& events) { next_answer(200, events); }
  /// Watches after those are open and silent.
  void then_is_silent() {
    server->on("", "*", [](ScriptedCall call) { call.head(200); });
  }
  /// "ADDED 6", "ERROR Expired", "stopped" or "end".
  static std::string line(RetryWatcher<Pod>& watch, const std::stop_token& stop = {}) {
    auto event = watch.next(stop);
    if (!event) return "end";
    if (!*event) return "stopped";
    const std::string type(to_string((*event)->type));
    if ((*event)->type != WatchEventType::Error)
      return type + " " + (*event)->object.metadata.resource_version;
    return type + " " + (*event)->error->reason();
  }
  std::vector<std::string> versions_asked() const {
    std::vector<std::string> versions;
    for (const auto& request : server->requests()) {
      const std::string text = request_line(request);
      const std::size_t at = text.find("resourceVersion=") + 16;
      versions.push_back(text.substr(at, text.find('&', at) - at));
    }
    return versions;
  }
};

TEST_F(RetryWatcherTest, TWCH_01_WTR_01_NeedsAVersionToBeginAt) {
  for (const std::string version : {"", "0"}) {
    const auto made = RetryWatcher<Pod>::create(pods, {.resource_version = version});
    ASSERT_FALSE(made);
    EXPECT_EQ(
        made.error().message(),
        "initial RV \"" + version + "\" is not supported due to issues with underlying WATCH");
  }
  EXPECT_EQ(sent(), 0U);
}

TEST_F(RetryWatcherTest, TWCH_02_EachStartAsksForBookmarksFromTheLastVersion) {
  serves(pod_event("ADDED", "6") + pod_event("MODIFIED", "9"));
  serves(pod_event("ADDED", "8") + pod_event("MODIFIED", "9") + pod_event("MODIFIED", "12"));
  then_is_silent();
  auto watch = watch_from("5");
  EXPECT_EQ(line(watch), "ADDED 6");
  EXPECT_EQ(line(watch), "MODIFIED 9");
  EXPECT_EQ(line(watch), "MODIFIED 12") << "8 and 9 are not repeated";
  EXPECT_THAT(versions_asked(), ElementsAre("5", "9"));
  for (const auto& request : server->requests()) {
    EXPECT_THAT(request_line(request), HasSubstr("allowWatchBookmarks=true"));
    EXPECT_THAT(request_line(request), HasSubstr("labelSelector=app%3Dweb"));
  }
}

TEST_F(RetryWatcherTest, TWCH_03_AnyNumberOfClosedWatchesLosesAndRepeatsNothing) {
  std::vector<std::string> expected;
  std::vector<std::string> found;
  int version = 5;
  for (int i = 0; i < 200; ++i) {
    std::string events;
    for (int k = 0; k < i % 4; ++k) {
      version += i % 7 == 0 ? 1000 : 1;  // sparse and consecutive
      events += pod_event("MODIFIED", std::to_string(version));
      expected.push_back("MODIFIED " + std::to_string(version));
    }
    serves(events);
  }
  then_is_silent();
  auto watch = watch_from("5");
  for (std::size_t i = 0; i < expected.size(); ++i) found.push_back(line(watch));
  EXPECT_EQ(found, expected);
  const Timer later = stop_after(1h);
  EXPECT_EQ(line(watch, stop.get_token()), "stopped");
  EXPECT_EQ(versions_asked().back(), std::to_string(version));
}

TEST_F(RetryWatcherTest, TWCH_04_WTR_09_BookmarksAdvanceTheVersionAndAreNotReturned) {
  serves(pod_event("BOOKMARK", "20"));
  serves(pod_event("BOOKMARK", "30") + pod_event("DELETED", "31"));
  auto watch = watch_from("5");
  EXPECT_EQ(line(watch), "DELETED 31");
  EXPECT_THAT(versions_asked(), ElementsAre("5", "20"));
}

TEST_F(RetryWatcherTest, TWCH_05_WTR_02_AWatchThatDoesNotBeginIsTriedAgain) {
  const std::vector<ScriptedTransport::Rule> failures = {
      [](ScriptedCall call) { call.respond(500, status_json(500, "InternalError", "x")); },
      [](ScriptedCall call) { call.fail(Error(ErrorCode::Unreachable, "generic")); },
      [](ScriptedCall call) { call.truncate(); },  // EOF
      [](ScriptedCall call) { call.reset(); },     // probable EOF
      [](ScriptedCall call) { call.fail(Error(ErrorCode::Timeout, "timeout")); },
      [](ScriptedCall call) { call.respond(504, status_json(504, "Timeout", "x")); },
      [](ScriptedCall call) { call.respond(204); },  // no watch
      [](ScriptedCall call) {
        call.respond(200, "", {{"Content-Type", "text/html"}});
      },
      [](ScriptedCall call) { call.respond(410, status_json(410, "Expired", "x")); },
      [](ScriptedCall call) { call.respond(410, status_json(410, "Gone", "x")); },
  };
  for (const auto& failure : failures) {
    server->once("", "*", failure);
    serves(pod_event("ADDED", "6"));
    auto watch = watch_from("5");
    EXPECT_EQ(line(watch), "ADDED 6");
  }
}

TEST_F(RetryWatcherTest, TWCH_06_WTR_05_WithoutPermissionThereIsOneErrorEvent) {
  for (const auto& [code, reason] : {std::pair(401, "Unauthorized"), std::pair(403, "Forbidden")}) {
    next_answer(code, status_json(code, reason, "x"));
    auto watch = watch_from("5");
    const auto event = watch.next();
    ASSERT_TRUE(event && *event && (*event)->error);
    EXPECT_EQ((*event)->error->http_status(), code);
    EXPECT_EQ((*event)->error->reason(), reason);
    EXPECT_TRUE(watch.done());
    EXPECT_EQ(line(watch), "end");
  }
  EXPECT_EQ(sent(), 2U);
}

TEST_F(RetryWatcherTest, TWCH_07_AnErrorEventEndsTheWatchIfTheVersionIsTooOld) {
  for (const char* reason : {"Expired", "Gone"}) {
    serves(error_event(410, reason));
    auto watch = watch_from("5");
    EXPECT_EQ(line(watch), std::string("ERROR ") + reason);
    EXPECT_EQ(line(watch), "end");
  }
  const std::string later = R"(,"details":{"retryAfterSeconds":30})";
  for (const std::string& event :
       {error_event(500, "InternalError", later), error_event(504, "Timeout", later)}) {
    const TimePoint begun = executor->clock()->now();
    serves(event);
    serves(pod_event("ADDED", "6"));
    auto watch = watch_from("5");
    EXPECT_EQ(line(watch), "ADDED 6");
    EXPECT_GE(executor->clock()->now() - begun, 30s);
    EXPECT_LT(executor->clock()->now() - begun, 40s);
  }
  for (const std::string& event :
       {error_event(500, "InternalError"), error_event(418, "Teapot"), error_event(429, "x"),
        error_event(404, "NotFound"),
        std::string(R"({"type":"ERROR","object":{"kind":"Pod","metadata":{"name":"a"}}})")}) {
    serves(event);
    serves(pod_event("ADDED", "6"));
    auto watch = watch_from("5");
    EXPECT_EQ(line(watch), "ADDED 6") << event;
  }
}

TEST_F(RetryWatcherTest, TWCH_08_WTR_10_AnEventWithoutAVersionOrATypeEndsTheWatch) {
  for (const char* type : {"ADDED", "DELETED", "BOOKMARK"}) {
    serves(pod_event(type, ""));
    auto watch = watch_from("5");
    EXPECT_EQ(line(watch), "ERROR InternalError");
    EXPECT_EQ(line(watch), "end");
  }
  for (const std::string& event :
       {pod_event("RENAMED", "6"),
        std::string(R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":5}}})")}) {
    serves(event);
    auto watch = watch_from("5");
    EXPECT_THAT(line(watch), HasSubstr("ERROR ")) << event;
    EXPECT_EQ(line(watch), "end");
  }
}

TEST_F(RetryWatcherTest, TWCH_09_StartsAreASecondApart) {
  for (int i = 0; i < 5; ++i) serves("");
  server->once("", "*", [&](ScriptedCall call) {
    executor->submit_after(10s, [call]() mutable { call.respond(200); }).cancel();
    call.respond(200);
  });
  serves(pod_event("ADDED", "6"));
  auto watch = watch_from("5");
  EXPECT_EQ(line(watch), "ADDED 6");
  EXPECT_EQ(elapsed(), 6s) << "measured from one start to the next";
}

TEST_F(RetryWatcherTest, TWCH_10_StopDropsWhatWasNotTaken) {
  serves(pod_event("ADDED", "6") + pod_event("ADDED", "7"));
  auto watch = watch_from("5");
  EXPECT_EQ(line(watch), "ADDED 6");
  EXPECT_FALSE(watch.done());
  watch.stop();
  EXPECT_EQ(line(watch), "end");
  EXPECT_TRUE(watch.done());
  watch.stop();

  then_is_silent();
  auto waiting = watch_from("5");
  const Timer later = executor->submit_after(1min, [&] { waiting.stop(); });
  EXPECT_EQ(line(waiting), "end") << "stopped while it waits for an event";

  server->set_down(true);
  auto retrying = watch_from("5");
  const Timer soon = executor->submit_after(1min, [&] { retrying.stop(); });
  EXPECT_EQ(line(retrying), "end") << "stopped between two tries";
}

/// A server that has events of these versions, and ends each watch after `in_each` of them. As a
/// real one, it sends those after the version that is asked for; once all are sent it is silent.
class CountingServer {
 public:
  CountingServer(ScriptedTransport& transport, std::vector<int> versions, std::size_t in_each) {
    transport.on("", "*", [versions = std::move(versions), in_each](ScriptedCall call) {
      const int from = std::stoi(call.query("resourceVersion").value_or("0"));
      std::size_t sent = 0;
      call.head(200);
      for (const int version : versions) {
        if (version <= from || sent == in_each) continue;
        ++sent;
        call.data(pod_event("MODIFIED", std::to_string(version)));
      }
      if (sent != 0) call.end();
    });
  }
};

TEST_F(RetryWatcherTest, WTR_03_EventsUpToTheInitialVersionAreNotReturned) {
  CountingServer counting(*server, {3, 4, 5, 6, 7}, 10);
  auto watch = watch_from("5");
  EXPECT_EQ(line(watch), "MODIFIED 6");
  EXPECT_EQ(line(watch), "MODIFIED 7");
  const Timer later = stop_after(1min);
  EXPECT_EQ(line(watch, stop.get_token()), "stopped");
  EXPECT_THAT(versions_asked(), ElementsAre("5", "7"));
}

TEST_F(RetryWatcherTest, WTR_04_A410InTheMiddleIsTheLastEventOfTheOnlyWatch) {
  serves(pod_event("ADDED", "6") + pod_event("ADDED", "7") + error_event(410, "Gone") +
         pod_event("ADDED", "8"));
  serves(pod_event("ADDED", "8"));
  auto watch = watch_from("5");
  EXPECT_EQ(line(watch), "ADDED 6");
  EXPECT_EQ(line(watch), "ADDED 7");
  EXPECT_EQ(line(watch), "ERROR Gone");
  EXPECT_EQ(line(watch), "end");
  EXPECT_TRUE(watch.done());
  EXPECT_EQ(sent(), 1U);
}

TEST_F(RetryWatcherTest, WTR_06_AfterOtherErrorsItGoesOnFromTheLastVersion) {
  for (const std::string& failure :
       {error_event(504, "Timeout"), error_event(500, "InternalError"), error_event(666, "Unknown"),
        std::string(R"({"type":"ERROR","object":{"kind":"Pod","apiVersion":"v1","metadata":)"
                    R"({"name":"a","resourceVersion":"9"}}})")}) {
    const std::size_t before = versions_asked().size();
    serves(pod_event("ADDED", "6") + pod_event("MODIFIED", "7") + failure);
    serves(pod_event("MODIFIED", "7") + pod_event("MODIFIED", "8"));
    auto watch = watch_from("5");
    EXPECT_EQ(line(watch), "ADDED 6") << failure;
    EXPECT_EQ(line(watch), "MODIFIED 7") << failure;
    EXPECT_EQ(line(watch), "MODIFIED 8") << failure << ": neither repeated nor lost";
    const std::vector<std::string> asked = versions_asked();
    EXPECT_THAT(
        std::vector<std::string>(asked.begin() + static_cast<std::ptrdiff_t>(before), asked.end()),
        ElementsAre("5", "7"))
        << failure;
  }
}

TEST_F(RetryWatcherTest, WTR_07_AStreamThatEndsAfterEachFewEventsLosesNone) {
  const std::vector<std::vector<int>> runs = {
      {2, 3, 4, 5, 6}, {2, 5, 6, 100, 7000}, {1000, 1001, 1002, 1003, 1004}};
  for (const std::vector<int>& versions : runs) {
    for (const std::size_t in_each : {1U, 2U}) {
      const std::size_t before = sent();
      CountingServer counting(*server, versions, in_each);
      auto watch = watch_from("1");
      for (const int version : versions) {
        EXPECT_EQ(line(watch), "MODIFIED " + std::to_string(version)) << in_each;
      }
      stop = std::stop_source();
      const Timer later = stop_after(1min);
      EXPECT_EQ(line(watch, stop.get_token()), "stopped") << "and none twice";
      EXPECT_EQ(sent() - before, (versions.size() + in_each - 1) / in_each + 1)
          << "a watch for each part, and the one that stays open";
    }
  }
}

TEST_F(RetryWatcherTest, WTR_08_StopWithAnUnreadEventEndsAtOnce) {
  serves(pod_event("ADDED", "6") + pod_event("ADDED", "7"));
  auto watch = watch_from("5");
  EXPECT_EQ(line(watch), "ADDED 6");
  const TimePoint begun = executor->clock()->now();
  watch.stop();
  EXPECT_EQ(line(watch), "end") << "7 is dropped";
  EXPECT_TRUE(watch.done());
  EXPECT_EQ(executor->clock()->now(), begun) << "it waits for nothing";
  watch.stop();
  EXPECT_EQ(line(watch), "end");
  EXPECT_TRUE(watch.done());
}

TEST_F(RetryWatcherTest, AWatchThatNeverBeginsIsReported) {
  server->on("", "*", [](ScriptedCall call) {
    call.respond(404, status_json(404, "NotFound", "the server could not find the resource"));
  });
  auto watch = watch_from("5");
  EXPECT_FALSE(watch.last_error());
  const Timer later = stop_after(std::chrono::seconds(150));
  EXPECT_EQ(line(watch, stop.get_token()), "stopped");
  EXPECT_GE(sent(), 150U);
  ASSERT_TRUE(watch.last_error());
  EXPECT_TRUE(is_not_found(*watch.last_error()));
  std::vector<std::string> warnings;
  for (const std::string& each : log->lines()) {
    if (each.starts_with("warning retry_watcher")) warnings.push_back(each);
  }
  EXPECT_THAT(warnings, ::testing::SizeIs(3)) << "one a minute";
  EXPECT_THAT(warnings.front(), HasSubstr("could not find the resource"));

  then_is_silent();
  stop = std::stop_source();
  const Timer much_later = stop_after(1min);
  EXPECT_EQ(line(watch, stop.get_token()), "stopped");
  EXPECT_FALSE(watch.last_error()) << "a watch is open";
}

TEST_F(RetryWatcherTest, AStopRequestOfTheReaderLeavesTheWatchOpen) {
  std::optional<ScriptedCall> open;
  server->once("", "*", [&](ScriptedCall call) { (open = call)->head(200); });
  auto watch = watch_from("5");
  const Timer later = stop_after(1min);
  EXPECT_EQ(line(watch, stop.get_token()), "stopped");
  open->data(pod_event("ADDED", "6"));
  EXPECT_EQ(line(watch), "ADDED 6");
  EXPECT_EQ(sent(), 1U);
}

TEST_F(RetryWatcherTest, ARequestThatCannotBeSentIsAnErrorAtOnce) {
  auto watch = RetryWatcher<Pod>::create(client.api<Pod>("a/b"), {.resource_version = "5"});
  ASSERT_TRUE(watch);
  EXPECT_EQ(line(*watch), "ERROR ");
  EXPECT_EQ(line(*watch), "end");
}

}  // namespace
}  // namespace kube
