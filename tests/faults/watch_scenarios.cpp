// SPDX-License-Identifier: Apache-2.0
//
// Servers whose lists are right and whose watches are not.
#include <string>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "curl_answers.hpp"
#include "scenario.hpp"
#include "wire.hpp"

namespace faults {
namespace {

using namespace std::chrono_literals;
using kube::cache::testing::bookmark_text;
using kube::cache::testing::event_text;
using kube::cache::testing::object_text;
using kube::transport::chunk;

const std::string& modified() {
  static const std::string event = event_text("MODIFIED", object_text("shop/cart", "1001"));
  return event;
}

Scenario watch(std::string name, std::string server, Answer answer, Bounds bounds = {}) {
  return {.name = "watch-" + std::move(name),
          .server = std::move(server),
          .bounds = std::move(bounds),
          .watch = std::move(answer)};
}

// One answer, and the end of the stream.
Answer ended(const std::string& events) {
  return always(watch_of(events) + std::string(kLastChunk));
}

std::vector<Scenario> silences() {
  std::vector<Scenario> all;
  all.push_back(
      watch("silence", "accepts watches and says nothing", then_hang(std::string(kWatchHead))));
  all.back().setup.idle_timeout = 1s;
  all.push_back(
      watch("no-head", "answers nothing to watches", [](Connection& connection, const Call&) {
        connection.hang();
        return false;
      }));
  all.back().setup.idle_timeout = 1s;
  all.push_back(watch("white-space", "sends watches nothing but line ends, ten a second",
                      drip(std::string(kWatchHead), chunk("\n"), 100ms)));
  all.push_back(watch("white-space-flood", "sends watches nothing but line ends, 1 MB each 100 ms",
                      drip(std::string(kWatchHead), chunk(std::string(1 << 20, '\n')), 100ms)));
  all.push_back(watch("half-event", "stops in the middle of an event",
                      then_hang(watch_of(modified().substr(0, 60)))));
  all.back().setup.idle_timeout = 1s;
  all.push_back(watch("half-event-close", "closes in the middle of an event",
                      then_close(watch_of(modified().substr(0, 60)))));
  all.push_back(watch("half-event-end", "ends the body in the middle of an event",
                      ended(modified().substr(0, 60))));
  all.push_back(watch("slow-event", "sends an event by a byte each 100 ms",
                      drip(std::string(kWatchHead), chunk("{"), 100ms)));
  all.push_back(watch("endless-extension", "sends watches a chunk extension, 1 MB each 100 ms",
                      drip(std::string(kWatchHead) + "2;a=", std::string(1 << 20, 'b'), 100ms)));
  all.back().setup.idle_timeout = 1s;
  all.push_back(watch("endless-trailers", "sends watches trailers for ever, and no event",
                      flood(endless_trailers("\n"), trailer()),
                      {.says = "more than 64 KiB of trailers"}));
  return all;
}

std::vector<Scenario> bad_events() {
  std::vector<Scenario> all;
  all.push_back(watch("garbage", "sends garbage between events",
                      ended(modified() + "%%%garbage%%%\n" + modified())));
  all.push_back(watch("html", "answers watches with a page for people",
                      always(http_answer_of("text/html", 200, "<html>Log in</html>"))));
  all.push_back(watch("list", "answers watches with a list",
                      always(http_answer(200, R"({"kind":"PodList","metadata":{},"items":[]})"))));
  all.push_back(
      watch("nul", "sends watches NUL bytes", ended(std::string(std::size_t{64} << 10, '\0'))));
  all.push_back(
      watch("nested", "sends an event of 100,000 open brackets", ended(std::string(100'000, '['))));
  all.push_back(watch("null-object", "sends an event whose object is null",
                      ended(event_text("MODIFIED", "null"))));
  all.push_back(
      watch("no-object", "sends an event without an object", ended("{\"type\":\"MODIFIED\"}\n")));
  all.push_back(watch("no-type", "sends an event without a type",
                      ended("{\"object\":" + object_text("shop/cart", "1001") + "}\n")));
  all.push_back(watch("large-object", "sends an event of 80 MB that does not end",
                      flood(std::string("HTTP/1.1 200 OK\r\n\r\n") +
                                R"({"type":"MODIFIED","object":{"metadata":{"namespace":"shop",)"
                                R"("name":"cart"},"spec":")",
                            std::string(1 << 20, 'x'), std::size_t{80} << 20),
                      {.peak_mib = 128, .says = "the watch ended inside an event"}));
  all.back().heavy = true;
  all.push_back(watch(
      "as-protobuf", "sends JSON events and calls them protobuf",
      always(http_answer_of("application/vnd.kubernetes.protobuf;stream=watch", 200, modified()))));
  return all;
}

std::vector<Scenario> error_events() {
  struct Code {
    int code;
    const char* reason;
  };
  std::vector<Scenario> all;
  for (const auto& [code, reason] : std::vector<Code>{{400, "BadRequest"},
                                                      {401, "Unauthorized"},
                                                      {403, "Forbidden"},
                                                      {404, "NotFound"},
                                                      {410, "Expired"},
                                                      {429, "TooManyRequests"},
                                                      {500, "InternalError"},
                                                      {503, "ServiceUnavailable"},
                                                      {504, "Timeout"}}) {
    const std::string message = "no events on Sundays";
    all.push_back(watch("error-" + std::to_string(code),
                        "ends watches by an error event of " + std::to_string(code) + ' ' + reason,
                        ended(event_text("ERROR", status_text(code, reason, message))),
                        {.says = message}));
  }
  all.push_back(watch("error-no-message", "ends watches by an error event without a message",
                      ended(event_text("ERROR", R"({"kind":"Status","code":500})")),
                      {.says = "500"}));
  all.push_back(watch("error-empty", "ends watches by an error event with an empty object",
                      ended(event_text("ERROR", "{}"))));
  all.push_back(watch("error-no-object", "ends watches by an error event without an object",
                      ended("{\"type\":\"ERROR\"}\n")));
  return all;
}

std::vector<Scenario> wrong_events() {
  std::vector<Scenario> all;
  all.push_back(watch("unknown-types", "sends ten events a second of a type that nobody knows",
                      drip(std::string(kWatchHead),
                           chunk(event_text("RENAMED", object_text("shop/cart", "1001"))), 100ms)));
  all.push_back(watch("deleted-unknown", "says that pods are deleted that nobody knows",
                      ended(event_text("DELETED", object_text("shop/nobody", "1001")))));
  all.push_back(
      watch("version-back", "sends versions that go back",
            ended(event_text("MODIFIED", object_text("shop/cart", "12")) + bookmark_text("11"))));
  all.push_back(watch(
      "same-version", "changes a pod and keeps uid and version",
      ended(event_text("MODIFIED",
                       object_text("shop/cart", "980", {}, R"("spec":{"nodeName":"other"})")))));
  all.push_back(
      watch("no-version", "sends events and bookmarks without a version",
            ended(event_text("MODIFIED", object_text("shop/cart", "")) + bookmark_text(""))));
  all.push_back(watch("version-text", "sends an event whose version is no number",
                      ended(event_text("MODIFIED", object_text("shop/cart", "next")))));
  all.push_back(watch("version-huge", "sends a bookmark whose version has 60 KB",
                      ended(bookmark_text(std::string(60'000, '9')))));
  all.push_back(watch(
      "colliding-keys",
      "adds namespace \"a\" name \"b/c\" and namespace \"a/b\" "
      "name \"c\", again and again",
      [](Connection& connection, const Call&) {
        const auto pod = [](std::string_view space, std::string_view name) {
          return event_text("ADDED", R"({"kind":"Pod","metadata":{"namespace":")" +
                                         std::string(space) + R"(","name":")" + std::string(name) +
                                         R"(","uid":"u","resourceVersion":"1001"}})");
        };
        connection.write(kWatchHead);
        const std::string both = chunk(pod("a", "b/c") + pod("a/b", "c"));
        while (connection.write(both) && connection.pause(100ms)) {
        }
        return false;
      }));
  all.push_back(watch("names-no-path", "adds pods whose names are no path segments",
                      ended(event_text("ADDED", object_text("shop/..", "1001")) +
                            event_text("ADDED", object_text("shop/a%2fb", "1002")) +
                            event_text("ADDED", object_text("shop/a?b", "1003")))));
  return all;
}

// `per_second` events, each the `make` of its number, a hundredth of them each 10 ms.
Answer paced(int per_second, std::string (*make)(long nth)) {
  return [per_second, make](Connection& connection, const Call&) {
    connection.write(kWatchHead);
    long nth = 0;
    auto next = std::chrono::steady_clock::now();
    for (;;) {
      std::string events;
      for (int i = 0; i < per_second / 100; ++i) events += make(++nth);
      if (!connection.write(chunk(events))) return false;
      next += 10ms;
      const auto now = std::chrono::steady_clock::now();
      if (next > now &&
          !connection.pause(std::chrono::duration_cast<std::chrono::milliseconds>(next - now))) {
        return false;
      }
    }
  };
}

std::vector<Scenario> floods() {
  std::vector<Scenario> all;
  all.push_back(watch(
      "events-100000", "sends 100,000 events a second, of 1,000 pods", paced(100'000, [](long nth) {
        return event_text("MODIFIED", object_text("shop/pod-" + std::to_string(nth % 1000),
                                                  std::to_string(1000 + nth)));
      })));
  all.back().heavy = true;
  all.push_back(watch(
      "events-same-pod", "sends 20,000 events a second, of one pod", paced(20'000, [](long nth) {
        return event_text("MODIFIED", object_text("shop/cart", std::to_string(1000 + nth)));
      })));
  all.push_back(watch("events-same-version", "sends the same event 20,000 times a second",
                      paced(20'000, [](long) { return modified(); })));
  all.push_back(watch("bookmarks", "sends 20,000 bookmarks a second", paced(20'000, [](long nth) {
                        return bookmark_text(std::to_string(1000 + nth));
                      })));
  all.push_back(watch(
      "unknown-types-flood", "sends 20,000 events a second of a type that nobody knows",
      paced(20'000, [](long) { return event_text("RENAMED", object_text("shop/cart", "1001")); })));
  all.push_back(watch(
      "names-no-path-flood", "adds 20,000 pods a second whose names are no path segments",
      paced(20'000, [](long nth) {
        return event_text(
            "ADDED", object_text("shop/a%2f" + std::to_string(nth), std::to_string(1000 + nth)));
      })));
  all.push_back(watch("added-deleted", "adds and deletes a pod 10,000 times a second",
                      paced(20'000, [](long nth) {
                        return event_text(nth % 2 == 0 ? "DELETED" : "ADDED",
                                          object_text("shop/ghost", std::to_string(1000 + nth)));
                      })));
  return all;
}

}  // namespace

std::vector<Scenario> watch_scenarios() {
  std::vector<Scenario> all = silences();
  for (const auto& more : {bad_events(), error_events(), wrong_events(), floods()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace faults
